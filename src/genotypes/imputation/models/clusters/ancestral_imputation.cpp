#include "genotypes/imputation/models/clusters/ancestral_imputation.h"

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "genotypes/imputation/models/phasing/sample_genotypes.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// One sample with one model.
class SampleFromAncestors {
 public:
  // `forward` is for its use.
  SampleFromAncestors(const AncestralHaplotypes& model, const AncestorStops& stops, const WindowStudy& study,
                      MarkerRange markers, size_t sample, std::vector<float>& forward)
      : model_(model),
        stops_(stops),
        study_(study),
        markers_(markers),
        sample_(sample),
        forward_(forward),
        left_out_(markers.size()) {}

  // Adds the probabilities to those of NumDifferent() haplotypes: [haplotypes, markers].
  void Add(bool is_outbred, float* sum);

 private:
  void ImputeHaplotype(size_t haplotype);
  void ImputePair();

  const AncestralHaplotypes& model_;
  const AncestorStops& stops_;
  const WindowStudy& study_;
  const MarkerRange markers_;
  const size_t sample_;
  std::vector<float>& forward_;
  std::vector<float> left_out_;
};

bool IsPair(const WindowStudy& study, bool is_outbred, size_t sample) {
  return study.samples().ploidy(sample) == 2 && is_outbred && !HasPhase(study, sample);
}

// Returns how many haplotypes of a sample have probabilities of their own.
size_t NumDifferent(const WindowStudy& study, bool is_outbred, size_t sample) {
  const bool are_equal = !is_outbred || IsPair(study, is_outbred, sample);
  return are_equal ? 1 : static_cast<size_t>(study.samples().ploidy(sample));
}

void SampleFromAncestors::Add(bool is_outbred, float* sum) {
  for (size_t c = 0; c < NumDifferent(study_, is_outbred, sample_); ++c, sum += markers_.size()) {
    if (IsPair(study_, is_outbred, sample_)) {
      ImputePair();
    } else {
      ImputeHaplotype(is_outbred ? c : static_cast<size_t>(study_.samples().ploidy(sample_)));
    }
    std::transform(left_out_.begin(), left_out_.end(), sum, sum, std::plus());
  }
}

// A haplotype of the sample, or, with its ploidy as the index, the one that an inbred sample has twice.
void SampleFromAncestors::ImputeHaplotype(size_t haplotype) {
  std::vector<uint8_t> alleles(markers_.size(), kMissingAllele);
  for (size_t j = 0; j < study_.num_typed(); ++j) {
    const std::span<const uint8_t> given = study_.Genotype(j, sample_);
    uint8_t& allele = alleles[study_.typed()[j] - markers_.begin];
    if (haplotype < given.size()) allele = given[haplotype];
    if (haplotype == given.size() && given.front() == given.back()) allele = given.front();
  }
  std::vector<float> scale(markers_.size());
  forward_.resize(markers_.size() * kAncestors);
  AncestorForward(model_.tables(), alleles.data(), forward_.data(), scale.data());
  LeaveOutAlleles(model_.tables(), alleles.data(), forward_.data(), scale.data(), left_out_.data());
}

void SampleFromAncestors::ImputePair() {
  std::vector<int8_t> genotypes;
  const std::span<const uint32_t> stops = stops_.markers().stops;
  size_t j = 0;
  for (const uint32_t stop : stops) {
    int8_t genotype = -1;
    if (j < study_.num_typed() && study_.typed()[j] == stop + markers_.begin) {
      const std::span<const uint8_t> given = study_.Genotype(j++, sample_);
      if (!HasMissing(given)) genotype = static_cast<int8_t>(given[0] + given[1]);
    }
    genotypes.push_back(genotype);
  }
  forward_.resize(stops.size() * kAncestors * kAncestors);
  LeaveOutGenotypes(model_.tables(), stops_.markers(), genotypes.data(), forward_.data(), left_out_.data());
}

}  // namespace

std::vector<float> LeaveOneOutFromAncestors(std::span<const AncestralHaplotypes> models, const WindowStudy& study,
                                            MarkerRange markers) {
  std::vector<uint32_t> typed;
  for (const uint32_t m : study.typed()) typed.push_back(static_cast<uint32_t>(m - markers.begin));
  const bool is_outbred = study.IsOutbred();
  std::vector<float> result(study.samples().num_haplotypes() * markers.size());
  const auto rows = [&](size_t s) { return &result[study.samples().first_haplotype[s] * markers.size()]; };
  tbb::enumerable_thread_specific<std::vector<float>> forward;
  // The tables of one model at a time are in memory.
  for (const AncestralHaplotypes& model : models) {
    const AncestorStops stops(model, typed);
    tbb::parallel_for(size_t{0}, study.samples().num_samples(), [&](size_t s) {
      SampleFromAncestors(model, stops, study, markers, s, forward.local()).Add(is_outbred, rows(s));
    });
  }
  for (float& p : result) p = std::clamp(p / static_cast<float>(models.size()), 0.0f, 1.0f);
  for (size_t s = 0; s < study.samples().num_samples(); ++s) {
    const bool is_copied = NumDifferent(study, is_outbred, s) < static_cast<size_t>(study.samples().ploidy(s));
    if (is_copied) std::copy_n(rows(s), markers.size(), rows(s) + markers.size());
  }
  return result;
}

}  // namespace haplospin
