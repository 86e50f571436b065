#include "genotypes/assessment/repeat_lengths.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "core/parse_number.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/record_info.h"

namespace haplospin {
namespace {

// Returns the number of units of an allele as ExpansionHunter writes it, <STR12>, where INFO/REF has that of REF.
std::optional<size_t> UnitsOf(const Marker& marker) {
  constexpr std::string_view kBegin = "<STR";
  const std::string_view alt = marker.alt;
  if (!alt.starts_with(kBegin) || !alt.ends_with('>') || InfoNumber(marker.info, "REF") == 0) return std::nullopt;
  return ParseNumber<size_t>(alt.substr(kBegin.size(), alt.size() - kBegin.size() - 1));
}

}  // namespace

RepeatLengths::RepeatLengths(const TruthSet& truth) : truth_(truth) {
  for (size_t site = 0, end; site < truth.num_sites(); site = end) {
    end = EndOfRecord(site);
    if (IsRepeat({site, end})) records_.push_back({site, end});
  }
}

size_t RepeatLengths::EndOfRecord(size_t site) const {
  const Marker& first = truth_.marker(site);
  const auto is_same = [&](size_t next) {
    const Marker& marker = truth_.marker(next);
    const bool is_split = DescribesRepeat(marker.info) && marker.position == first.position && marker.ref == first.ref;
    return truth_.contig(next) == truth_.contig(site) && (is_split || AreOfOneRecord(first, marker));
  };
  size_t end = site + 1;
  while (end < truth_.num_sites() && is_same(end)) ++end;
  return end;
}

bool RepeatLengths::IsRepeat(const Record& record) const {
  std::set<size_t> lengths;
  for (size_t site = record.begin; site < record.end; ++site) {
    const Marker& marker = truth_.marker(site);
    if (!IsBases(marker.alt) && !UnitsOf(marker)) return false;
    lengths.insert(UnitsOf(marker).value_or(marker.alt.size()));
  }
  return lengths.size() > 1 || DescribesRepeat(truth_.marker(record.begin).info);
}

double RepeatLengths::Length(size_t site) const {
  const Marker& marker = truth_.marker(site);
  if (const auto units = UnitsOf(marker)) {
    return static_cast<double>(*units) - static_cast<double>(InfoNumber(marker.info, "REF"));
  }
  return static_cast<double>(marker.alt.size()) - static_cast<double>(marker.ref.size());
}

void RepeatLengths::Add(size_t site, std::span<const float> dosages) {
  const auto after = std::ranges::upper_bound(records_, site, {}, &Record::begin);
  if (after == records_.begin() || std::prev(after)->end <= site) return;
  const Record& record = *std::prev(after);
  auto [pending, is_new] = pending_.try_emplace(record.begin);
  Pending& sums = pending->second;
  if (is_new) {
    for (size_t s = record.begin; s < record.end; ++s) sums.left += truth_.scored(s) ? 1 : 0;
    sums.lengths.resize(dosages.size());
  }
  for (size_t s = 0; s < dosages.size(); ++s) sums.lengths[s] += Length(site) * static_cast<double>(dosages[s]);
  if (--sums.left > 0) return;
  Score(record, sums.lengths);
  pending_.erase(pending);
}

void RepeatLengths::Score(const Record& record, std::span<const double> lengths) {
  std::vector<double> truth(lengths.size());
  std::vector<bool> is_missing(lengths.size());
  std::vector<int8_t> genotypes(lengths.size());
  for (size_t site = record.begin; site < record.end; ++site) {
    truth_.CopyGenotypes(site, genotypes);
    for (size_t s = 0; s < truth.size(); ++s) {
      truth[s] += Length(site) * genotypes[s];
      is_missing[s] = is_missing[s] || genotypes[s] == kMissingGenotype;
    }
  }
  DosageSums sums;
  for (size_t s = 0; s < truth.size(); ++s) {
    if (!is_missing[s]) sums.Add(lengths[s], truth[s]);
  }
  if (sums.VarianceOfTruth() > 0) r2_.Add(sums.SiteR2());
}

}  // namespace haplospin
