#include "imputer_training/device/candidate_features.h"

#include <ATen/Context.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "haplospin/study_genotypes.h"
#include "imputation/copying/ancestry.h"
#include "imputation/copying/match_features.h"
#include "imputation/copying/panel_populations.h"

namespace haplospin {
namespace {

using torch::Tensor;

// While an object exists, index_add_() on a GPU adds in the same order in each run. Matrix products must not run then:
// they would require a setting of the environment.
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

// The shares of U people: a person is a pair of a study sample and a panel sample among its candidates. The window has
// B blocks; there are G study samples, and K populations.
class SampleShares {
 public:
  SampleShares(const WindowTensors& window, const TargetSamples& targets, const CandidateTensors& candidates);

  // Returns the log of a person's share in the copying outside a block and its neighbors, relative to equal shares:
  // [B, U].
  Tensor LogShares() const;

  // Returns the same for the whole window, spread over the populations that the study sample resembles: [U].
  Tensor PopulationLogShares();

  const Tensor& person() const { return person_; }  // [A, T, C] index of people

 private:
  void CountCopied(const Tensor& shares);
  Tensor PopulationShares(const Tensor& mixture) const;
  Tensor UpdatedMixture(const Tensor& mixture) const;

  const WindowTensors& window_;
  int64_t num_samples_, num_people_;
  Tensor person_;         // [A, T, C]
  Tensor product_;        // [A, T, C] of copying probabilities; 0 except for candidates of a most probable phase
  Tensor study_sample_;   // [U]
  Tensor of_population_;  // [U, K] shares of the people's panel samples
  Tensor copied_;         // [B, U] length that is copied, cM
  Tensor everywhere_;     // [U] cM
  Tensor block_length_;   // [B, G] length of all haplotypes, cM
  Tensor length_;         // [G] cM
};

SampleShares::SampleShares(const WindowTensors& window, const TargetSamples& targets,
                           const CandidateTensors& candidates)
    : window_(window), num_samples_(targets.num_samples) {
  const Tensor sample = targets.sample.view({1, -1, 1});
  const Tensor panel_sample = window.sample_of.take(candidates.haplotype);
  // Slots without a candidate get an existing person; no share depends on them.
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

// Computes what is copied where people have the weights `shares` [U].
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

// Returns the mixture after a round of expectation-maximization, as PanelPopulations::Update().
Tensor SampleShares::UpdatedMixture(const Tensor& mixture) const {
  namespace m = population_mixture;
  const Tensor scale =
      torch::where(length_ > 0, (m::kMaxObservations / length_).clamp_max(m::kObservationsPerCentimorgan), 0);  // [G]
  const Tensor joint = mixture.index_select(0, study_sample_) * of_population_;
  const Tensor weight = scale.index_select(0, study_sample_) * everywhere_ / (joint.sum(1) + m::kMinProbability);
  const Tensor updated = torch::full_like(mixture, m::kPrior).index_add_(0, study_sample_, joint * weight.unsqueeze(1));
  return updated / updated.sum(1, /*keepdim=*/true);
}

Tensor LogDistance(const Tensor& centimorgans) {
  return (centimorgans.clamp_min(0) + kMinCentimorgans).log() * kMismatchScale;
}

Tensor LogInformation(const Tensor& information) { return (information.clamp_min(0) + 1).log() * kMismatchScale; }

// The mismatches of U pairs of a target and a haplotype.
class Mismatches {
 public:
  Mismatches(const WindowTensors& window, const TargetTensors& targets, const Tensor& target, const Tensor& haplotype)
      : num_typed_(window.num_typed) {
    const auto of_pairs = [](const Tensor& rows, const Tensor& index) { return rows.index_select(0, index); };
    const Tensor differs = of_pairs(window.rows, haplotype)
                               .bitwise_xor(of_pairs(targets.bits, target))
                               .bitwise_and(of_pairs(targets.observed, target));
    const Tensor is_mismatch = UnpackBits(differs).narrow(1, 0, num_typed_);  // [U, J]
    const Tensor markers = torch::arange(num_typed_, differs.options().dtype(torch::kInt));
    const Tensor last = std::get<0>(torch::where(is_mismatch, markers, -1).cummax(1));
    before_ = torch::constant_pad_nd(last, {1, 0}, -1);
    const Tensor next = std::get<0>(torch::where(is_mismatch, markers, num_typed_).flip(1).cummin(1)).flip(1);
    after_ = torch::constant_pad_nd(next, {0, 2}, num_typed_);
  }

  // Returns the last mismatch of a pair before a typed marker, or -1. `pair` and `marker` have the same shape.
  Tensor Before(const Tensor& pair, const Tensor& marker) const { return At(before_, pair, marker); }

  // Returns the first mismatch at or after a typed marker, or J. `marker` is at most J + 1.
  Tensor After(const Tensor& pair, const Tensor& marker) const { return At(after_, pair, marker); }

 private:
  static Tensor At(const Tensor& table, const Tensor& pair, const Tensor& marker) {
    return table.flatten().take(pair * table.size(1) + marker).to(torch::kLong);
  }

  int64_t num_typed_;
  Tensor before_;  // [U, J + 1] int32
  Tensor after_;   // [U, J + 2] int32
};

}  // namespace

void AddSampleShares(const WindowTensors& window, const TargetSamples& targets, CandidateTensors& candidates) {
  const DeterministicSums deterministic;
  SampleShares shares(window, targets, candidates);
  const Tensor log_shares = shares.LogShares();
  const Tensor at = window.block.view({-1, 1, 1}) * log_shares.size(1) + shares.person();
  candidates.sample_share = log_shares.flatten().take(at);
  candidates.population_share = shares.PopulationLogShares().take(shares.person());
}

TargetTensors::TargetTensors(const TypedPanel& panel, std::span<const TargetHaplotype* const> targets,
                             torch::Device device) {
  const auto count = static_cast<int64_t>(targets.size());
  const size_t words = panel.rows().words(), typed = panel.num_typed();
  const size_t row_bytes = words * sizeof(uint64_t);
  const auto bytes = static_cast<int64_t>(row_bytes);
  bits = torch::empty({count, bytes}, torch::kByte);
  observed = torch::empty({count, bytes}, torch::kByte);
  information = torch::zeros({count, static_cast<int64_t>(typed) + 1});
  tbb::parallel_for(int64_t{0}, count, [&](int64_t t) {
    const TargetHaplotype& target = *targets[static_cast<size_t>(t)];
    std::memcpy(bits.data_ptr<uint8_t>() + t * bytes, target.bits.data(), row_bytes);
    std::memcpy(observed.data_ptr<uint8_t>() + t * bytes, target.observed.data(), row_bytes);
    float* matched = information.data_ptr<float>() + t * information.size(1);
    for (size_t j = 0; j < typed; ++j) {
      const uint8_t allele = target.alleles[j];
      matched[j + 1] = matched[j] + (allele == kMissingAllele ? 0.0f : panel.information(j, allele));
    }
  });
  for (Tensor* tensor : {&bits, &observed, &information}) *tensor = tensor->to(device);
}

TargetTensors TargetTensors::Narrow(int64_t first, int64_t count) const {
  TargetTensors part;
  part.bits = bits.narrow(0, first, count);
  part.observed = observed.narrow(0, first, count);
  part.information = information.narrow(0, first, count);
  return part;
}

CandidateTensors CandidateTensors::Narrow(int64_t first, int64_t count) const {
  const auto part = [&](const Tensor& all) { return all.narrow(1, first, count); };
  return {.used = part(used),
          .haplotype = part(haplotype),
          .forward = part(forward),
          .backward = part(backward),
          .at_left = part(at_left),
          .at_right = part(at_right),
          .sample_share = part(sample_share),
          .population_share = part(population_share)};
}

Tensor CopyFeaturesOf(const WindowTensors& window, const TargetTensors& targets, const CandidateTensors& candidates) {
  const auto options = window.anchors.options();
  const int64_t num_targets = targets.bits.size(0), num_intervals = window.num_typed + 1;
  const Tensor target = torch::arange(num_targets, options).view({1, -1, 1});

  // A haplotype is compared with a target only once, even if it is a candidate in many anchors.
  const Tensor keys = (target * window.num_haplotypes + candidates.haplotype).masked_fill(~candidates.used, 0);
  const auto [pairs, pair, counts] = torch::_unique2(keys, /*sorted=*/true, /*return_inverse=*/true);
  const Tensor of_haplotype = pairs.remainder(window.num_haplotypes);
  const Mismatches mismatches(window, targets, pairs.div(window.num_haplotypes, "floor"), of_haplotype);

  const Tensor middle = window.middle.view({-1, 1, 1});
  const Tensor interval = window.anchors.view({-1, 1, 1}).expand_as(pair);
  const auto position = [&](const Tensor& entry) { return window.centimorgans.take(entry); };
  const auto information = [&](const Tensor& marker) {
    return targets.information.flatten().take(target * num_intervals + marker);
  };

  namespace row = copy_feature;
  std::vector<Tensor> features(kNumCopyFeatures);
  Tensor marker = interval, matched = information(interval);
  for (size_t u = 0; u < kMismatches; ++u) {  // entry at + 1 of the positions is typed marker `at`
    const Tensor at = mismatches.Before(pair, marker);
    features[row::kLeft + 2 * u] = LogDistance(middle - position(at + 1));
    features[row::kLeft + 2 * u + 1] = LogInformation(matched - information(at + 1));
    marker = at.clamp_min(0);
    matched = information(marker);
  }
  marker = interval;
  matched = information(interval);
  for (size_t u = 0; u < kMismatches; ++u) {
    const Tensor at = mismatches.After(pair, marker);
    features[row::kRight + 2 * u] = LogDistance(position(at + 1) - middle);
    features[row::kRight + 2 * u + 1] = LogInformation(information(at) - matched);
    marker = at + 1;
    matched = information(marker.clamp_max(window.num_typed));
  }
  const auto log_probability = [&](const Tensor& p) {
    return p.clamp_min(kMinCopyingProbability).log() / kLogProbabilityUnit;
  };
  const auto to_best = [&](const Tensor& log_p) {
    return log_p - log_p.masked_fill(~candidates.used, -INFINITY).amax({-1}, /*keepdim=*/true);
  };
  features[row::kLogForward] = log_probability(candidates.forward);
  features[row::kLogBackward] = log_probability(candidates.backward);
  features[row::kLogForwardToBest] = to_best(features[row::kLogForward]);
  features[row::kLogBackwardToBest] = to_best(features[row::kLogBackward]);
  features[row::kLogSampleShare] = candidates.sample_share * kAncestryScale;
  features[row::kLogPopulationShare] = candidates.population_share * kAncestryScale;
  return torch::stack(features, -1);
}

}  // namespace haplospin
