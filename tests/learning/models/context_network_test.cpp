#include "learning/models/context_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "learning/models/npt.h"
#include "learning/models/random_table.h"
#include "learning/models/spin.h"
#include "learning/nn/named_tensors.h"

namespace haplospin {
namespace {

const Attributes kMixedAttributes{{.classes = 3}, {}, {.classes = 2}, {}, {.classes = 4}};
const auto kMixedColumns = static_cast<int64_t>(kMixedAttributes.size());

ContextNetworkOptions SmallNetwork(const std::string& architecture) {
  return {.architecture = architecture,
          .width = 8,
          .depth = 4,
          .heads = 2,
          .inducing_points = 3,
          .latent_attributes = 2,
          .dropout = 0.0};
}

std::shared_ptr<ContextNetwork> MakeSmall(const ContextNetworkOptions& options) {
  torch::manual_seed(6);
  auto network = MakeContextNetwork(options, {.attributes = kMixedAttributes});
  network->to(torch::kFloat64);
  network->eval();
  return network;
}

TEST(Architecture, IsFoundByItsName) {
  for (const std::string& name : ArchitectureNames()) EXPECT_EQ(FindArchitecture(name)->name, name);
  EXPECT_EQ(FindArchitecture("perceptron"), nullptr);
  EXPECT_THAT(WindowArchitectureNames(), testing::IsSubsetOf(ArchitectureNames()));
}

TEST(ContextNetworkOptions, AreReadBackFromJson) {
  ContextNetworkOptions options = SmallNetwork("hopular");
  options.layers = "xaba";
  options.association_width = 7;
  const nlohmann::json json = options;
  EXPECT_EQ(nlohmann::json(nlohmann::json::parse(json.dump()).get<ContextNetworkOptions>()), json);
  for (const auto& [key, value] : json.items()) {
    nlohmann::json without = json;
    without.erase(key);
    EXPECT_THROW(without.get<ContextNetworkOptions>(), nlohmann::json::exception) << key;
  }
}

TEST(ContextNetworkOptions, AreValidWithinBounds) {
  for (const std::string& name : ArchitectureNames()) {
    EXPECT_TRUE(AreValid(SmallNetwork(name))) << name;
    ContextNetworkOptions options = SmallNetwork(name);
    options.heads = 3;
    EXPECT_EQ(AreValid(options), !FindArchitecture(name)->heads_divide_width) << name;
  }
  const auto expect_invalid = [](auto change) {
    ContextNetworkOptions options = SmallNetwork("spin");
    change(options);
    EXPECT_FALSE(AreValid(options)) << nlohmann::json(options);
  };
  expect_invalid([](auto& o) { o.architecture = "perceptron"; });
  expect_invalid([](auto& o) { o.width = int64_t{1} << 40; });
  expect_invalid([](auto& o) { o.depth = 3; });
  expect_invalid([](auto& o) { o.heads = 0; });
  expect_invalid([](auto& o) { o.inducing_points = 0; });
  expect_invalid([](auto& o) { o.latent_attributes = -1; });
  expect_invalid([](auto& o) { o.layers = "none"; });
  expect_invalid([](auto& o) { o.association_width = -1; });
  expect_invalid([](auto& o) { o.dropout = 1; });
}

// The same draws in the same order: a network of the adapter is the model itself.
TEST(ContextNetwork, HasTheWeightsAndPredictionsOfItsModel) {
  const auto network = MakeSmall(SmallNetwork("spin"));
  torch::manual_seed(6);
  SpinOptions options;
  options.attributes = kMixedAttributes;
  options.width = 8;
  options.depth = 4;
  options.heads = 2;
  options.inducing_points = 3;
  options.latent_attributes = 2;
  Spin spin(options);
  spin->to(torch::kFloat64);
  spin->eval();
  const NamedTensors own = WithoutPrefix(ModuleState(*network), "model.");
  ASSERT_EQ(own.size(), ModuleState(*spin).size());
  for (const auto& [name, tensor] : ModuleState(*spin)) EXPECT_TRUE(own.at(name).equal(tensor)) << name;
  const MaskedTable context = RandomTable(12, kMixedAttributes), query = RandomTable(5, kMixedAttributes);
  EXPECT_TRUE(network->Predict(network->Encode(context), query).equal(spin->Predict(query, spin->Encode(context))));
  EXPECT_TRUE(network->Train(context, {}, {}).equal(spin->forward(context)));
}

TEST(ContextNetwork, OfNptIsOneTableOfContextAndQuery) {
  const auto network = MakeSmall(SmallNetwork("npt"));
  torch::manual_seed(6);
  TableModelOptions options;
  options.attributes = kMixedAttributes;
  options.width = 8;
  options.depth = 4;
  options.heads = 2;
  Npt npt(options);
  npt->to(torch::kFloat64);
  npt->eval();
  const MaskedTable context = RandomTable(12, kMixedAttributes), query = RandomTable(5, kMixedAttributes);
  const torch::Tensor whole = npt->forward(JoinRows(context, query));
  EXPECT_TRUE(network->Predict(network->Encode(context), query).equal(whole.narrow(0, 12, 5)));
}

// Inducing points alone are a context where, and only where, the architecture says so.
TEST(ContextNetwork, EncodesAsItsArchitectureSays) {
  const MaskedTable context = RandomTable(12, kMixedAttributes), query = RandomTable(5, kMixedAttributes);
  for (const std::string& name : ArchitectureNames()) {
    const auto network = MakeSmall(SmallNetwork(name));
    const EncodedContext encoded = network->Encode(context);
    EXPECT_EQ(encoded.inducing_points.defined(), FindArchitecture(name)->encodes) << name;
    if (!encoded.inducing_points.defined()) continue;
    EXPECT_EQ(encoded.inducing_points.sizes(), (std::vector<int64_t>{3, 2, 8}));
    EXPECT_TRUE(network->Predict({{}, encoded.inducing_points}, query).equal(network->Predict(encoded, query)));
  }
}

TEST(ContextNetwork, TrainsFromMemoryAsItsArchitectureSays) {
  const MaskedTable batch = RandomTable(6, kMixedAttributes);
  const MaskedTable memory = Unmasked(RandomValues(9, kMixedAttributes)),
                    other = Unmasked(RandomValues(9, kMixedAttributes));
  const torch::Tensor nowhere = torch::full({6}, -1, torch::kInt64);
  for (const std::string& name : ArchitectureNames()) {
    const auto network = MakeSmall(SmallNetwork(name));
    const bool same = network->Train(batch, memory, nowhere).equal(network->Train(batch, other, nowhere));
    EXPECT_EQ(same, !FindArchitecture(name)->trains_from_memory) << name;
  }
}

TEST(ContextNetwork, AttentionIsSharedOutAmongTheRows) {
  const MaskedTable context = RandomTable(12, kMixedAttributes), query = RandomTable(5, kMixedAttributes);
  for (const std::string& name : ArchitectureNames()) {
    const auto network = MakeSmall(SmallNetwork(name));
    const torch::Tensor weights = network->ContextWeights(network->Encode(context), query);
    ASSERT_EQ(weights.sizes(), (std::vector<int64_t>{5, 12})) << name;
    EXPECT_TRUE((weights >= 0).all().item<bool>()) << name;
    EXPECT_TRUE((weights.sum(1) < 1.0001).all().item<bool>()) << name;
  }
}

// The check of damaged files must refuse no good one.
TEST(ContextNetwork, HasNoFewerThanTheMinWeights) {
  for (const std::string& name : ArchitectureNames()) {
    for (const int64_t width : {4, 16}) {
      for (const int64_t points : {1, 40}) {
        for (const char* layers : {"all", "xabd", "xaba", "xaba-within-rows"}) {
          ContextNetworkOptions options = SmallNetwork(name);
          options.width = width;
          options.inducing_points = points;
          options.layers = layers;
          const double min = FindArchitecture(name)->min_weights(options, static_cast<double>(kMixedColumns));
          EXPECT_GT(min, 0);
          EXPECT_LE(min, static_cast<double>(ParameterCount(*MakeSmall(options)))) << nlohmann::json(options);
        }
      }
    }
  }
}

TEST(ContextNetwork, StartsAsASmootherWhereItsArchitectureSays) {
  const LookUp look_up;
  for (const std::string& name : ArchitectureNames()) {
    ContextNetworkOptions options = SmallNetwork(name);
    options.inducing_points = 200;
    options.latent_attributes = LookUp::kColumns;
    ContextNetworkTable table{.attributes = look_up.attributes, .share_classes = true};
    if (!FindArchitecture(name)->can_start_as_smoother(options, LookUp::kColumns, 2)) continue;
    table.smoothed_classes = look_up.class_vectors;
    torch::manual_seed(6);
    const auto network = MakeContextNetwork(options, table);
    network->eval();
    EXPECT_GT(look_up.Accuracy(network->Predict(network->Encode(look_up.context), look_up.query)), 0.9) << name;
    options.latent_attributes = LookUp::kColumns - 1;
    options.width = 2;
    EXPECT_FALSE(FindArchitecture(name)->can_start_as_smoother(options, LookUp::kColumns, 2)) << name;
  }
}

TEST(RowsWithin, GrowsWithMemoryAndIsLessInTraining) {
  for (const std::string& name : ArchitectureNames()) {
    const ContextNetworkOptions options = SmallNetwork(name);
    EXPECT_EQ(RowsWithin(options, kMixedColumns, 1, true), 2);
    const int64_t rows = RowsWithin(options, kMixedColumns, 1 << 20, true);
    EXPECT_GT(rows, 2);
    EXPECT_NEAR(static_cast<double>(RowsWithin(options, kMixedColumns, 4 << 20, true)), static_cast<double>(4 * rows),
                4);
    EXPECT_GT(RowsWithin(options, kMixedColumns, 1 << 20, false), rows);
  }
}

}  // namespace
}  // namespace haplospin
