#include "genotypes/imputation/models/clusters/left_out_alleles.h"

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

// The samples of a study with one model.
class StudyByModel {
 public:
  StudyByModel(const ClusterModel& model, const WindowStudy& study, MarkerRange markers)
      : model_(model), study_(study), begin_(markers.begin), is_outbred_(study.IsOutbred()), steps_(model, Typed()) {}

  // Adds the probabilities of a sample to those of its haplotypes: [haplotypes, markers].
  void Add(size_t sample, float* sums);

 private:
  std::vector<uint32_t> Typed() const;
  void ImputeHaplotype(size_t sample, size_t haplotype, std::vector<float>& left_out);
  void ImputePair(size_t sample, std::vector<float>& left_out);

  const ClusterModel& model_;
  const WindowStudy& study_;
  const size_t begin_;
  const bool is_outbred_;
  const ClusterSteps steps_;
  tbb::enumerable_thread_specific<std::vector<float>> forward_;
};

std::vector<uint32_t> StudyByModel::Typed() const {
  std::vector<uint32_t> typed(study_.typed().begin(), study_.typed().end());
  for (uint32_t& m : typed) m -= static_cast<uint32_t>(begin_);
  return typed;
}

void StudyByModel::Add(size_t sample, float* sums) {
  const auto ploidy = static_cast<size_t>(study_.samples().ploidy(sample));
  const bool is_pair = ploidy == 2 && is_outbred_ && !HasPhase(study_, sample);
  std::vector<float> left_out(model_.tables().markers);
  if (is_pair) ImputePair(sample, left_out);
  for (size_t c = 0; c < ploidy; ++c, sums += left_out.size()) {
    if (!is_pair && (is_outbred_ || c == 0)) ImputeHaplotype(sample, is_outbred_ ? c : ploidy, left_out);
    std::transform(left_out.begin(), left_out.end(), sums, sums, std::plus());
  }
}

// Imputes a haplotype of the sample or, with its ploidy as the index, the one that an inbred sample has twice.
void StudyByModel::ImputeHaplotype(size_t sample, size_t haplotype, std::vector<float>& left_out) {
  std::vector<uint8_t> alleles(left_out.size(), kMissingAllele);
  for (size_t j = 0; j < study_.num_typed(); ++j) {
    const std::span<const uint8_t> given = study_.Genotype(j, sample);
    uint8_t& allele = alleles[study_.typed()[j] - begin_];
    if (haplotype < given.size()) allele = given[haplotype];
    if (haplotype == given.size() && given.front() == given.back()) allele = given.front();
  }
  std::vector<float>& forward = forward_.local();
  forward.resize(left_out.size() * kManyClusters);
  LeaveOutAlleles(model_.tables(), alleles.data(), forward.data(), left_out.data());
}

void StudyByModel::ImputePair(size_t sample, std::vector<float>& left_out) {
  std::vector<ClusterLikelihoods> likelihoods(left_out.size(), {1, 1, 1});
  for (size_t j = 0; j < study_.num_typed(); ++j) {
    const std::span<const uint8_t> given = study_.Genotype(j, sample);
    if (HasMissing(given)) continue;
    ClusterLikelihoods& genotype = likelihoods[study_.typed()[j] - begin_] = {0, 0, 0};
    genotype[size_t{given[0]} + given[1]] = 1;
  }
  std::vector<float>& forward = forward_.local();
  forward.resize(steps_.steps().typed.size() * kManyClusters * kManyClusters);
  std::vector<float> both(left_out.size());
  LeaveOutGenotypes(model_.tables(), steps_.steps(), likelihoods.data(), forward.data(), left_out.data(), both.data());
}

}  // namespace

std::vector<float> LeaveOneOut(std::span<const ClusterModel> models, const WindowStudy& study, MarkerRange markers) {
  std::vector<float> result(study.samples().num_haplotypes() * markers.size());
  // The tables of one model at a time are in memory.
  for (const ClusterModel& model : models) {
    StudyByModel by_model(model, study, markers);
    tbb::parallel_for(size_t{0}, study.samples().num_samples(),
                      [&](size_t s) { by_model.Add(s, &result[study.samples().first_haplotype[s] * markers.size()]); });
  }
  for (float& p : result) p = std::clamp(p / static_cast<float>(models.size()), 0.0f, 1.0f);
  return result;
}

}  // namespace haplospin
