#include "genotypes/imputation/stages/phasing/phasing_reference.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "genotypes/genomics/mutable_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

uint8_t MajorAllele(uint32_t panel_alt, size_t panel_haplotypes, const std::vector<uint8_t>& study) {
  const auto ones = static_cast<size_t>(std::ranges::count(study, uint8_t{1})) + panel_alt;
  const auto zeros = static_cast<size_t>(std::ranges::count(study, uint8_t{0})) + panel_haplotypes - panel_alt;
  return ones > zeros ? 1 : 0;
}

// Returns the samples of a range that are copied: all but those among `index` that are left out.
std::vector<size_t> Copied(SampleRange range, std::span<const size_t> index, const std::vector<bool>& is_left_out) {
  std::vector<size_t> copied;
  size_t k = 0;
  for (size_t s = range.begin; s < range.end; ++s) {
    const bool is_present = k < index.size() && index[k] == s;
    if (!is_present || is_left_out.empty() || !is_left_out[k]) copied.push_back(s);
    k += is_present ? 1 : 0;
  }
  return copied;
}

SampleTable JoinSamples(SampleTable samples, const SampleTable& study, std::span<const size_t> copied) {
  for (const size_t s : copied) samples.Add(study.names[s], study.ploidy(s));
  return samples;
}

// Returns the panel at its typed markers, with the haplotypes of the copied samples after its own. `alleles` are
// [typed][haplotypes of the samples from `first_sample` on].
HaplotypePanel Join(const HaplotypePanel& panel, const WindowStudy& study, std::span<const size_t> copied,
                    size_t first_sample, const std::vector<std::vector<uint8_t>>& alleles) {
  const std::vector<uint32_t>& first_haplotype = study.samples().first_haplotype;
  std::vector<uint32_t> haplotypes;  // of `alleles`
  for (const size_t s : copied) {
    for (uint32_t h = first_haplotype[s]; h < first_haplotype[s + 1]; ++h) {
      haplotypes.push_back(h - first_haplotype[first_sample]);
    }
  }
  const size_t before = panel.num_haplotypes();
  MutablePanel joined(panel.contig(), JoinSamples(panel.samples(), study.samples(), copied));
  std::vector<uint64_t> bits;
  for (size_t j = 0; j < study.num_typed(); ++j) {
    bits.assign(joined.words_per_marker(), 0);
    panel.CopyBits(study.typed()[j], bits.data());
    const uint8_t major = MajorAllele(panel.alt_count(study.typed()[j]), before, alleles[j]);
    for (size_t i = 0; i < haplotypes.size(); ++i) {
      const uint8_t present = alleles[j][haplotypes[i]];
      const uint64_t allele = present == kMissingAllele ? major : present;
      bits[(before + i) / 64] |= allele << ((before + i) % 64);
    }
    joined.Append(panel.marker(study.typed()[j]), bits.data());
  }
  return joined;
}

}  // namespace

std::vector<std::vector<uint8_t>> PresentAlleles(const WindowStudy& study, SampleRange samples,
                                                 std::span<const SampleGenotypes> present,
                                                 std::span<const size_t> index) {
  const uint32_t begin = study.samples().first_haplotype[samples.begin];
  const uint32_t end = study.samples().first_haplotype[samples.end];
  std::vector<std::vector<uint8_t>> alleles;
  alleles.reserve(study.num_typed());
  for (size_t j = 0; j < study.num_typed(); ++j) {
    const std::vector<uint8_t>& row = study.alleles(j);
    alleles.emplace_back(row.begin() + begin, row.begin() + end);
  }
  for (size_t k = 0; k < present.size(); ++k) {
    const uint32_t first = study.samples().first_haplotype[index[k]] - begin;
    for (uint32_t c = 0; c < present[k].ploidy; ++c) {
      const std::vector<uint8_t> haplotype = ImputedAlleles(present[k], c);
      for (size_t j = 0; j < alleles.size(); ++j) alleles[j][first + c] = haplotype[j];
    }
  }
  return alleles;
}

std::vector<uint32_t> RangeHaplotypes(const WindowStudy& study, SampleRange samples, std::span<const size_t> index) {
  std::vector<uint32_t> first;
  first.reserve(index.size());
  for (const size_t s : index) {
    first.push_back(study.samples().first_haplotype[s] - study.samples().first_haplotype[samples.begin]);
  }
  return first;
}

PhasingReference::PhasingReference(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study,
                                   SampleRange samples, std::span<const SampleGenotypes> present,
                                   std::span<const size_t> index, const std::vector<bool>& is_left_out)
    : num_panel_haplotypes_(panel.num_haplotypes()),
      first_sample_(samples.begin),
      first_haplotype_(samples.end - samples.begin, kNoHaplotype) {
  const std::vector<size_t> copied = Copied(samples, index, is_left_out);
  std::vector<uint32_t> all(study.num_typed());
  std::iota(all.begin(), all.end(), 0);
  joined_ = std::make_unique<TypedPanel>(
      Join(panel, study, copied, first_sample_, PresentAlleles(study, samples, present, index)), all, map);
  panel_ = joined_.get();
  auto next = static_cast<uint32_t>(num_panel_haplotypes_);
  for (const size_t s : copied) {
    first_haplotype_[s - first_sample_] = next;
    next += static_cast<uint32_t>(study.samples().ploidy(s));
  }
  std::vector<uint32_t> first;
  for (const size_t s : index) first.push_back(first_haplotype_[s - first_sample_]);
  imputed_ = ImputedAlts(joined_->rows(), present, first);
}

ExcludedHaplotypes PhasingReference::Own(const WindowStudy& study, size_t sample) const {
  ExcludedHaplotypes own;
  if (first_haplotype_.empty()) return own;
  const uint32_t first = first_haplotype_[sample - first_sample_];
  if (first == kNoHaplotype) return own;
  for (int c = 0; c < study.samples().ploidy(sample); ++c) {
    own.haplotypes[own.count++] = first + static_cast<uint32_t>(c);
  }
  return own;
}

}  // namespace haplospin
