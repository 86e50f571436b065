#include "models/in_context/in_context_network.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "haplospin/errors.h"
#include "models/in_context/cell_inputs.h"
#include "models/in_context/kernel_fits.h"
#include "models/in_context/number_bins.h"

namespace haplospin {
namespace {

constexpr int64_t kMaxWidth = 1024, kMaxDepth = 64, kMaxPoints = 1024;
constexpr int64_t kMaxLabels = 2048;        // that a row attends to directly
constexpr int64_t kCellsOfBlock = 1 << 16;  // that are computed at once without gradients

// At most kMaxLabels rows of [b, n, e].
torch::Tensor SomeLabels(const torch::Tensor& labels) {
  const int64_t n = labels.size(1);
  return labels.slice(1, 0, n, (n + kMaxLabels - 1) / kMaxLabels);
}

// change(part) for parts of the rows; in the place of `cells` where more than one is needed, which gradients would not
// allow.
template <typename Change>
torch::Tensor InBlocks(const torch::Tensor& cells, const Change& change) {
  const int64_t n = cells.size(1);
  const int64_t size = std::max<int64_t>(1, kCellsOfBlock / (cells.size(0) * cells.size(2)));
  if (n <= size || torch::GradMode::is_enabled()) return change(cells);
  for (int64_t first = 0; first < n; first += size) {
    const torch::Tensor part = cells.narrow(1, first, std::min(size, n - first));
    part.copy_(change(part));
  }
  return cells;
}

torch::Tensor GatherInBlocks(InContextLayerImpl& layer, const torch::Tensor& cells) {
  const int64_t columns = cells.size(2);
  const int64_t size = std::max<int64_t>(1, kCellsOfBlock / cells.size(1));
  if (columns <= size || cells.size(0) > 1 || torch::GradMode::is_enabled()) return layer.Gather(cells);
  std::vector<torch::Tensor> points;
  for (int64_t first = 0; first < columns; first += size) {
    points.push_back(layer.Gather(cells.narrow(2, first, std::min(size, columns - first))));
  }
  return torch::cat(points);
}

torch::Tensor LabelCells(const torch::Tensor& cells) { return cells.select(2, cells.size(2) - 1); }

}  // namespace

void to_json(nlohmann::json& json, const InContextOptions& options) {
  json = {{"width", options.width},
          {"depth", options.depth},
          {"heads", options.heads},
          {"inducing_points", options.inducing_points}};
}

void from_json(const nlohmann::json& json, InContextOptions& options) {
  json.at("width").get_to(options.width);
  json.at("depth").get_to(options.depth);
  json.at("heads").get_to(options.heads);
  json.at("inducing_points").get_to(options.inducing_points);
}

bool AreValid(const InContextOptions& options) {
  const auto within = [](int64_t value, int64_t max) { return value >= 1 && value <= max; };
  return within(options.width, kMaxWidth) && within(options.depth, kMaxDepth) && within(options.heads, options.width) &&
         options.width % options.heads == 0 && within(options.inducing_points, kMaxPoints);
}

double MinWeights(const InContextOptions& options) {
  const auto width = static_cast<double>(options.width);
  return static_cast<double>(options.depth) * 4 * 8 * width * width;
}

InContextNetworkImpl::InContextNetworkImpl(const InContextOptions& options) : options_(options) {
  HS_ASSERT(AreValid(options));
  const int64_t width = options.width;
  const auto embedding = [&](int64_t inputs) {
    return Mlp(MlpOptions{.input = inputs, .hidden = width, .output = width, .hidden_layers = 1});
  };
  embed_cells_ = register_module("embed_cells", embedding(kCellInputs));
  embed_labels_ = register_module("embed_labels", embedding(kLabelInputs + kFitInputs));
  layers_ = register_module("layers", torch::nn::ModuleList());
  for (int64_t i = 0; i < options.depth; ++i) {
    layers_->push_back(InContextLayer(
        InContextLayerOptions{.width = width, .heads = options.heads, .inducing_points = options.inducing_points}));
  }
  norm_ = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}).eps(1e-5)));
  head_ = register_module(
      "head",
      Mlp(MlpOptions{.input = width, .hidden = 2 * width, .output = kMaxClasses + kNumberBins, .hidden_layers = 1}));
  const torch::NoGradGuard no_grad;
  const std::vector<torch::Tensor> layers = head_->Layers();
  layers.back().zero_();
  layers[layers.size() - 2].zero_();
}

torch::Tensor InContextNetworkImpl::Embed(const torch::Tensor& cells, const torch::Tensor& labels) {
  return torch::cat({embed_cells_(cells), embed_labels_(labels).unsqueeze(2)}, 2);
}

std::vector<LayerContext> InContextNetworkImpl::Encode(const torch::Tensor& cells, const torch::Tensor& labels) {
  HS_ASSERT(cells.size(1) > 0 && cells.size(1) == labels.size(1));
  torch::Tensor x = Embed(cells, labels);
  std::vector<LayerContext> contexts;
  for (const auto& module : *layers_) {
    auto& layer = *module->as<InContextLayerImpl>();
    x = InBlocks(x, [&](const torch::Tensor& part) { return layer.BetweenColumns(part); });
    LayerContext context{.points = GatherInBlocks(layer, x), .labels = {}};
    x = InBlocks(x, [&](const torch::Tensor& part) { return layer.ReadPoints(part, context.points); });
    context.labels = SomeLabels(LabelCells(x)).contiguous();
    contexts.push_back(context);
    if (contexts.size() == layers_->size()) break;
    x = InBlocks(x, [&](const torch::Tensor& part) { return layer.ReadLabels(part, context.labels); });
  }
  return contexts;
}

torch::Tensor InContextNetworkImpl::Predict(const std::vector<LayerContext>& context, const torch::Tensor& cells,
                                            const torch::Tensor& labels) {
  HS_ASSERT(context.size() == layers_->size());
  torch::Tensor x = Embed(cells, labels);
  for (size_t i = 0; i < context.size(); ++i) {
    auto& layer = *layers_[i]->as<InContextLayerImpl>();
    x = layer.ReadLabels(layer.ReadPoints(layer.BetweenColumns(x), context[i].points), context[i].labels);
  }
  return head_(norm_(LabelCells(x)));
}

}  // namespace haplospin
