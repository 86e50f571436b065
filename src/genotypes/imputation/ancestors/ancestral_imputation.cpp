#include "genotypes/imputation/ancestors/ancestral_imputation.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "genotypes/imputation/phasing/sample/sample_genotypes.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// One sample with all models.
class SampleFromAncestors {
 public:
  SampleFromAncestors(std::span<const AncestralHaplotypes> models, std::span<const AncestorStops> stops,
                      const WindowStudy& study, MarkerRange markers, size_t sample)
      : models_(models),
        stops_(stops),
        study_(study),
        markers_(markers),
        sample_(sample),
        left_out_(markers.size()),
        sum_(markers.size()) {}

  // Writes [ploidy, markers].
  void Run(bool is_outbred, float* out);

 private:
  void ImputeHaplotype(size_t haplotype);
  void ImputePair();

  std::span<const AncestralHaplotypes> models_;
  std::span<const AncestorStops> stops_;
  const WindowStudy& study_;
  const MarkerRange markers_;
  const size_t sample_;
  std::vector<float> left_out_, sum_;
};

void SampleFromAncestors::Run(bool is_outbred, float* out) {
  const auto ploidy = static_cast<size_t>(study_.samples().ploidy(sample_));
  const bool is_pair = ploidy == 2 && is_outbred && !HasPhase(study_, sample_);
  const size_t different = is_pair || !is_outbred ? 1 : ploidy;
  for (size_t c = 0; c < different; ++c) {
    std::ranges::fill(sum_, 0.0f);
    is_pair ? ImputePair() : ImputeHaplotype(is_outbred ? c : ploidy);
    for (float& p : sum_) p = std::clamp(p / static_cast<float>(models_.size()), 0.0f, 1.0f);
    std::ranges::copy(sum_, out + c * markers_.size());
  }
  if (different < ploidy) std::ranges::copy(sum_, out + markers_.size());
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
  std::vector<float> forward(markers_.size() * kAncestors), scale(markers_.size());
  for (const AncestralHaplotypes& model : models_) {
    AncestorForward(model.tables(), alleles.data(), forward.data(), scale.data());
    LeaveOutAlleles(model.tables(), alleles.data(), forward.data(), scale.data(), left_out_.data());
    std::ranges::transform(sum_, left_out_, sum_.begin(), std::plus());
  }
}

void SampleFromAncestors::ImputePair() {
  std::vector<int8_t> genotypes;
  const std::span<const uint32_t> stops = stops_.front().markers().stops;
  size_t j = 0;
  for (const uint32_t stop : stops) {
    int8_t genotype = -1;
    if (j < study_.num_typed() && study_.typed()[j] == stop + markers_.begin) {
      const std::span<const uint8_t> given = study_.Genotype(j++, sample_);
      if (!HasMissing(given)) genotype = static_cast<int8_t>(given[0] + given[1]);
    }
    genotypes.push_back(genotype);
  }
  std::vector<float> forward(stops.size() * kAncestors * kAncestors);
  for (size_t i = 0; i < models_.size(); ++i) {
    LeaveOutGenotypes(models_[i].tables(), stops_[i].markers(), genotypes.data(), forward.data(), left_out_.data());
    std::ranges::transform(sum_, left_out_, sum_.begin(), std::plus());
  }
}

}  // namespace

std::vector<float> LeaveOneOutFromAncestors(std::span<const AncestralHaplotypes> models, const WindowStudy& study,
                                            MarkerRange markers) {
  std::vector<uint32_t> typed;
  for (const uint32_t m : study.typed()) typed.push_back(static_cast<uint32_t>(m - markers.begin));
  std::vector<AncestorStops> stops;
  for (const AncestralHaplotypes& model : models) stops.emplace_back(model, typed);
  const bool is_outbred = study.IsOutbred();
  std::vector<float> result(study.samples().num_haplotypes() * markers.size());
  tbb::parallel_for(size_t{0}, study.samples().num_samples(), [&](size_t s) {
    float* out = &result[study.samples().first_haplotype[s] * markers.size()];
    SampleFromAncestors(models, stops, study, markers, s).Run(is_outbred, out);
  });
  return result;
}

}  // namespace haplospin
