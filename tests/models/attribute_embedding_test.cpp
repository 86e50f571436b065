#include "models/attribute_embedding.h"

#include <gtest/gtest.h>

#include <string>

#include "models/random_table.h"
#include "nn/named_tensors.h"

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
    const double of_places = w.at("index").square().mean().item<double>();
    for (const std::string name : {"class_weights", "number_weights"}) {
      const double of_values = w.at(name).square().mean().item<double>();
      EXPECT_EQ(of_values > 0.7 * of_places, long_values) << name;
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

}  // namespace
}  // namespace haplospin
