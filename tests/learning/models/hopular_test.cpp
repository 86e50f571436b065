#include "learning/models/hopular.h"

#include <gtest/gtest.h>

#include "learning/models/random_table.h"

namespace haplospin {
namespace {

Hopular MakeHopular() {
  torch::manual_seed(3);
  Hopular hopular(HopularOptions{.attributes = kFourAttributes, .width = 8, .blocks = 2, .networks = 2});
  hopular->to(torch::kFloat64);
  hopular->eval();
  return hopular;
}

TEST(Hopular, TheOrderOfTheMemoryDoesNotMatter) {
  Hopular hopular = MakeHopular();
  const MaskedTable rows = RandomTable(5, kFourAttributes), memory = RandomTable(17, kFourAttributes);
  const torch::Tensor order = torch::randperm(17);
  EXPECT_TRUE(torch::allclose(hopular(rows, TakeRows(memory, order)), hopular(rows, memory), 1e-8, 1e-8));
}

TEST(Hopular, RowsDoNotSeeEachOther) {
  Hopular hopular = MakeHopular();
  const MaskedTable rows = RandomTable(6, kFourAttributes), memory = RandomTable(9, kFourAttributes);
  const torch::Tensor order = torch::tensor({4, 1});
  EXPECT_TRUE(torch::allclose(hopular(TakeRows(rows, order), memory), hopular(rows, memory).index_select(0, order)));
}

TEST(Hopular, ARowDoesNotRetrieveItself) {
  Hopular hopular = MakeHopular();
  MaskedTable memory = RandomTable(7, kFourAttributes);
  const torch::Tensor own = torch::arange(7);
  const torch::Tensor before = hopular(memory, memory, own);
  // Another label in the memory changes what the other rows retrieve, and only that.
  MaskedTable changed = memory;
  changed.values = memory.values.clone();
  changed.masked = memory.masked.clone();
  changed.values[3][1] += 2.0;
  changed.masked[3][1] = false;
  const torch::Tensor after = hopular(memory, changed, own);
  EXPECT_TRUE(torch::allclose(after[3], before[3]));
  EXPECT_FALSE(torch::allclose(after[2], before[2]));
  // -1 masks nothing.
  EXPECT_TRUE(torch::allclose(hopular(memory, memory, torch::full({7}, -1)), hopular(memory, memory)));
}

TEST(Hopular, MaskedValuesDoNotMatter) {
  Hopular hopular = MakeHopular();
  MaskedTable rows = RandomTable(5, kFourAttributes);
  const MaskedTable memory = RandomTable(6, kFourAttributes);
  const torch::Tensor before = hopular(rows, memory);
  rows.values = torch::where(rows.masked, torch::ones_like(rows.values), rows.values);
  EXPECT_TRUE(torch::equal(hopular(rows, memory), before));
}

TEST(Hopular, MemoryWeightsAreADistribution) {
  Hopular hopular = MakeHopular();
  const torch::Tensor weights =
      hopular->MemoryWeights(RandomTable(5, kFourAttributes), RandomTable(11, kFourAttributes));
  EXPECT_EQ(weights.sizes(), (std::vector<int64_t>{5, 11}));
  EXPECT_TRUE(torch::allclose(weights.sum(1), torch::ones({5}, torch::kFloat64)));
}

HopfieldNetworks NetworkOfIdentities(int64_t width, double beta) {
  HopfieldNetworks network(HopfieldOptions{.width = width, .association_width = width, .networks = 1, .beta = beta});
  network->to(torch::kFloat64);
  network->eval();
  const torch::NoGradGuard no_grad;
  for (torch::Tensor& weights : network->parameters()) weights.copy_(torch::eye(width));
  return network;
}

// Of many random maps W_S W_X is the identity but for chance; with beta 0 all patterns count alike.
TEST(HopfieldNetworks, StartAsASmootherWithGain) {
  torch::manual_seed(5);
  HopfieldNetworks networks(HopfieldOptions{.width = 3, .association_width = 2000, .networks = 2, .beta = 0.0});
  networks->eval();
  networks->StartAsSmoother(2.0);
  const torch::Tensor stored = torch::randn({1, 10, 3}) + 1.0;
  const torch::Tensor retrieved = networks(torch::randn({1, 4, 3}), stored);
  EXPECT_TRUE(torch::allclose(retrieved, 2.0 * stored.mean(1, true).expand_as(retrieved), 0.0, 0.2));
}

// Appendix A.7, eq. 10 to 14: with patterns (z, y), |z| = 1, the label is retrieved as kernel regression with the RBF
// kernel predicts it.
TEST(Hopular, ImitatesNadarayaWatson) {
  const double beta = 2.5;
  const int64_t n = 40, d = 5;
  const torch::Tensor z = torch::nn::functional::normalize(torch::randn({n, d}, torch::kFloat64));
  const torch::Tensor y = torch::randn({n, 1}, torch::kFloat64);
  const torch::Tensor query = torch::nn::functional::normalize(torch::randn({3, d}, torch::kFloat64));
  HopfieldNetworks network = NetworkOfIdentities(d + 1, beta);
  const torch::NoGradGuard no_grad;
  network->named_parameters()["state.weight"][d].zero_();  // the label takes no part in the comparison
  const torch::Tensor states = torch::cat({query, torch::randn({3, 1}, torch::kFloat64)}, 1);
  const torch::Tensor retrieved = network(states.unsqueeze(0), torch::cat({z, y}, 1).unsqueeze(0))[0].select(1, d);

  const torch::Tensor kernel = torch::exp(-0.5 * beta * torch::cdist(query, z).square());  // eq. 11
  EXPECT_TRUE(torch::allclose(retrieved, kernel.matmul(y).squeeze(1) / kernel.sum(1)));
}

// Appendix A.7, eq. 15 to 19: with patterns y_i z_i the module is a gradient step on AdaBoost's objective for a linear
// model, which is the state.
TEST(Hopular, ImitatesAnAdaBoostStep) {
  const double beta = 0.7, rate = 0.1;
  const int64_t n = 60, d = 4;
  const torch::Tensor z = torch::randn({n, d}, torch::kFloat64);
  const torch::Tensor y = torch::randint(2, {n, 1}, torch::kFloat64) * 2 - 1;
  HopfieldNetworks network = NetworkOfIdentities(d, beta);
  {
    const torch::NoGradGuard no_grad;
    network->named_parameters()["state.weight"].neg_();
    network->named_parameters()["retrieved.weight"].mul_(rate);
  }
  const auto objective = [&](const torch::Tensor& xi) {
    return torch::logsumexp(-beta * (y * z).matmul(xi), 0) / beta;  // eq. 17
  };
  torch::Tensor xi = torch::randn({d}, torch::kFloat64).requires_grad_();
  const torch::Tensor before = objective(xi);
  before.backward();
  const torch::NoGradGuard no_grad;
  const torch::Tensor step = network(xi.view({1, 1, d}), (y * z).unsqueeze(0)).flatten();
  EXPECT_TRUE(torch::allclose(step, -rate * xi.grad()));
  EXPECT_LT(objective(xi + step).item<double>(), before.item<double>());
}

}  // namespace
}  // namespace haplospin
