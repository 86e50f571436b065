#include "genotypes/variant_io/reading/part_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "genotypes/variant_io/reading/study_record.h"

namespace haplospin {
namespace {

// The ploidies of samples, by the records of a part that were read ahead.
class PloidySearch {
 public:
  PloidySearch(const ChosenSamples& chosen, const RecordStream& stream, const std::string& contig,
               const ContigPart& part)
      : chosen_(chosen), stream_(stream), contig_(contig), part_(part) {}

  // Returns the ploidy of each sample; 0 where it has no genotype.
  std::vector<int> Find() const {
    const size_t n = chosen_.columns.size();
    std::vector<int> ploidies(n, 0);
    std::vector<bool> has_half(n), has_likelihoods(n);
    size_t num_unknown = 0;
    for (size_t s = 0; s < n; ++s) {
      ploidies[s] = part_.males_are_haploid && chosen_.is_male[s] ? 1 : 0;
      num_unknown += ploidies[s] == 0 && !chosen_.Lacks(part_, s) ? 1 : 0;
    }
    ForEachRecord([&](const ParsedRecord& record) {
      for (size_t s = 0; s < n && num_unknown > 0; ++s) {
        if (ploidies[s] != 0 || chosen_.Lacks(part_, s)) continue;
        const size_t column = chosen_.columns[s];
        if (part_.males_are_haploid && IsHalfMissing(record.calls, column)) {
          has_half[s] = true;
          continue;
        }
        ploidies[s] = FindPloidy(record, column).value_or(0);
        has_likelihoods[s] = has_likelihoods[s] || HasGenotype(record, column);
        if (ploidies[s] != 0) --num_unknown;
      }
    });
    // Where males are haploid, a sample whose genotypes are all half missing is one.
    for (size_t s = 0; s < n; ++s) {
      if (ploidies[s] == 0) ploidies[s] = has_half[s] ? 1 : has_likelihoods[s] ? 2 : 0;
    }
    if (part_.is_pseudo_autosomal && AnyIsDiploid()) std::ranges::fill(ploidies, 2);
    return ploidies;
  }

 private:
  bool AnyIsDiploid() const {
    bool any = false;
    ForEachRecord([&](const ParsedRecord& record) {
      any = any || std::ranges::any_of(chosen_.columns, [&](size_t column) { return FindPloidy(record, column) == 2; });
    });
    return any;
  }

  // Visits the records of the part without an error.
  template <typename Visit>
  void ForEachRecord(const Visit& visit) const {
    stream_.ForEachParsed([&](const ParsedRecord& record) {
      const bool is_of_part = record.contig == contig_ && record.position <= part_.end;
      if (is_of_part && record.error.empty() && !record.is_outside) visit(record);
    });
  }

  const ChosenSamples& chosen_;
  const RecordStream& stream_;
  const std::string& contig_;
  const ContigPart& part_;
};

}  // namespace

PartSamples::PartSamples(const ChosenSamples& chosen, const RecordStream& stream, const ParsedRecord& first,
                         const ContigPart& part, bool are_haploid)
    : chosen_(chosen), stream_(stream), part_(part), first_position_(first.position) {
  const bool is_of_sex = part.males_are_haploid || part.IsLacking();
  const std::vector<int> ploidies = are_haploid && !is_of_sex ? std::vector<int>(chosen.columns.size(), 1)
                                                              : PloidySearch(chosen, stream, first.contig, part).Find();
  const bool is_on_x = part.males_are_haploid && !part.females_lack_it;
  const bool has_absent = part.IsLacking() && std::ranges::max(ploidies) > 0;
  for (size_t s = 0; s < ploidies.size(); ++s) {
    if (ploidies[s] == 0 && (has_absent || IsOfLackingSex(s))) continue;
    table_.Add(chosen.names[s], ploidies[s] == 0 ? 2 : ploidies[s]);
    indices_.push_back(s);
    columns_.push_back(chosen.columns[s]);
    num_haploid_females_ += is_on_x && chosen.is_female[s] && ploidies[s] == 1 ? 1 : 0;
  }
}

bool PartSamples::IsOfLackingSex(size_t chosen) const {
  return (part_.females_lack_it && chosen_.is_female[chosen]) || (part_.males_lack_it && chosen_.is_male[chosen]);
}

size_t PartSamples::CountMaleHeterozygotes(const ParsedRecord& record) const {
  if (!part_.males_are_haploid) return 0;
  size_t count = 0;
  for (size_t s = 0; s < columns_.size(); ++s) count += IsMaleHeterozygote(record, s) ? 1 : 0;
  return count;
}

size_t PartSamples::RemoveCallsOfLacking(ParsedRecord& record) const {
  if (!part_.females_lack_it) return 0;
  size_t count = 0;
  for (size_t s = 0; s < chosen_.columns.size(); ++s) {
    if (!chosen_.Lacks(part_, s) || !HasGenotype(record, chosen_.columns[s])) continue;
    ++count;
    SetMissing(chosen_.columns[s], record);
  }
  return count;
}

size_t PartSamples::CheckPloidy(const ParsedRecord& record) const {
  size_t one_of_two = 0;
  for (size_t s = 0; s < columns_.size(); ++s) {
    const int expected = table_.ploidy(s);
    if (expected == 1 && IsHalfMissing(record.calls, columns_[s])) continue;
    const auto ploidy = FindPloidy(record, columns_[s]);
    if (ploidy == 1 && expected == 2 && part_.is_pseudo_autosomal) {
      ++one_of_two;
    } else if (ploidy && *ploidy != expected && !IsHaploidMale(s)) {
      stream_.Fail(record, PloidyChange(table_.names[s], *ploidy, first_position_));
    }
  }
  if (num_absent() > 0) CheckAbsent(record);
  return one_of_two;
}

// A genotype that comes late would be lost.
void PartSamples::CheckAbsent(const ParsedRecord& record) const {
  size_t next = 0;
  for (size_t s = 0; s < chosen_.columns.size(); ++s) {
    if (next < indices_.size() && indices_[next] == s) {
      ++next;
    } else if (HasGenotype(record, chosen_.columns[s])) {
      stream_.Fail(record, fmt::format("sample {} has a genotype here, but none at the first markers of the contig, "
                                       "as a {} set its genotypes on the contig missing",
                                       chosen_.names[s],
                                       part_.males_lack_it ? "male; if it is a female, remove these markers, otherwise"
                                                           : "female; if it is a male, tell with --sex, otherwise"));
    }
  }
}

}  // namespace haplospin
