#include "learning/imputer_training/imputer_network.h"

#include <gtest/gtest.h>
#include <torch/optim/adam.h>

#include <algorithm>
#include <memory>

#include "genotypes/imputation/models/network/cpu_network.h"
#include "genotypes/imputation/models/network/network_fixtures.h"
#include "learning/imputer_training/tiny_training.h"

namespace haplospin {
namespace {

// The vector kernels' answer to the episodes: [markers].
std::vector<float> RunKernels(const EpisodeBatch& batch, const ImputerWeights& weights) {
  std::vector<float> p(batch.interval.size(), -1);
  CopyFeatures features;
  size_t v = 0;
  for (size_t i = 0; i < batch.count.size(); ++i) {
    PanelFeatures panel;
    std::copy_n(&batch.panel_features[i * panel.size()], panel.size(), panel.begin());
    const CpuNetwork network(weights, panel);
    CpuComputation computation(network);
    const size_t size = kNumCopyFeatures * kMaxCandidates;
    std::copy_n(batch.features.begin() + static_cast<ptrdiff_t>(i * size), size, &features.values[0][0]);
    std::copy_n(&batch.at_left[i * kMaxCandidates], kMaxCandidates, features.at_left);
    std::copy_n(&batch.at_right[i * kMaxCandidates], kMaxCandidates, features.at_right);
    const auto count = static_cast<size_t>(batch.count[i]);
    computation.AddInterval(features, count);
    for (; v < p.size() && batch.interval[v] == static_cast<int64_t>(i); ++v) {
      CandidateMask carriers;
      for (size_t k = 0; k < count; ++k) {
        if (batch.carriers[v * kMaxCandidates + k] != 0) carriers.Set(k);
      }
      const float* row = &batch.marker_features[v * kNumMarkerFeatures];
      namespace column = marker_feature;
      computation.AddMarker({.minor_frequency = row[column::kMinorFrequency],
                             .logit_frequency = row[column::kLogitFrequency],
                             .log_carriers = row[column::kLogCarriers],
                             .log_non_carriers = row[column::kLogNonCarriers],
                             .log_distance = row[column::kLogDistance],
                             .in_interval = row[column::kPlace],
                             .regression_r2 = row[column::kRegressionR2]},
                            row[column::kRegression], carriers, &p[v]);
    }
    computation.Compute();
  }
  return p;
}

TEST(ImputerNetwork, AgreesWithTheVectorKernels) {
  const EpisodeBatch batch = DrawTinyBatch(TinyPanels(), 1);
  for (const ImputerWeights& weights :
       {LiStephensWeights(), RandomWeights(1), RandomWeights(2, 32, 32), RandomWeights(3, 128, 4)}) {
    const torch::NoGradGuard no_grad;
    const torch::Tensor p = NetworkOf(weights)->Forward(EpisodeTensors(batch, torch::kCPU));
    const std::vector<float> expected = RunKernels(batch, weights);
    ASSERT_EQ(p.numel(), static_cast<int64_t>(expected.size()));
    ASSERT_GT(expected.size(), 100u);
    for (size_t v = 0; v < expected.size(); ++v) ASSERT_NEAR(p[v].item<float>(), expected[v], 1e-4) << v;
  }
}

TEST(ImputerNetwork, UntrainedIsTheLiStephensModelButForThePanelsShare) {
  const EpisodeTensors episodes(DrawTinyBatch(TinyPanels(), 2), torch::kCPU);
  const torch::NoGradGuard no_grad;
  ImputerNetwork network(8, 8);
  const torch::Tensor share = torch::sigmoid(network->panel_share);
  const torch::Tensor frequency = episodes.marker_features.select(1, 0);
  const torch::Tensor expected = (1 - share) * CopyingProbabilities(episodes) + share * frequency;
  EXPECT_LT((network->Forward(episodes) - expected).abs().max().item<double>(), 1e-4);
  EpisodeBatch agreed;  // markers at which all candidates agree, which so small a panel does not have
  agreed.plain_frequency = {0.1f, 0.2f};
  agreed.plain_candidate = {0, 1};
  agreed.plain_truth = {0, 1};
  const EpisodeTensors plain(agreed, torch::kCPU);
  const torch::Tensor expected_plain = (1 - share) * plain.plain_candidate + share * plain.plain_frequency;
  EXPECT_LT((network->Plain(plain) - expected_plain).abs().max().item<double>(), 1e-6);
  EXPECT_LT(share.item<double>(), 0.01);
}

TEST(ImputerNetwork, ProbabilitiesAreProbabilities) {
  const EpisodeTensors episodes(DrawTinyBatch(TinyPanels(), 3), torch::kCPU);
  ImputerWeights weights = RandomWeights(5);
  for (float& w : weights.allele.weight3) w *= 1000;  // saturated
  for (float& w : weights.copy.weight3) w *= 1000;
  const torch::NoGradGuard no_grad;
  const torch::Tensor p = NetworkOf(weights)->Forward(episodes);
  EXPECT_TRUE(((p >= 0) & (p <= 1)).all().item<bool>());
}

void ExpectFiniteGradients(ImputerNetwork network, const EpisodeTensors& episodes) {
  const torch::Tensor p = torch::cat({network->Forward(episodes), network->Plain(episodes)});
  const torch::Tensor truth = torch::cat({episodes.truth, episodes.plain_truth});
  torch::binary_cross_entropy(p.clamp(1e-6, 1 - 1e-6), truth).backward();
  for (const auto& parameter : network->named_parameters()) {
    ASSERT_TRUE(parameter.value().grad().defined()) << parameter.key();
    EXPECT_TRUE(torch::isfinite(parameter.value().grad()).all().item<bool>()) << parameter.key();
  }
}

TEST(ImputerNetwork, GradientsAreFinite) {
  const EpisodeBatch batch = DrawTinyBatch(TinyPanels(), 4);
  ExpectFiniteGradients(ImputerNetwork(8, 8), EpisodeTensors(batch, torch::kCPU));
  ExpectFiniteGradients(RandomNetwork(6), EpisodeTensors(batch, torch::kCPU));
  // Attention on one candidate alone, and on none of the carriers.
  EpisodeBatch sharp = batch;
  for (float& feature : sharp.features) feature *= 20;
  ExpectFiniteGradients(RandomNetwork(6), EpisodeTensors(sharp, torch::kCPU));
}

TEST(ImputerNetwork, EveryParameterLearns) {
  ImputerNetwork network = RandomNetwork(7);
  const EpisodeTensors episodes(DrawTinyBatch(TinyPanels(), 5), torch::kCPU);
  torch::binary_cross_entropy(network->Forward(episodes), episodes.truth).backward();
  for (const auto& parameter : network->named_parameters()) {
    EXPECT_GT(parameter.value().grad().abs().max().item<double>(), 0) << parameter.key();
  }
}

// Fitted to one batch it must explain it better than the copying model that it starts as.
TEST(ImputerNetwork, LearnsABatch) {
  torch::manual_seed(1);
  const EpisodeTensors episodes(DrawTinyBatch(TinyPanels(), 6), torch::kCPU);
  ImputerNetwork network(8, 8);
  const auto loss = [&] {
    return torch::binary_cross_entropy(network->Forward(episodes).clamp(1e-6, 1 - 1e-6), episodes.truth);
  };
  const double before = loss().item<double>();
  torch::optim::Adam optimizer(network->parameters(), 1e-2);
  for (int step = 0; step < 60; ++step) {
    optimizer.zero_grad();
    loss().backward();
    optimizer.step();
  }
  EXPECT_LT(loss().item<double>(), 0.9 * before);
}

TEST(ImputerNetwork, WeightsSurviveTheWayToTheKernelsAndBack) {
  const ImputerWeights weights = RandomWeights(8, 12, 20);
  const ImputerWeights back = ToWeights(NetworkOf(weights));
  EXPECT_EQ(ToSafetensors(back).tensors.size(), ToSafetensors(weights).tensors.size());
  for (const auto& [name, tensor] : ToSafetensors(weights).tensors) {
    const TensorData other = ToSafetensors(back).tensors.at(name);
    EXPECT_EQ(other.shape, tensor.shape) << name;
    EXPECT_EQ(other.values, tensor.values) << name;
  }
}

}  // namespace
}  // namespace haplospin
