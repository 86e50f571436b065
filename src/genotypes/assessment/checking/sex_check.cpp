#include "genotypes/assessment/checking/sex_check.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/reading/record_stream.h"
#include "genotypes/variant_io/vcf_columns.h"

namespace haplospin {
namespace {

constexpr double kMaleInbreeding = 0.8, kFemaleInbreeding = 0.2;  // PLINK's
constexpr double kMinExpected = 20;                               // heterozygotes
constexpr size_t kMinAlleles = 20;                                // that tell frequencies
constexpr size_t kAutosomalMarkers = 5000;
constexpr size_t kMinMales = 5;  // who tell that X is not that of this genome build

struct Heterozygotes {
  double observed = 0, expected = 0;

  bool AreEnough() const { return expected >= kMinExpected; }
  double Inbreeding() const { return 1 - observed / expected; }
};

// The alleles of a sample; that of a haploid genotype twice.
std::optional<std::array<int16_t, 2>> Alleles(const ParsedRecord& record, size_t sample) {
  const int16_t first = record.calls.alleles[2 * sample], second = record.calls.alleles[2 * sample + 1];
  if (first < 0 || second == kMissingCall) return std::nullopt;
  return std::array{first, second == kAbsentCall ? first : second};
}

// Adds a marker of two alleles to the counts, [samples].
void AddMarker(const ParsedRecord& record, std::vector<Heterozygotes>& counts) {
  size_t alleles = 0, alts = 0;
  for (size_t s = 0; s < counts.size(); ++s) {
    const auto pair = Alleles(record, s);
    if (!pair) continue;
    alleles += 2;
    alts += static_cast<size_t>((*pair)[0] + (*pair)[1]);
  }
  if (alleles < kMinAlleles) return;
  const auto n = static_cast<double>(alleles);
  const double frequency = static_cast<double>(alts) / n;
  const double expected = 2 * frequency * (1 - frequency) * n / (n - 1);
  for (size_t s = 0; s < counts.size(); ++s) {
    const auto pair = Alleles(record, s);
    if (!pair) continue;
    counts[s].observed += (*pair)[0] != (*pair)[1] ? 1 : 0;
    counts[s].expected += expected;
  }
}

bool HasFilter(std::string_view record_filters, const std::vector<std::string>& filters) {
  if (filters.empty()) return true;
  while (!record_filters.empty()) {
    if (std::ranges::find(filters, PopItem(record_filters, ';')) != filters.end()) return true;
  }
  return false;
}

// A position on X, Y, Z or W of every species that is in no pseudo-autosomal region.
constexpr int64_t kInside = 50'000'000;

bool IsX(const ContigPart& part) { return part.males_are_haploid && !part.females_lack_it; }

bool IsAutosome(std::string_view contig, const ContigPart& part) {
  const std::string_view name = CanonicalContig(contig);
  return part.is_autosomal && name != "25" && name != "MT";  // PLINK's pseudo-autosomal regions, and mitochondrion
}

// The first contig that is one of X, or an autosome; empty if there is none.
std::string ChooseContig(const SexCheckOptions& options, bool is_x) {
  for (const std::string& contig : options.contigs) {
    const ContigPart part = options.regions.PartAt(contig, kInside);
    if (is_x ? IsX(part) : IsAutosome(contig, part)) return contig;
  }
  return "";
}

// Returns the heterozygotes of each sample on the contig outside its pseudo-autosomal regions.
std::vector<Heterozygotes> CountHeterozygotes(const SexCheckOptions& options, const std::string& contig,
                                              RecordStream& stream, size_t max_markers) {
  stream.Seek({.contig = contig});
  std::vector<Heterozygotes> counts(stream.header().samples.size());
  const bool is_x = IsX(options.regions.PartAt(contig, kInside));
  for (const ParsedRecord* record = stream.Peek(); record != nullptr && max_markers > 0; record = stream.Peek()) {
    const bool is_used = record->has_genotypes && record->alts.size() == 1 &&
                         HasFilter(record->filter, options.filters) &&
                         IsX(options.regions.PartAt(contig, record->position)) == is_x;
    if (is_used) AddMarker(*record, counts);
    max_markers -= is_used ? 1 : 0;
    stream.Pop();
  }
  return counts;
}

RecordStream Open(const std::string& path) {
  return {OpenRecords(path, {.kind = RecordKind::kStudy}), /*accepts_unphased=*/true};
}

// Returns whether each sample is as homozygous on an autosome as a male on X.
std::vector<bool> AreInbred(const SexCheckOptions& options, size_t samples) {
  std::vector<bool> are_inbred(samples);
  const std::string contig = ChooseContig(options, /*is_x=*/false);
  if (contig.empty()) return are_inbred;
  RecordStream stream = Open(options.study);
  const auto counts = CountHeterozygotes(options, contig, stream, kAutosomalMarkers);
  for (size_t s = 0; s < samples; ++s) {
    are_inbred[s] = counts[s].AreEnough() && counts[s].Inbreeding() > kMaleInbreeding;
  }
  return are_inbred;
}

// Returns whether most males, and no such share of the females, have two haplotypes: these are the pseudo-autosomal
// regions of another genome build.
bool IsPseudoAutosomal(const SexCheck& check, size_t males) {
  const auto wrong_males =
      static_cast<size_t>(std::ranges::count(check.contradictions, true, &SexContradiction::is_given_male));
  const size_t females = check.compared - males, wrong_females = check.contradictions.size() - wrong_males;
  return 2 * wrong_males > males && 2 * wrong_females <= females;
}

}  // namespace

SexCheck CheckSexes(const SexCheckOptions& options) {
  const std::string x = ChooseContig(options, /*is_x=*/true);
  if (x.empty()) return {};
  RecordStream stream = Open(options.study);
  const auto counts = CountHeterozygotes(options, x, stream, SIZE_MAX);
  const std::vector<bool> are_inbred = AreInbred(options, counts.size());
  SexCheck check;
  size_t males = 0;
  for (size_t s = 0; s < counts.size(); ++s) {
    const std::string& sample = stream.header().samples[s];
    const bool is_male = options.sexes.males.contains(sample), is_female = options.sexes.females.contains(sample);
    if (is_male == is_female || !counts[s].AreEnough()) continue;
    const double inbreeding = counts[s].Inbreeding();
    const bool looks_male = inbreeding > kMaleInbreeding, looks_female = inbreeding < kFemaleInbreeding;
    if (looks_male && are_inbred[s]) continue;
    ++check.compared;
    males += is_male ? 1 : 0;
    if (is_male ? looks_female : looks_male) check.contradictions.push_back({sample, is_male, inbreeding});
  }
  return males >= kMinMales && IsPseudoAutosomal(check, males) ? SexCheck() : check;
}

}  // namespace haplospin
