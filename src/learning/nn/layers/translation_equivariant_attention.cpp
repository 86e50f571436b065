#include "learning/nn/layers/translation_equivariant_attention.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "haplospin/errors.h"
#include "learning/nn/device.h"
#include "learning/nn/layers/attention.h"
#include "learning/nn/layers/recompute.h"

namespace haplospin {
namespace {

using torch::Tensor;

Tensor ApplyMlp(Tensor x, const std::vector<Tensor>& layers) {
  for (size_t i = 0; i < layers.size(); i += 2) {
    if (i > 0) x = x.relu_();
    x = torch::linear(x, layers[i], layers[i + 1]);
  }
  return x;
}

// The difference [.., dx], and sines and cosines of it: [.., dx (1 + 2 f)].
Tensor DifferenceFeatures(const Tensor& difference, int64_t frequencies) {
  if (frequencies == 0) return difference;
  std::vector<Tensor> features{difference};
  Tensor angle = difference * (0.5 * std::numbers::pi);
  for (int64_t i = 0; i < frequencies; ++i) {
    features.push_back(angle.sin());
    features.push_back(angle.cos());
    angle = angle * 2;
  }
  return torch::cat(features, -1);
}

int64_t NumFrequencies(const PairAttentionInputs& in) {
  const int64_t dx = in.query_x.size(2);
  return ((in.rho.front().size(1) - in.queries.size(1)) / dx - 1) / 2;
}

// Attends from all queries of `in` to all keys; autograd keeps every activation.
PairAttentionResult Attend(const PairAttentionInputs& in, double scale) {
  const Tensor scores = torch::matmul(in.queries, in.keys.transpose(-2, -1)).mul_(scale);  // [b, h, n, m]
  const Tensor difference = in.query_x.unsqueeze(2) - in.key_x.unsqueeze(1);               // [b, n, m, dx]
  const Tensor features = DifferenceFeatures(difference, NumFrequencies(in));
  const Tensor logits = ApplyMlp(torch::cat({scores.permute({0, 2, 3, 1}), features}, -1), in.rho);
  const Tensor weights = logits.softmax(2);  // [b, n, m, h]
  const Tensor output = torch::matmul(weights.permute({0, 3, 1, 2}), in.values);
  if (in.phi.empty()) return {output, in.query_x};
  const Tensor pull = ApplyMlp(weights, in.phi).sum(-1, /*keepdim=*/true);  // [b, n, m, 1]
  return {output, in.query_x + (difference * pull).mean(2)};
}

struct PairBlockSizes {
  int64_t batch, queries;
};

// Returns the bytes of one hidden layer of rho for one query.
int64_t BytesPerQuery(const PairAttentionInputs& in) {
  return in.keys.size(2) * in.rho.front().size(0) * static_cast<int64_t>(in.queries.element_size());
}

// A GPU is busy with large blocks only. Of its memory that is free at first, a layer that is one block gets this share:
// autograd keeps the activations of all layers, as large as some 50 hidden layers of the pairs.
constexpr size_t kBlocksInMemory = 64;

int64_t BlockBytesOnGpu(torch::Device device) {
  static const auto bytes = static_cast<int64_t>(FreeGpuBytes(device) / kBlocksInMemory);
  return bytes;
}

PairBlockSizes ChooseBlockSizes(const PairAttentionInputs& in, int64_t block_bytes) {
  if (in.queries.is_cuda()) block_bytes = std::max(block_bytes, BlockBytesOnGpu(in.queries.device()));
  const int64_t n = std::max<int64_t>(in.queries.size(2), 1);
  const int64_t queries = std::max<int64_t>(block_bytes / BytesPerQuery(in), 1);
  if (queries < n) return {1, queries};
  return {std::clamp<int64_t>(queries / n, 1, std::max<int64_t>(in.queries.size(0), 1)), n};
}

Tensor Part(const Tensor& tensor, int64_t dimension, int64_t start, int64_t length) {
  return tensor.narrow(dimension, start, std::min(length, tensor.size(dimension) - start));
}

}  // namespace

PairAttentionResult PairAttention(const PairAttentionInputs& in, double scale, int64_t block_bytes) {
  HS_ASSERT(block_bytes > 0 && !in.rho.empty());
  if (in.keys.size(2) == 0) {
    auto shape = in.queries.sizes().vec();
    shape.back() = in.values.size(3);
    return {torch::zeros(shape, in.queries.options()), in.query_x};
  }
  const PairBlockSizes blocks = ChooseBlockSizes(in, block_bytes);
  if (blocks.batch >= in.queries.size(0) && blocks.queries >= in.queries.size(2)) return Attend(in, scale);
  std::vector<Tensor> parameters = in.rho;
  parameters.insert(parameters.end(), in.phi.begin(), in.phi.end());
  const RecomputedBlock attend = [rho = in.rho, phi = in.phi, scale](const std::vector<Tensor>& t) {
    const PairAttentionResult result = Attend({t[0], t[1], t[2], t[3], t[4], rho, phi}, scale);
    return phi.empty() ? std::vector<Tensor>{result.output} : std::vector<Tensor>{result.output, result.query_x};
  };
  std::vector<Tensor> outputs, locations;
  for (int64_t b = 0; b < in.queries.size(0); b += blocks.batch) {
    const auto tasks = [&](const Tensor& tensor) { return Part(tensor, 0, b, blocks.batch); };
    std::vector<Tensor> task_outputs, task_locations;
    for (int64_t i = 0; i < in.queries.size(2); i += blocks.queries) {
      const std::vector<Tensor> result =
          Recompute(attend,
                    {Part(tasks(in.queries), 2, i, blocks.queries), tasks(in.keys), tasks(in.values),
                     Part(tasks(in.query_x), 1, i, blocks.queries), tasks(in.key_x)},
                    parameters);
      task_outputs.push_back(result[0]);
      task_locations.push_back(result.back());
    }
    outputs.push_back(torch::cat(task_outputs, 2));
    if (!in.phi.empty()) locations.push_back(torch::cat(task_locations, 1));
  }
  return {torch::cat(outputs), in.phi.empty() ? in.query_x : torch::cat(locations)};
}

TeAttentionImpl::TeAttentionImpl(const TeAttentionOptions& options) : options_(options) {
  HS_ASSERT(options.heads > 0 && options.width % options.heads == 0);
  query_ = register_module("query", torch::nn::Linear(options.width, options.width));
  key_ = register_module("key", torch::nn::Linear(options.width, options.width));
  value_ = register_module("value", torch::nn::Linear(options.width, options.width));
  output_ = register_module("output", torch::nn::Linear(options.width, options.width));
  const int64_t features = options.locations * (1 + 2 * options.frequencies);
  rho_ = register_module(
      "rho",
      Mlp(MlpOptions{.input = options.heads + features, .hidden = options.kernel_width, .output = options.heads}));
  if (options.update_locations) {
    phi_ = register_module(
        "phi", Mlp(MlpOptions{.input = options.heads, .hidden = options.kernel_width, .output = options.heads}));
  }
}

std::pair<torch::Tensor, torch::Tensor> TeAttentionImpl::forward(const torch::Tensor& queries,
                                                                 const torch::Tensor& query_x,
                                                                 const torch::Tensor& keys,
                                                                 const torch::Tensor& key_x) {
  PairAttentionInputs in{SplitHeads(query_(queries), options_.heads),
                         SplitHeads(key_(keys), options_.heads),
                         SplitHeads(value_(keys), options_.heads),
                         query_x,
                         key_x,
                         rho_->Layers(),
                         {}};
  if (!phi_.is_empty()) in.phi = phi_->Layers();
  const int64_t head_width = options_.width / options_.heads;
  const double scale = 1.0 / std::sqrt(static_cast<double>(head_width));
  const PairAttentionResult result = PairAttention(in, scale, options_.block_bytes);
  return {output_(result.output.transpose(1, 2).flatten(-2)), result.query_x};
}

}  // namespace haplospin
