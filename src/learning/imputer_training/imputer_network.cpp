#include "learning/imputer_training/imputer_network.h"

#include <torch/nn/init.h>

namespace haplospin {
namespace {

torch::nn::Sequential Mlp(int64_t inputs, int64_t hidden) {
  const auto activation = [] {
    return torch::nn::Functional([](const torch::Tensor& x) { return torch::hardswish(x); });
  };
  torch::nn::Sequential mlp(torch::nn::Linear(inputs, hidden), activation(), torch::nn::Linear(hidden, hidden),
                            activation(), torch::nn::Linear(hidden, 1));
  // The last layer is initialized to zero, so that the untrained network is the Li-Stephens model.
  auto* last = mlp[4]->as<torch::nn::Linear>();
  torch::nn::init::zeros_(last->weight);
  torch::nn::init::zeros_(last->bias);
  return mlp;
}

// inputs [..., n], panel [..., P], of the same or smaller sizes: [...].
torch::Tensor RunMlp(torch::nn::Sequential& mlp, const torch::Tensor& inputs, const torch::Tensor& panel) {
  std::vector<int64_t> sizes = inputs.sizes().vec();
  sizes.back() = panel.size(-1);
  return mlp->forward(torch::cat({inputs, panel.expand(sizes)}, -1)).squeeze(-1);
}

torch::Tensor Scaled(const torch::Tensor& logit) { return logit.clamp(-kMaxLogit, kMaxLogit) * (1 / kAttentionUnit); }

torch::Tensor SafeLog(const torch::Tensor& weight) { return weight.clamp_min(kMinAttention).log(); }

torch::Tensor Logit(const torch::Tensor& p, float bound) {
  const torch::Tensor bounded = p.clamp(bound, 1 - bound);
  return bounded.log() - (1 - bounded).log();
}

template <typename T>
torch::Tensor Copied(const std::vector<T>& values, at::IntArrayRef shape, torch::ScalarType type) {
  return torch::from_blob(const_cast<T*>(values.data()), shape, type).clone();
}

std::vector<float> Values(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().cpu().contiguous().flatten();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

// The weights of the candidates at each marker, from those in the middle of the intervals: [V, S].
torch::Tensor WeightsAtMarkers(const torch::Tensor& weights, const NetworkTensors& e) {
  const auto at_markers = [&](const torch::Tensor& at_end) {
    const torch::Tensor moved = weights * at_end;
    return (moved / moved.sum(1, /*keepdim=*/true).clamp_min(kMinAttention)).index_select(0, e.interval);
  };
  const torch::Tensor place = e.marker_features.select(1, marker_feature::kPlace).unsqueeze(1);
  return (1 - place) * at_markers(e.at_left) + place * at_markers(e.at_right);
}

MlpWeights ToMlpWeights(torch::nn::Sequential mlp) {
  const auto* first = mlp[0]->as<torch::nn::Linear>();
  const auto* second = mlp[2]->as<torch::nn::Linear>();
  const auto* third = mlp[4]->as<torch::nn::Linear>();
  return {.inputs = static_cast<size_t>(first->weight.size(1)),
          .hidden = static_cast<size_t>(first->weight.size(0)),
          .weight1 = Values(first->weight),
          .bias1 = Values(first->bias),
          .weight2 = Values(second->weight),
          .bias2 = Values(second->bias),
          .weight3 = Values(third->weight),
          .bias3 = Values(third->bias)[0]};
}

}  // namespace

NetworkTensors::NetworkTensors(const NetworkInputs& inputs, torch::Device device) {
  const auto intervals = static_cast<int64_t>(inputs.count.size());
  const auto markers = static_cast<int64_t>(inputs.interval.size());
  const auto slots = static_cast<int64_t>(kMaxCandidates);
  features = Copied(inputs.features, {intervals, static_cast<int64_t>(kNumCopyFeatures), slots}, torch::kFloat)
                 .to(device)
                 .transpose(1, 2)
                 .contiguous();
  at_left = Copied(inputs.at_left, {intervals, slots}, torch::kFloat).to(device);
  at_right = Copied(inputs.at_right, {intervals, slots}, torch::kFloat).to(device);
  panel_features =
      Copied(inputs.panel_features, {intervals, static_cast<int64_t>(kNumPanelFeatures)}, torch::kFloat).to(device);
  const torch::Tensor count = Copied(inputs.count, {intervals, 1}, torch::kLong).to(device);
  used = torch::arange(slots, torch::TensorOptions(device)).unsqueeze(0) < count;
  interval = Copied(inputs.interval, {markers}, torch::kLong).to(device);
  carriers = Copied(inputs.carriers, {markers, slots}, torch::kByte).to(device).to(torch::kBool);
  marker_features =
      Copied(inputs.marker_features, {markers, static_cast<int64_t>(kNumMarkerFeatures)}, torch::kFloat).to(device);
}

EpisodeTensors::EpisodeTensors(const EpisodeBatch& batch, torch::Device device) : NetworkTensors(batch, device) {
  const auto markers = static_cast<int64_t>(batch.truth.size());
  const auto plain = static_cast<int64_t>(batch.plain_truth.size());
  truth = Copied(batch.truth, {markers}, torch::kFloat).to(device);
  plain_frequency = Copied(batch.plain_frequency, {plain}, torch::kFloat).to(device);
  plain_candidate = Copied(batch.plain_candidate, {plain}, torch::kFloat).to(device);
  plain_truth = Copied(batch.plain_truth, {plain}, torch::kFloat).to(device);
  if (batch.weight.empty() && batch.plain_weight.empty()) return;
  weight = Copied(batch.weight, {markers}, torch::kFloat).to(device);
  plain_weight = Copied(batch.plain_weight, {plain}, torch::kFloat).to(device);
}

ImputerNetworkImpl::ImputerNetworkImpl(int64_t copy_hidden, int64_t allele_hidden)
    : copying(register_parameter("copying", torch::ones({2}))),
      panel_share(register_parameter("panel_share", torch::full({1}, -7.0))),
      copy(register_module("copy", Mlp(kNumCopyFeatures + kNumPanelFeatures, copy_hidden))),
      allele(register_module("allele", Mlp(kNumAlleleFeatures + kNumPanelFeatures, allele_hidden))) {}

torch::Tensor ImputerNetworkImpl::Forward(const NetworkTensors& e) {
  torch::Tensor logits = kLogProbabilityUnit * (copying[0] * e.features.select(2, copy_feature::kLogForward) +
                                                copying[1] * e.features.select(2, copy_feature::kLogBackward)) +
                         kCopyScale * RunMlp(copy, e.features, e.panel_features.unsqueeze(1));
  logits = logits.masked_fill(~e.used, kUnusedLogit);
  const torch::Tensor weights = torch::softmax(logits, 1);
  const torch::Tensor log_sum = torch::logsumexp(logits, 1);
  const torch::Tensor log_squares = (weights * weights).sum(1).log();
  const torch::Tensor num_candidates = e.used.sum(1).to(torch::kFloat);

  const torch::Tensor marker_logits = logits.index_select(0, e.interval);
  const torch::Tensor marker_weights = WeightsAtMarkers(weights, e);
  const torch::Tensor carrying = e.carriers.to(torch::kFloat);
  const torch::Tensor inside = (marker_weights * carrying).sum(1);
  const torch::Tensor outside = (marker_weights * (1 - carrying)).sum(1);
  const auto [best_inside, best_inside_at] = marker_logits.masked_fill(~e.carriers, kUnusedLogit).max(1);
  const auto [best_outside, best_outside_at] = marker_logits.masked_fill(e.carriers, kUnusedLogit).max(1);

  const torch::Tensor share = torch::sigmoid(panel_share);
  const torch::Tensor logit =
      Logit((1 - share) * inside + share * e.marker_features.select(1, marker_feature::kMinorFrequency),
            kMinAlleleProbability);
  const torch::Tensor marker_log_sum = log_sum.index_select(0, e.interval);
  const torch::Tensor log_inside = SafeLog(inside) + marker_log_sum;
  const torch::Tensor log_outside = SafeLog(outside) + marker_log_sum;

  namespace row = allele_feature;
  std::vector<torch::Tensor> rows(kNumAlleleFeatures);
  rows[row::kLogit] = logit / kLogitUnit;
  rows[row::kLogitFrequency] = e.marker_features.select(1, marker_feature::kLogitFrequency);
  rows[row::kBestAdvantage] = Scaled(best_inside - best_outside);
  rows[row::kSumAdvantage] = Scaled(log_inside - log_outside);
  rows[row::kCarriersSum] = Scaled(log_inside);
  rows[row::kOthersSum] = Scaled(log_outside);
  rows[row::kLogSquares] = log_squares.index_select(0, e.interval);
  rows[row::kCarrierShare] = carrying.sum(1) / num_candidates.index_select(0, e.interval);
  rows[row::kLogCarriers] = e.marker_features.select(1, marker_feature::kLogCarriers);
  rows[row::kLogNonCarriers] = e.marker_features.select(1, marker_feature::kLogNonCarriers);
  for (size_t f = 0; f < kNumBestFeatures; ++f) {
    const torch::Tensor feature = e.features.select(2, static_cast<int64_t>(kBestFeatures[f]));
    rows[row::kBestCarrier + f] = feature.index({e.interval, best_inside_at});
    rows[row::kBestOther + f] = feature.index({e.interval, best_outside_at});
  }
  rows[row::kLogDistance] = e.marker_features.select(1, marker_feature::kLogDistance);
  rows[row::kRegressionLogit] =
      Logit(e.marker_features.select(1, marker_feature::kRegression), kMinRegression) / kLogitUnit;
  rows[row::kRegressionR2] = e.marker_features.select(1, marker_feature::kRegressionR2);
  const torch::Tensor panel = e.panel_features.index_select(0, e.interval);
  return torch::sigmoid(logit + RunMlp(allele, torch::stack(rows, 1), panel));
}

torch::Tensor ImputerNetworkImpl::Plain(const EpisodeTensors& e) {
  const torch::Tensor share = torch::sigmoid(panel_share);
  return (1 - share) * e.plain_candidate + share * e.plain_frequency;
}

torch::Tensor CopyingProbabilities(const NetworkTensors& e) {
  const torch::Tensor logits = kLogProbabilityUnit * (e.features.select(2, copy_feature::kLogForward) +
                                                      e.features.select(2, copy_feature::kLogBackward));
  const torch::Tensor weights = torch::softmax(logits.masked_fill(~e.used, kUnusedLogit), 1);
  return (WeightsAtMarkers(weights, e) * e.carriers.to(torch::kFloat)).sum(1);
}

ImputerWeights ToWeights(const ImputerNetwork& network) {
  const std::vector<float> copying = Values(network->copying);
  return {.forward = copying[0],
          .backward = copying[1],
          .copy = ToMlpWeights(network->copy),
          .allele = ToMlpWeights(network->allele),
          .panel_share = Values(network->panel_share)[0]};
}

}  // namespace haplospin
