#include "genotypes/variant_io/reading/genotype_rows.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace haplospin {
namespace {

// Returns the likelihoods of a sample that cannot be heterozygous.
GenotypeLikelihoods HaploidLikelihoods(const GenotypeLikelihoods& genotype) {
  const auto [none, one, two] = genotype.phred;
  const uint8_t best = std::min(none, two);
  return {{static_cast<uint8_t>(none - best), UINT8_MAX, static_cast<uint8_t>(two - best)}};
}

// Returns the alleles of genotypes that are certain, in the order REF, ALT; others are missing: [haplotypes].
std::vector<uint8_t> CertainAlleles(const std::vector<GenotypeLikelihoods>& row, const SampleTable& samples) {
  std::vector<uint8_t> alleles(samples.num_haplotypes(), kMissingAllele);
  for (size_t s = 0; s < row.size(); ++s) {
    const std::array<uint8_t, 3>& phred = row[s].phred;
    const auto best = static_cast<size_t>(std::ranges::min_element(phred) - phred.begin());
    const auto below = std::ranges::count_if(phred, [](uint8_t value) { return value < kCertainPhred; });
    if (below > 1) continue;
    const uint32_t first = samples.first_haplotype[s], last = samples.first_haplotype[s + 1] - 1;
    alleles[first] = best == 2 ? 1 : 0;
    alleles[last] = best == 0 ? 0 : 1;
  }
  return alleles;
}

// [samples] 1 for diploid samples with two different alleles.
std::vector<uint8_t> Heterozygotes(const std::vector<uint8_t>& alleles, const SampleTable& samples) {
  std::vector<uint8_t> result(samples.num_samples());
  for (size_t s = 0; s < result.size(); ++s) {
    const uint32_t h = samples.first_haplotype[s];
    result[s] = samples.ploidy(s) == 2 && alleles[h] != alleles[h + 1] ? 1 : 0;
  }
  return result;
}

std::vector<uint8_t> CalledAlleles(const ParsedRecord& record, size_t alt, const PartSamples& samples) {
  std::vector<uint8_t> alleles;
  alleles.reserve(samples.table().num_haplotypes());
  for (size_t s = 0; s < samples.columns().size(); ++s) {
    const int16_t* calls = &record.calls.alleles[2 * samples.columns()[s]];
    const int ploidy = samples.table().ploidy(s);
    for (int copy = 0; copy < ploidy; ++copy) {
      const bool is_other = ploidy == 1 && calls[0] == kMissingCall;  // ./0 of a male
      const bool is_homozygous = calls[1] == kAbsentCall;             // one allele of two
      const int16_t call = calls[is_other ? 1 : is_homozygous ? 0 : copy];
      const bool is_missing = call < 0 || samples.IsMaleHeterozygote(record, s);
      alleles.push_back(is_missing ? kMissingAllele : call == static_cast<int16_t>(alt + 1) ? 1 : 0);
    }
  }
  return alleles;
}

std::vector<GenotypeLikelihoods> Likelihoods(const ParsedRecord& record, size_t alt, const PartSamples& samples) {
  std::vector<GenotypeLikelihoods> row(samples.columns().size());
  for (size_t s = 0; s < row.size(); ++s) {
    row[s] = record.likelihoods[alt][samples.columns()[s]];
    if (samples.table().ploidy(s) == 1) row[s] = HaploidLikelihoods(row[s]);
  }
  return row;
}

void TakeReads(const ReadAlleleRow& reads, const PartSamples& samples, GenotypeRow& row) {
  row.first_read.push_back(0);
  for (const size_t column : samples.columns()) {
    const std::span<const ReadAllele> alleles = reads.At(column);
    row.reads.insert(row.reads.end(), alleles.begin(), alleles.end());
    row.first_read.push_back(static_cast<uint32_t>(row.reads.size()));
  }
}

// 1 for each sample whose alleles may be in either order, or empty if there is none.
std::vector<uint8_t> UnphasedSamples(const ParsedRecord& record, const PartSamples& samples) {
  std::vector<uint8_t> unphased;
  if (record.calls.unphased.empty()) return unphased;
  unphased.reserve(samples.columns().size());
  for (size_t s = 0; s < samples.columns().size(); ++s) {
    unphased.push_back(samples.IsHaploidMale(s) ? uint8_t{0} : record.calls.unphased[samples.columns()[s]]);
  }
  return unphased;
}

// Returns the sets of the heterozygotes among the alleles, or nothing if the record has no sets.
std::vector<uint32_t> PhaseSets(const ParsedRecord& record, const std::vector<uint8_t>& alleles,
                                const PartSamples& samples) {
  if (record.calls.phase_sets.empty()) return {};
  const std::vector<uint8_t> is_heterozygous = Heterozygotes(alleles, samples.table());
  std::vector<uint32_t> sets(samples.columns().size());
  for (size_t s = 0; s < sets.size(); ++s) {
    if (is_heterozygous[s] != 0) sets[s] = record.calls.phase_sets[samples.columns()[s]];
  }
  return sets;
}

}  // namespace

GenotypeRow MakeGenotypeRow(const ParsedRecord& record, size_t alt, const PartSamples& samples, Unphased unphased) {
  GenotypeRow row;
  if (record.likelihoods.empty()) {
    row.alleles = CalledAlleles(record, alt, samples);
  } else {
    row.likelihoods = Likelihoods(record, alt, samples);
    row.alleles = CertainAlleles(row.likelihoods, samples.table());
  }
  if (!record.reads.empty()) TakeReads(record.reads, samples, row);
  row.unphased =
      unphased == Unphased::kReadAll ? Heterozygotes(row.alleles, samples.table()) : UnphasedSamples(record, samples);
  row.phase_sets = PhaseSets(record, row.alleles, samples);
  return row;
}

}  // namespace haplospin
