#include "tabular/tabular_network.h"

#include <fmt/format.h>

#include <algorithm>

#include "haplospin/errors.h"
#include "models/hopular.h"
#include "models/npt.h"
#include "models/set_transformer.h"
#include "models/spin.h"

namespace haplospin {
namespace {

template <typename Options>
Options CommonOptions(const TabularNetworkOptions& options, const Attributes& attributes) {
  Options common;
  common.attributes = attributes;
  common.width = options.width;
  common.depth = options.depth;
  common.heads = options.heads;
  common.attention_dropout = options.dropout;
  common.hidden_dropout = options.dropout;
  common.long_values = true;
  return common;
}

// NPT and the Set Transformer: the rows to predict stand in one table with those that are known.
template <typename Model>
class JointNetwork : public TabularNetwork {
 public:
  explicit JointNetwork(Model model) : model_(register_module("model", std::move(model))) {}

  torch::Tensor Train(const MaskedTable& batch, const MaskedTable&, const torch::Tensor&) override {
    return model_->forward(batch);
  }

  torch::Tensor Predict(const TabularContext& context, const MaskedTable& query) override {
    const int64_t known = context.rows.values.size(0);
    return model_->forward(JoinRows(context.rows, query)).narrow(0, known, query.values.size(0));
  }

  torch::Tensor ContextWeights(const TabularContext& context, const MaskedTable& query) override {
    const int64_t known = context.rows.values.size(0);
    const torch::Tensor rows =
        torch::arange(known, known + query.values.size(0), query.values.options().dtype(torch::kInt64));
    return model_->DatapointWeights(JoinRows(context.rows, query), rows).narrow(1, 0, known);
  }

 private:
  Model model_;
};

class SpinNetwork : public TabularNetwork {
 public:
  SpinNetwork(const TabularNetworkOptions& options, const Attributes& attributes) {
    auto spin = CommonOptions<SpinOptions>(options, attributes);
    spin.inducing_points = options.inducing_points;
    spin.latent_attributes = options.latent_attributes;
    spin.rows_per_block = kSpinRowsPerBlock;
    spin.normalise_keys = true;
    model_ = register_module("model", Spin(spin));
  }

  torch::Tensor Train(const MaskedTable& batch, const MaskedTable&, const torch::Tensor&) override {
    return model_->forward(batch);
  }
  TabularContext Encode(const MaskedTable& rows) override { return {rows, model_->Encode(rows)}; }
  torch::Tensor Predict(const TabularContext& context, const MaskedTable& query) override {
    return model_->Predict(query, context.inducing_points);
  }
  torch::Tensor ContextWeights(const TabularContext& context, const MaskedTable& query) override {
    return model_->ContextWeights(context.rows, query);
  }

 private:
  Spin model_{nullptr};
};

class HopularNetwork : public TabularNetwork {
 public:
  HopularNetwork(const TabularNetworkOptions& options, const Attributes& attributes) {
    model_ = register_module("model", Hopular(HopularOptions{.attributes = attributes,
                                                             .width = options.width,
                                                             .blocks = options.depth / 2,
                                                             .networks = options.heads,
                                                             .association_width = options.association_width,
                                                             .beta_scaling = options.beta_scaling,
                                                             .input_dropout = options.dropout,
                                                             .block_dropout = options.dropout,
                                                             .output_dropout = options.dropout / 10}));
  }

  torch::Tensor Train(const MaskedTable& batch, const MaskedTable& memory, const torch::Tensor& own_row) override {
    return model_->forward(batch, memory, own_row);
  }
  bool TrainsFromMemory() const override { return true; }
  torch::Tensor Predict(const TabularContext& context, const MaskedTable& query) override {
    return model_->forward(query, context.rows);
  }
  torch::Tensor ContextWeights(const TabularContext& context, const MaskedTable& query) override {
    return model_->MemoryWeights(query, context.rows);
  }

 private:
  Hopular model_{nullptr};
};

}  // namespace

const std::vector<std::string>& TabularModelNames() {
  static const std::vector<std::string> names = {"hopular", "npt", "spin", "set-transformer"};
  return names;
}

nlohmann::json TabularNetworkOptions::ToJson() const {
  return {{"model", model},
          {"width", width},
          {"depth", depth},
          {"heads", heads},
          {"association_width", association_width},
          {"beta_scaling", beta_scaling},
          {"inducing_points", inducing_points},
          {"latent_attributes", latent_attributes},
          {"dropout", dropout}};
}

TabularNetworkOptions TabularNetworkOptions::FromJson(const nlohmann::json& json, const std::string& source) {
  TabularNetworkOptions options;
  try {
    options.model = json.at("model");
    options.width = json.at("width");
    options.depth = json.at("depth");
    options.heads = json.at("heads");
    options.association_width = json.at("association_width");
    options.beta_scaling = json.at("beta_scaling");
    options.inducing_points = json.at("inducing_points");
    options.latent_attributes = json.at("latent_attributes");
    options.dropout = json.at("dropout");
  } catch (const nlohmann::json::exception&) {
    throw InputError(source + ": the network's description is damaged; train the model again");
  }
  const auto within = [](int64_t value, int64_t low, int64_t high) { return value >= low && value <= high; };
  const bool good = std::ranges::find(TabularModelNames(), options.model) != TabularModelNames().end() &&
                    within(options.width, 1, 4096) && within(options.depth, 2, 256) && options.depth % 2 == 0 &&
                    within(options.heads, 1, 256) && within(options.association_width, 0, 65536) &&
                    within(options.inducing_points, 1, 65536) && within(options.latent_attributes, 1, 65536) &&
                    options.beta_scaling > 0.0 && options.dropout >= 0.0 && options.dropout < 1.0 &&
                    (options.model == "hopular" || options.width % options.heads == 0);
  if (!good) throw InputError(source + ": the network's description is damaged; train the model again");
  return options;
}

MaskedTable JoinRows(const MaskedTable& first, const MaskedTable& second) {
  return {torch::cat({first.values, second.values}), torch::cat({first.masked, second.masked}),
          torch::cat({first.in_loss, second.in_loss})};
}

std::shared_ptr<TabularNetwork> MakeTabularNetwork(const TabularNetworkOptions& options, const Attributes& attributes) {
  if (options.model == "npt") {
    return std::make_shared<JointNetwork<Npt>>(Npt(CommonOptions<NptOptions>(options, attributes)));
  }
  if (options.model == "spin") return std::make_shared<SpinNetwork>(options, attributes);
  if (options.model == "set-transformer") {
    auto set_transformer = CommonOptions<SetTransformerOptions>(options, attributes);
    set_transformer.inducing_points = options.inducing_points;
    set_transformer.latent_attributes = options.latent_attributes;
    set_transformer.normalise_keys = true;
    return std::make_shared<JointNetwork<SetTransformer>>(SetTransformer(set_transformer));
  }
  HS_ASSERT(options.model == "hopular");
  return std::make_shared<HopularNetwork>(options, attributes);
}

}  // namespace haplospin
