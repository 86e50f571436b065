#include "learning/models/context_network.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "haplospin/errors.h"
#include "learning/models/hopular.h"
#include "learning/models/npt.h"
#include "learning/models/set_transformer.h"
#include "learning/models/spin.h"

namespace haplospin {
namespace {

using Options = ContextNetworkOptions;
using Table = ContextNetworkTable;

template <typename ModelOptions>
ModelOptions CommonOptions(const Options& options, const Table& table) {
  ModelOptions common;
  common.attributes = table.attributes;
  common.width = options.width;
  common.depth = options.depth;
  common.heads = options.heads;
  common.attention_dropout = options.dropout;
  common.hidden_dropout = options.dropout;
  common.share_classes = table.share_classes;
  common.long_values = table.long_values;
  common.smoothed_classes = table.smoothed_classes;
  return common;
}

// NPT and the Set Transformer: the rows to predict and the known rows are in one table.
template <typename Model>
class JointNetwork : public ContextNetwork {
 public:
  explicit JointNetwork(Model model) : model_(register_module("model", std::move(model))) {}

  torch::Tensor Train(const MaskedTable& batch, const MaskedTable&, const torch::Tensor&) override {
    return model_->forward(batch);
  }

  torch::Tensor Predict(const EncodedContext& context, const MaskedTable& query) override {
    const int64_t known = context.rows.values.size(0);
    return model_->forward(JoinRows(context.rows, query)).narrow(0, known, query.values.size(0));
  }

  torch::Tensor ContextWeights(const EncodedContext& context, const MaskedTable& query) override {
    const int64_t known = context.rows.values.size(0);
    const torch::Tensor rows =
        torch::arange(known, known + query.values.size(0), query.values.options().dtype(torch::kInt64));
    return model_->DatapointWeights(JoinRows(context.rows, query), rows).narrow(1, 0, known);
  }

 private:
  Model model_;
};

class SpinNetwork : public ContextNetwork {
 public:
  explicit SpinNetwork(const SpinOptions& options) : model_(register_module("model", Spin(options))) {}

  torch::Tensor Train(const MaskedTable& batch, const MaskedTable&, const torch::Tensor&) override {
    return model_->forward(batch);
  }
  EncodedContext Encode(const MaskedTable& rows) override { return {rows, model_->Encode(rows)}; }
  torch::Tensor Predict(const EncodedContext& context, const MaskedTable& query) override {
    return model_->Predict(query, context.inducing_points);
  }
  torch::Tensor ContextWeights(const EncodedContext& context, const MaskedTable& query) override {
    return model_->ContextWeights(context.rows, query);
  }

 private:
  Spin model_;
};

class HopularNetwork : public ContextNetwork {
 public:
  explicit HopularNetwork(const HopularOptions& options) : model_(register_module("model", Hopular(options))) {}

  torch::Tensor Train(const MaskedTable& batch, const MaskedTable& memory, const torch::Tensor& own_row) override {
    return model_->forward(batch, memory, own_row);
  }
  torch::Tensor Predict(const EncodedContext& context, const MaskedTable& query) override {
    return model_->forward(query, context.rows);
  }
  torch::Tensor ContextWeights(const EncodedContext& context, const MaskedTable& query) override {
    return model_->MemoryWeights(query, context.rows);
  }

 private:
  Hopular model_;
};

std::shared_ptr<ContextNetwork> MakeSpin(const Options& options, const Table& table) {
  auto spin = CommonOptions<SpinOptions>(options, table);
  spin.inducing_points = options.inducing_points;
  spin.latent_attributes = options.latent_attributes;
  spin.xabd = options.layers == "all" || options.layers == "xabd";
  spin.predict_within_rows = options.layers == "xaba-within-rows";
  spin.xaba = options.layers != "xabd";
  spin.abla = options.layers == "all";
  spin.normalize_keys = table.normalize_keys;
  spin.rows_per_block = table.rows_per_block;
  return std::make_shared<SpinNetwork>(spin);
}

std::shared_ptr<ContextNetwork> MakeNpt(const Options& options, const Table& table) {
  return std::make_shared<JointNetwork<Npt>>(Npt(CommonOptions<TableModelOptions>(options, table)));
}

std::shared_ptr<ContextNetwork> MakeSetTransformer(const Options& options, const Table& table) {
  auto set_transformer = CommonOptions<SetTransformerOptions>(options, table);
  set_transformer.inducing_points = options.inducing_points;
  set_transformer.latent_attributes = options.latent_attributes;
  set_transformer.normalize_keys = table.normalize_keys;
  return std::make_shared<JointNetwork<SetTransformer>>(SetTransformer(set_transformer));
}

std::shared_ptr<ContextNetwork> MakeHopular(const Options& options, const Table& table) {
  return std::make_shared<HopularNetwork>(HopularOptions{.attributes = table.attributes,
                                                         .width = options.width,
                                                         .blocks = options.depth / 2,
                                                         .networks = options.heads,
                                                         .association_width = options.association_width,
                                                         .input_dropout = options.dropout,
                                                         .block_dropout = options.dropout,
                                                         .output_dropout = options.dropout / 10});
}

double Square(double x) { return x * x; }

double Layers(const Options& options) {
  const int64_t layers = options.depth / 2;
  return static_cast<double>(layers);
}

// Counts the numbers of a square matrix in each layer between rows.
double RowMatrices(const Options& options, double d) {
  return Layers(options) * Square(d * static_cast<double>(options.width));
}

bool Never(const Options&, int64_t, int64_t) { return false; }

const Architecture kArchitectures[] = {
    {.name = "hopular",
     .encodes = false,
     .trains_from_memory = true,
     .masks_chunks = false,
     .heads_divide_width = false,
     .make = MakeHopular,
     .blocks =
         [](const Options& o, bool training) {
           return BlockCounts{training ? o.depth : 1, 0};
         },
     .min_weights =
         [](const Options& o, double d) {
           return d * Square(static_cast<double>(o.width)) +
                  Layers(o) * d * static_cast<double>(o.width * o.heads * std::max<int64_t>(o.association_width, 1));
         },
     .can_start_as_smoother = Never},
    {.name = "spin",
     .encodes = true,
     .trains_from_memory = false,
     .masks_chunks = true,
     .heads_divide_width = true,
     .make = MakeSpin,
     .blocks =
         [](const Options& o, bool training) {
           return BlockCounts{1, 2 * (training ? o.depth : 1)};
         },
     .min_weights =
         [](const Options& o, double d) {
           if (o.layers == "xaba-within-rows") return d * static_cast<double>(o.latent_attributes);
           return Square(d * static_cast<double>(o.width)) +
                  static_cast<double>(o.inducing_points * o.latent_attributes * o.width);
         },
     .can_start_as_smoother = [](const Options& o, int64_t d, int64_t) { return o.latent_attributes == d; }},
    {.name = "npt",
     .encodes = false,
     .trains_from_memory = false,
     .masks_chunks = false,
     .heads_divide_width = true,
     .make = MakeNpt,
     .blocks =
         [](const Options& o, bool training) {
           return BlockCounts{training ? o.depth : 1, 0};
         },
     .min_weights = RowMatrices,
     .can_start_as_smoother = [](const Options& o, int64_t, int64_t rank) { return o.width > rank; }},
    {.name = "set-transformer",
     .encodes = false,
     .trains_from_memory = false,
     .masks_chunks = false,
     .heads_divide_width = true,
     .make = MakeSetTransformer,
     .blocks =
         [](const Options& o, bool training) {
           return BlockCounts{training ? 2 * o.depth : 1, 0};
         },
     .min_weights =
         [](const Options& o, double d) {
           return RowMatrices(o, d) + Layers(o) * d * static_cast<double>(o.inducing_points * o.width);
         },
     .can_start_as_smoother = Never},
};

}  // namespace

const Architecture* FindArchitecture(const std::string& name) {
  const auto* found = std::ranges::find(kArchitectures, std::string_view(name), &Architecture::name);
  return found == std::end(kArchitectures) ? nullptr : found;
}

const Architecture& FindArchitecture(const ContextNetworkOptions& options) {
  const Architecture* found = FindArchitecture(options.architecture);
  HS_ASSERT(found != nullptr);
  return *found;
}

bool AreValid(const ContextNetworkOptions& o) {
  constexpr std::array<std::string_view, 4> kLayers = {"all", "xabd", "xaba", "xaba-within-rows"};
  const auto within = [](int64_t value, int64_t low, int64_t high) { return value >= low && value <= high; };
  const Architecture* architecture = FindArchitecture(o.architecture);
  return architecture != nullptr && within(o.width, 1, 4096) && within(o.depth, 2, 256) && o.depth % 2 == 0 &&
         within(o.heads, 1, 256) && (!architecture->heads_divide_width || o.width % o.heads == 0) &&
         within(o.inducing_points, 1, 100000) && within(o.latent_attributes, 1, 65536) &&
         std::ranges::find(kLayers, o.layers) != kLayers.end() && within(o.association_width, 0, 65536) &&
         o.dropout >= 0.0 && o.dropout < 1.0;
}

std::shared_ptr<ContextNetwork> MakeContextNetwork(const ContextNetworkOptions& options,
                                                   const ContextNetworkTable& table) {
  return FindArchitecture(options).make(options, table);
}

int64_t RowsWithin(const ContextNetworkOptions& options, int64_t d, int64_t max_bytes, bool training) {
  constexpr int64_t kFloatBytes = 4;
  // Vectors of a block's width that a MAB keeps of each row for the backward pass: queries, keys, values, output and
  // residual, and twice four of the feed-forward layer; and some that autograd copies.
  constexpr int64_t kVectorsPerMab = 24;
  const BlockCounts blocks = FindArchitecture(options).blocks(options, training);
  const int64_t widths = (blocks.row * d + blocks.latent * options.latent_attributes) * options.width;
  return std::max<int64_t>(2, max_bytes / (kFloatBytes * kVectorsPerMab * widths));
}

MaskedTable JoinRows(const MaskedTable& first, const MaskedTable& second) {
  return {torch::cat({first.values, second.values}), torch::cat({first.masked, second.masked}),
          torch::cat({first.in_loss, second.in_loss})};
}

}  // namespace haplospin
