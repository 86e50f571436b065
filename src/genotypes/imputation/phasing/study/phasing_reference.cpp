#include "genotypes/imputation/phasing/study/phasing_reference.h"

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

// Returns the panel at its typed markers, with the haplotypes of the samples after its own.
HaplotypePanel Join(const HaplotypePanel& panel, const WindowStudy& study, SampleRange study_samples,
                    const std::vector<std::vector<uint8_t>>& alleles) {
  SampleTable samples = panel.samples();
  if (samples.first_haplotype.empty()) samples.first_haplotype.push_back(0);
  for (size_t s = study_samples.begin; s < study_samples.end; ++s) {
    samples.names.push_back(study.samples().names[s]);
    samples.first_haplotype.push_back(samples.first_haplotype.back() +
                                      static_cast<uint32_t>(study.samples().ploidy(s)));
  }
  const size_t before = panel.num_haplotypes();
  MutablePanel joined(panel.contig(), std::move(samples));
  std::vector<uint64_t> bits;
  for (size_t j = 0; j < study.num_typed(); ++j) {
    bits.assign(joined.words_per_marker(), 0);
    panel.CopyBits(study.typed()[j], bits.data());
    const uint8_t major = MajorAllele(panel.alt_count(study.typed()[j]), before, alleles[j]);
    for (size_t h = 0; h < alleles[j].size(); ++h) {
      const uint64_t allele = alleles[j][h] == kMissingAllele ? major : alleles[j][h];
      bits[(before + h) / 64] |= allele << ((before + h) % 64);
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
                                   std::span<const size_t> index)
    : num_panel_haplotypes_(panel.num_haplotypes()),
      first_study_haplotype_(study.samples().first_haplotype[samples.begin]) {
  std::vector<uint32_t> all(study.num_typed());
  std::iota(all.begin(), all.end(), 0);
  joined_ = std::make_unique<TypedPanel>(Join(panel, study, samples, PresentAlleles(study, samples, present, index)),
                                         all, map);
  panel_ = joined_.get();
  std::vector<uint32_t> first = RangeHaplotypes(study, samples, index);
  for (uint32_t& h : first) h += static_cast<uint32_t>(num_panel_haplotypes_);
  imputed_ = ImputedAlts(joined_->rows(), present, first);
}

ExcludedHaplotypes PhasingReference::Own(const WindowStudy& study, size_t sample) const {
  if (num_haplotypes() == num_panel_haplotypes_) return {};
  ExcludedHaplotypes own;
  for (uint32_t h = study.samples().first_haplotype[sample]; h < study.samples().first_haplotype[sample + 1]; ++h) {
    own.haplotypes[own.count++] = static_cast<uint32_t>(num_panel_haplotypes_) + h - first_study_haplotype_;
  }
  return own;
}

}  // namespace haplospin
