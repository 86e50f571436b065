#include "imputer_training/device/sample_shares.h"

#include <ATen/Context.h>

#include <algorithm>

#include "imputation/copying/ancestry.h"
#include "imputation/copying/panel_populations.h"

namespace haplospin {
namespace {

using torch::Tensor;

// index_add_() on a GPU adds in the same order in each run. Not for matrix products, which would then want a setting of
// the environment.
class DeterministicSums {
 public:
  DeterministicSums() : before_(at::globalContext().deterministicAlgorithms()) {
    at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
  }
  ~DeterministicSums() { at::globalContext().setDeterministicAlgorithms(before_, /*warn_only=*/false); }
  DeterministicSums(const DeterministicSums&) = delete;

 private:
  bool before_;
};

// U people: pairs of a study sample and a panel sample among its candidates. B blocks of the window, G study samples, K
// populations.
class SampleShares {
 public:
  SampleShares(const WindowTensors& window, const TargetSamples& targets, const CandidateTensors& candidates);

  // [B, U] the log of a person's share in the copying outside a block and its neighbors, relative to equal shares.
  Tensor LogShares() const;

  // [U] the same for the whole window, spread over the populations that the study sample resembles.
  Tensor PopulationLogShares();

  const Tensor& person() const { return person_; }  // [A, T, C] index of people

 private:
  void CountCopied(const Tensor& shares);
  Tensor PopulationShares(const Tensor& mixture) const;
  Tensor UpdatedMixture(const Tensor& mixture) const;

  const WindowTensors& window_;
  int64_t num_samples_, num_people_;
  Tensor person_;         // [A, T, C]
  Tensor product_;        // [A, T, C] of copying probabilities: 0 where no candidate of a most probable phase is
  Tensor study_sample_;   // [U]
  Tensor of_population_;  // [U, K] shares of the people's panel samples
  Tensor copied_;         // [B, U] cM
  Tensor everywhere_;     // [U] cM
  Tensor block_length_;   // [B, G] cM, of all haplotypes
  Tensor length_;         // [G]
};

SampleShares::SampleShares(const WindowTensors& window, const TargetSamples& targets,
                           const CandidateTensors& candidates)
    : window_(window), num_samples_(targets.num_samples) {
  const Tensor sample = targets.sample.view({1, -1, 1});
  const Tensor panel_sample = window.sample_of.take(candidates.haplotype);
  // Where no candidate is, a person that is there anyway: no share depends on these.
  const Tensor keys = sample * window.num_samples + panel_sample;
  const Tensor any = keys.masked_select(candidates.used).min();
  const auto [people, person, counts] =
      torch::_unique2(torch::where(candidates.used, keys, any), /*sorted=*/true, /*return_inverse=*/true);
  num_people_ = people.numel();
  person_ = person;
  study_sample_ = people.div(window.num_samples, "floor");
  of_population_ = window.population_shares.index_select(0, people.remainder(window.num_samples));
  product_ = candidates.forward * candidates.backward * targets.is_most_probable.view({1, -1, 1});
  product_ = product_.masked_fill(~candidates.used, 0);

  const Tensor haplotypes =
      torch::zeros({num_samples_}, window.length.options()).index_add_(0, targets.sample, targets.is_most_probable);
  const Tensor of_blocks =
      torch::zeros({window.num_blocks}, window.length.options()).index_add_(0, window.block, window.length);
  block_length_ = of_blocks.unsqueeze(1) * haplotypes;
  length_ = block_length_.sum(0);
  CountCopied(torch::ones({num_people_}, window.length.options()));
}

// Where `shares` [U] weighs the people.
void SampleShares::CountCopied(const Tensor& shares) {
  const Tensor weights = product_ * shares.take(person_);
  const Tensor total = weights.sum(-1, /*keepdim=*/true);
  const Tensor length = window_.length.view({-1, 1, 1});
  const Tensor copied = torch::where(total > 0, weights * length / total, 0);
  const Tensor at = window_.block.view({-1, 1, 1}) * num_people_ + person_;
  copied_ = torch::zeros({window_.num_blocks * num_people_}, copied.options())
                .index_add_(0, at.flatten(), copied.flatten())
                .view({window_.num_blocks, num_people_});
  everywhere_ = copied_.sum(0);
}

Tensor SampleShares::LogShares() const {
  const auto outside = [](const Tensor& of_blocks, const Tensor& all) {
    const Tensor padded = torch::constant_pad_nd(of_blocks, {0, 0, 1, 1});
    const int64_t blocks = of_blocks.size(0);
    return (all - padded.narrow(0, 0, blocks) - of_blocks - padded.narrow(0, 2, blocks)).clamp_min(0);
  };
  const Tensor length = outside(block_length_, length_).index_select(1, study_sample_);
  const Tensor copied = outside(copied_, everywhere_) * static_cast<double>(window_.num_samples);
  return ((copied + ancestry::kEvenCentimorgans) / (length + ancestry::kEvenCentimorgans)).log();
}

Tensor SampleShares::PopulationLogShares() {
  const int64_t populations = of_population_.size(1);
  Tensor mixture =
      torch::full({num_samples_, populations}, 1.0 / static_cast<double>(populations), everywhere_.options());
  Tensor shares;
  for (int round = 0; round < ancestry::kCopyingRounds; ++round) {
    if (round > 0) CountCopied(shares);
    for (int update = 0; update < ancestry::kMixtureRounds; ++update) mixture = UpdatedMixture(mixture);
    shares = PopulationShares(mixture);
  }
  return shares.log();
}

Tensor SampleShares::PopulationShares(const Tensor& mixture) const {
  const Tensor shares = (mixture.index_select(0, study_sample_) * of_population_).sum(1);
  return (shares * static_cast<double>(window_.num_samples)).clamp_min(population_mixture::kMinShare);
}

// One round of expectation-maximization: PanelPopulations::Update().
Tensor SampleShares::UpdatedMixture(const Tensor& mixture) const {
  namespace m = population_mixture;
  const Tensor scale =
      torch::where(length_ > 0, (m::kMaxObservations / length_).clamp_max(m::kObservationsPerCentimorgan), 0);  // [G]
  const Tensor joint = mixture.index_select(0, study_sample_) * of_population_;
  const Tensor weight = scale.index_select(0, study_sample_) * everywhere_ / (joint.sum(1) + m::kMinProbability);
  const Tensor updated = torch::full_like(mixture, m::kPrior).index_add_(0, study_sample_, joint * weight.unsqueeze(1));
  return updated / updated.sum(1, /*keepdim=*/true);
}

}  // namespace

void AddSampleShares(const WindowTensors& window, const TargetSamples& targets, CandidateTensors& candidates) {
  const DeterministicSums deterministic;
  SampleShares shares(window, targets, candidates);
  const Tensor log_shares = shares.LogShares();
  const Tensor at = window.block.view({-1, 1, 1}) * log_shares.size(1) + shares.person();
  candidates.sample_share = log_shares.flatten().take(at);
  candidates.population_share = shares.PopulationLogShares().take(shares.person());
}

}  // namespace haplospin
