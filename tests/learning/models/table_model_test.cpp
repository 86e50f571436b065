#include "learning/models/table_model.h"

#include <gtest/gtest.h>
#include <torch/nn/init.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <string>

#include "learning/models/random_table.h"
#include "learning/nn/named_tensors.h"

namespace haplospin {
namespace {

constexpr int64_t kWidth = 4;

TEST(AttributeEmbedding, IsTheLinearMapOfTheEncodedAttributes) {
  torch::manual_seed(1);
  const Attributes attributes{{.classes = 3}, {}, {.classes = 2}, {}, {.classes = 2}};
  AttributeEmbedding embedding(AttributeEmbeddingOptions{.attributes = attributes, .width = kWidth});
  embedding->to(torch::kFloat64);
  const MaskedTable table = RandomTable(50, attributes);
  const torch::Tensor embedded = embedding(table);
  const NamedTensors w = ModuleState(*embedding);
  const int64_t first_class[] = {0, -1, 3, -1, 5};
  const int64_t number_row[] = {-1, 0, -1, 1, -1};
  for (int64_t i = 0; i < 50; ++i) {
    for (int64_t j = 0; j < 5; ++j) {
      const bool continuous = number_row[j] >= 0;
      torch::Tensor expected = w.at("index")[j] + w.at("type")[continuous ? 1 : 0];
      const double value = table.values[i][j].item<double>();
      if (table.masked[i][j].item<bool>()) {
        expected = expected + w.at("mask_weights")[j];
      } else if (continuous) {
        expected = expected + value * w.at("number_weights")[number_row[j]];
      } else {
        expected = expected + w.at("class_weights")[first_class[j] + static_cast<int64_t>(value)];
      }
      EXPECT_TRUE(torch::allclose(embedded[i][j], expected)) << i << ", " << j;
    }
  }
}

TEST(AttributeEmbedding, MaskedValuesDoNotShow) {
  for (const Attributes& attributes : {Attributes(4, {.classes = 3}), Attributes(4, Attribute{})}) {
    AttributeEmbedding embedding(AttributeEmbeddingOptions{.attributes = attributes, .width = kWidth});
    MaskedTable table = Unmasked(torch::ones({6, 4}));
    table.masked = torch::ones({6, 4}, torch::kBool);
    MaskedTable other = table;
    other.values = torch::full({6, 4}, 2.0);
    EXPECT_TRUE(torch::equal(embedding(table), embedding(other)));
  }
}

TEST(AttributeEmbedding, LongValuesAreAsLongAsTheirPlace) {
  Attributes attributes(50, {.classes = 9});
  attributes.resize(100);
  for (const bool long_values : {false, true}) {
    AttributeEmbedding embedding(
        AttributeEmbeddingOptions{.attributes = attributes, .width = 16, .long_values = long_values});
    const NamedTensors w = ModuleState(*embedding);
    const double place_variance = w.at("index").square().mean().item<double>();
    for (const std::string name : {"class_weights", "number_weights"}) {
      const double value_variance = w.at(name).square().mean().item<double>();
      EXPECT_EQ(value_variance > 0.7 * place_variance, long_values) << name;
    }
  }
}

TEST(AttributeEmbedding, GivenClassVectorsOutweighPlaces) {
  const torch::Tensor vectors = torch::randn({5, kWidth});
  AttributeEmbedding embedding(AttributeEmbeddingOptions{
      .attributes = Attributes(30, {.classes = 5}), .width = kWidth, .share_classes = true, .class_vectors = vectors});
  const NamedTensors w = ModuleState(*embedding);
  EXPECT_TRUE(torch::equal(w.at("class_weights"), vectors));
  EXPECT_LT(w.at("index").square().mean().item<double>(), 0.1 * vectors.square().mean().item<double>());
}

TEST(AttributeEmbedding, SharedClassesDifferByTheirPlaceOnly) {
  AttributeEmbedding embedding(
      AttributeEmbeddingOptions{.attributes = Attributes(3, {.classes = 5}), .width = kWidth, .share_classes = true});
  const NamedTensors w = ModuleState(*embedding);
  EXPECT_EQ(w.at("class_weights").size(0), 5);
  EXPECT_EQ(w.at("mask_weights").size(0), 1);
  const torch::Tensor embedded = embedding(Unmasked(torch::full({1, 3}, 4.0)));
  EXPECT_TRUE(torch::allclose(embedded[0][0] - w.at("index")[0], embedded[0][2] - w.at("index")[2], 1e-4, 1e-6));
}

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

constexpr auto kDouble = torch::kFloat64;

TEST(TableLoss, IsCrossEntropyAndSquaredErrorAveragedOverWhatCounts) {
  // Two rows; a continuous attribute, a categorical one, and a categorical target.
  const Attributes attributes{{}, {.classes = 2}, {.classes = 3}};
  torch::Tensor predictions = torch::zeros({2, 3, 3}, kDouble);
  predictions[0][0][0] = 1.5;            // truth 1.0: squared error 0.25
  predictions[0][1][1] = std::log(3.0);  // truth 1: -log(3 / 4), were there two classes
  predictions[0][1][2] = -1e30;          // absent
  predictions[1][2] = torch::tensor({0.0, std::log(2.0), 0.0}, kDouble);  // truth 0: log 4
  const torch::Tensor truth = torch::tensor({1.0, 1.0, 0.0, 9.0, 0.0, 0.0}, kDouble).view({2, 3});
  const torch::Tensor in_loss = torch::tensor({true, true, false, false, false, true}, torch::kBool).view({2, 3});
  const torch::Tensor is_target = torch::tensor({false, false, true});
  const TableLosses losses = TableLoss(predictions, truth, in_loss, is_target, attributes);
  EXPECT_NEAR(losses.labels.item<double>(), std::log(4.0), 1e-12);
  EXPECT_NEAR(losses.attributes.item<double>(), (0.25 + std::log(4.0 / 3.0)) / 2.0, 1e-12);
  EXPECT_NEAR(losses.Total(0.25).item<double>(),
              0.75 * losses.labels.item<double>() + 0.25 * losses.attributes.item<double>(), 1e-12);
}

TEST(TableLoss, IsZeroWhereNothingCounts) {
  const TableLosses losses =
      TableLoss(torch::randn({4, 2, 3}), torch::zeros({4, 2}), torch::zeros({4, 2}, torch::kBool),
                torch::tensor({false, true}), Attributes(2, {.classes = 3}));
  EXPECT_EQ(losses.Total(0.5).item<float>(), 0.0f);
}

TEST(TableLoss, HandlesTablesOfOneKind) {
  const torch::Tensor all = torch::ones({1, 2}, torch::kBool);
  const torch::Tensor is_target = torch::tensor({false, true});
  const TableLosses continuous =
      TableLoss(torch::tensor({3.0, 5.0}, kDouble).view({1, 2, 1}), torch::tensor({{1.0, 8.0}}, kDouble), all,
                is_target, Attributes(2, Attribute{}));
  EXPECT_DOUBLE_EQ(continuous.attributes.item<double>(), 4.0);
  EXPECT_DOUBLE_EQ(continuous.labels.item<double>(), 9.0);
  const TableLosses categorical = TableLoss(torch::zeros({1, 2, 4}, kDouble), torch::tensor({{1.0, 3.0}}, kDouble), all,
                                            is_target, Attributes(2, {.classes = 4}));
  EXPECT_NEAR(categorical.labels.item<double>(), std::log(4.0), 1e-12);
}

}  // namespace
}  // namespace haplospin
