#include "imputer_training/device/candidate_features.h"

#include <oneapi/tbb/parallel_for.h>

#include <cstring>
#include <vector>

#include "haplospin/study_genotypes.h"
#include "imputation/copying/match_features.h"
#include "imputer_training/device/bit_tensors.h"

namespace haplospin {
namespace {

using torch::Tensor;

Tensor LogDistance(const Tensor& centimorgans) {
  return (centimorgans.clamp_min(0) + kMinCentimorgans).log() * kMismatchScale;
}

Tensor LogInformation(const Tensor& information) { return (information.clamp_min(0) + 1).log() * kMismatchScale; }

// The mismatches of pairs of a target and a haplotype. U pairs.
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

  // The last mismatch of a pair before a typed marker, or -1. `pair` and `marker` have the same shape.
  Tensor Before(const Tensor& pair, const Tensor& marker) const { return At(before_, pair, marker); }

  // The first mismatch at or after a typed marker, up to J + 1, or J.
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

TargetTensors::TargetTensors(const TypedPanel& array, std::span<const TargetHaplotype* const> targets,
                             torch::Device device) {
  const auto count = static_cast<int64_t>(targets.size());
  const size_t words = array.rows().words(), typed = array.num_typed();
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
      matched[j + 1] = matched[j] + (allele == kMissingAllele ? 0.0f : array.information(j, allele));
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

  // Each haplotype is compared with a target once, however many anchors it is a candidate in.
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
