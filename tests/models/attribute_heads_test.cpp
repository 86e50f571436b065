#include "models/attribute_heads.h"

#include <gtest/gtest.h>
#include <torch/nn/init.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "nn/named_tensors.h"

namespace haplospin {
namespace {

TEST(AttributeHeads, IsALinearLayerPerAttribute) {
  torch::manual_seed(2);
  const Attributes attributes{{.classes = 3}, {}, {.classes = 2}};
  AttributeHeads heads(attributes, 4);
  const torch::Tensor entries = torch::randn({7, 3, 4});
  const torch::Tensor predictions = heads(entries);
  ASSERT_EQ(predictions.sizes(), (std::vector<int64_t>{7, 3, 3}));
  const NamedTensors w = ModuleState(*heads);
  EXPECT_EQ(ParameterCount(*heads), (3 + 1 + 2) * (4 + 1));
  const int64_t first[] = {0, 3, 4};
  const int64_t outputs[] = {3, 1, 2};
  for (int64_t j = 0; j < 3; ++j) {
    const torch::Tensor weights = w.at("weights").narrow(0, first[j], outputs[j]);
    const torch::Tensor biases = w.at("biases").narrow(0, first[j], outputs[j]);
    const torch::Tensor expected = torch::matmul(entries.select(1, j), weights.t()) + biases;
    EXPECT_TRUE(torch::allclose(predictions.select(1, j).narrow(1, 0, outputs[j]), expected, 1e-4, 1e-5));
  }
}

TEST(AttributeHeads, AbsentClassesHaveProbabilityZero) {
  AttributeHeads heads(Attributes{{.classes = 2}, {.classes = 4}}, 3);
  const torch::Tensor probabilities = heads(torch::randn({5, 2, 3})).softmax(-1);
  EXPECT_EQ(probabilities.select(1, 0).narrow(1, 2, 2).abs().max().item<float>(), 0.0f);
  EXPECT_TRUE(torch::allclose(probabilities.sum(-1), torch::ones({5, 2})));
}

TEST(AttributeHeads, SharedHeadGivesEqualEntriesEqualPredictions) {
  AttributeHeads heads(Attributes(3, {.classes = 4}), 5, /*share_classes=*/true);
  EXPECT_EQ(ParameterCount(*heads), 4 * 6);
  const torch::Tensor predictions = heads(torch::randn({2, 1, 5}).expand({2, 3, 5}));
  EXPECT_TRUE(torch::allclose(predictions.select(1, 0), predictions.select(1, 2)));
}

TEST(AttributeHeads, StartFromTheVectorsOfTheClasses) {
  AttributeHeads heads(Attributes(3, {.classes = 4}), 16, /*share_classes=*/true);
  const torch::Tensor vectors = torch::nn::init::orthogonal_(torch::empty({4, 16}));
  heads->StartFrom(vectors);
  const torch::Tensor classes = torch::randint(4, {7, 3}, torch::kInt64);
  EXPECT_TRUE(torch::equal(heads(vectors.index_select(0, classes.flatten()).view({7, 3, 16})).argmax(-1), classes));
}

}  // namespace
}  // namespace haplospin
