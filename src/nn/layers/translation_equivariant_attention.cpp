#include "nn/layers/translation_equivariant_attention.h"

#include <torch/autograd.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

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

// All queries of `in` against all keys; autograd keeps every activation.
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

// The tensors of the MLPs are passed to autograd as one list, because their number varies.
Tensor Pack(const PairAttentionInputs& in) {
  std::vector<Tensor> flat;
  for (const auto& tensor : in.rho) flat.push_back(tensor.flatten());
  for (const auto& tensor : in.phi) flat.push_back(tensor.flatten());
  return torch::cat(flat);
}

struct Layout {
  std::vector<std::vector<int64_t>> rho, phi;  // shapes
};

std::vector<std::vector<int64_t>> Shapes(const std::vector<Tensor>& tensors) {
  std::vector<std::vector<int64_t>> shapes;
  for (const Tensor& tensor : tensors) shapes.push_back(tensor.sizes().vec());
  return shapes;
}

std::vector<Tensor> Unpack(const Tensor& packed, const std::vector<std::vector<int64_t>>& shapes, int64_t& at) {
  std::vector<Tensor> tensors;
  for (const auto& shape : shapes) {
    const int64_t size = c10::multiply_integers(shape);
    tensors.push_back(packed.narrow(0, at, size).view(shape));
    at += size;
  }
  return tensors;
}

PairAttentionInputs Assemble(const variable_list& tensors, const Layout& layout) {
  PairAttentionInputs in{tensors[0], tensors[1], tensors[2], tensors[3], tensors[4], {}, {}};
  int64_t at = 0;
  in.rho = Unpack(tensors[5], layout.rho, at);
  in.phi = Unpack(tensors[5], layout.phi, at);
  return in;
}

struct PairBlockSizes {
  int64_t batch, queries;
};

// Bytes of one hidden layer of rho for one query.
int64_t BytesPerQuery(const PairAttentionInputs& in) {
  return in.keys.size(2) * in.rho.front().size(0) * static_cast<int64_t>(in.queries.element_size());
}

PairBlockSizes ChooseBlockSizes(const PairAttentionInputs& in, int64_t block_bytes) {
  const int64_t n = std::max<int64_t>(in.queries.size(2), 1);
  const int64_t queries = std::max<int64_t>(block_bytes / BytesPerQuery(in), 1);
  if (queries < n) return {1, queries};
  return {std::clamp<int64_t>(queries / n, 1, std::max<int64_t>(in.queries.size(0), 1)), n};
}

Tensor Part(const Tensor& tensor, int64_t dimension, int64_t start, int64_t length) {
  return tensor.narrow(dimension, start, std::min(length, tensor.size(dimension) - start));
}

// The arguments of the block of tasks from `b` and queries from `i`, in the order of Assemble().
variable_list TakeBlock(const variable_list& tensors, const PairBlockSizes& blocks, int64_t b, int64_t i) {
  variable_list part;
  for (size_t k = 0; k < 5; ++k) part.push_back(Part(tensors[k], 0, b, blocks.batch));
  part[0] = Part(part[0], 2, i, blocks.queries);
  part[3] = Part(part[3], 1, i, blocks.queries);
  part.push_back(tensors[5]);
  return part;
}

struct PairAttentionFunction : torch::autograd::Function<PairAttentionFunction> {
  static variable_list forward(AutogradContext* context, const Tensor& queries, const Tensor& keys,
                               const Tensor& values, const Tensor& query_x, const Tensor& key_x, const Tensor& packed,
                               const Layout& layout, double scale, PairBlockSizes blocks) {
    const variable_list tensors{queries, keys, values, query_x, key_x, packed};
    context->save_for_backward(tensors);
    context->saved_data["rho"] = layout.rho;
    context->saved_data["phi"] = layout.phi;
    context->saved_data["scale"] = scale;
    context->saved_data["batch_block"] = blocks.batch;
    context->saved_data["query_block"] = blocks.queries;
    auto shape = queries.sizes().vec();
    shape.back() = values.size(3);
    Tensor output = torch::empty(shape, queries.options());
    Tensor new_x = torch::empty_like(query_x);
    for (int64_t b = 0; b < queries.size(0); b += blocks.batch) {
      for (int64_t i = 0; i < queries.size(2); i += blocks.queries) {
        const auto result = Attend(Assemble(TakeBlock(tensors, blocks, b, i), layout), scale);
        Part(Part(output, 0, b, blocks.batch), 2, i, blocks.queries).copy_(result.output);
        Part(Part(new_x, 0, b, blocks.batch), 1, i, blocks.queries).copy_(result.query_x);
      }
    }
    return {output, new_x};
  }

  static Layout SavedLayout(AutogradContext* context) {
    const auto read = [&](const char* name) {
      std::vector<std::vector<int64_t>> shapes;
      for (const c10::IValue& shape : context->saved_data[name].toListRef()) shapes.push_back(shape.toIntVector());
      return shapes;
    };
    return {read("rho"), read("phi")};
  }

  // Computes each block again, this time with autograd watching.
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Layout layout = SavedLayout(context);
    const double scale = context->saved_data["scale"].toDouble();
    const PairBlockSizes blocks{context->saved_data["batch_block"].toInt(), context->saved_data["query_block"].toInt()};
    variable_list sums;
    for (const Tensor& tensor : saved) sums.push_back(torch::zeros_like(tensor));
    for (int64_t b = 0; b < saved[0].size(0); b += blocks.batch) {
      for (int64_t i = 0; i < saved[0].size(2); i += blocks.queries) {
        AddBlockGradients(saved, layout, scale, blocks, b, i, gradients, sums);
      }
    }
    sums.resize(9);  // nothing for the layout, the scale and the block sizes
    return sums;
  }

  static void AddBlockGradients(const variable_list& saved, const Layout& layout, double scale,
                                const PairBlockSizes& blocks, int64_t b, int64_t i, const variable_list& gradients,
                                const variable_list& sums) {
    variable_list leaves;
    for (const Tensor& tensor : TakeBlock(saved, blocks, b, i)) leaves.push_back(tensor.detach().requires_grad_(true));
    variable_list found;
    {
      const torch::AutoGradMode watch(true);
      const auto result = Attend(Assemble(leaves, layout), scale);
      found = torch::autograd::grad({result.output, result.query_x}, leaves,
                                    {Part(Part(gradients[0], 0, b, blocks.batch), 2, i, blocks.queries),
                                     Part(Part(gradients[1], 0, b, blocks.batch), 1, i, blocks.queries)},
                                    /*retain_graph=*/false, /*create_graph=*/false, /*allow_unused=*/true);
    }
    const variable_list places = TakeBlock(sums, blocks, b, i);
    for (size_t k = 0; k < places.size(); ++k) {
      if (found[k].defined()) Tensor(places[k]).add_(found[k]);
    }
  }
};

bool FitsPlainly(const PairAttentionInputs& in, int64_t block_bytes) {
  return BytesPerQuery(in) * in.queries.size(0) * in.queries.size(2) <= block_bytes;
}

}  // namespace

PairAttentionResult PairAttention(const PairAttentionInputs& in, double scale, const PairAttentionSettings& settings) {
  HS_ASSERT(settings.block_bytes > 0 && !in.rho.empty());
  if (in.keys.size(2) == 0) {
    auto shape = in.queries.sizes().vec();
    shape.back() = in.values.size(3);
    return {torch::zeros(shape, in.queries.options()), in.query_x};
  }
  const bool plain = settings.kernel == PairKernel::kPlain ||
                     (settings.kernel == PairKernel::kAuto && FitsPlainly(in, settings.block_bytes));
  if (plain) return Attend(in, scale);
  const variable_list results = PairAttentionFunction::apply(in.queries, in.keys, in.values, in.query_x, in.key_x,
                                                             Pack(in), Layout{Shapes(in.rho), Shapes(in.phi)}, scale,
                                                             ChooseBlockSizes(in, settings.block_bytes));
  return {results[0], results[1]};
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

torch::Tensor TeAttentionImpl::SplitHeads(const torch::Tensor& projected) const {
  return projected.unflatten(-1, {options_.heads, options_.width / options_.heads}).transpose(1, 2).contiguous();
}

std::pair<torch::Tensor, torch::Tensor> TeAttentionImpl::forward(const torch::Tensor& queries,
                                                                 const torch::Tensor& query_x,
                                                                 const torch::Tensor& keys,
                                                                 const torch::Tensor& key_x) {
  PairAttentionInputs in{SplitHeads(query_(queries)),
                         SplitHeads(key_(keys)),
                         SplitHeads(value_(keys)),
                         query_x,
                         key_x,
                         rho_->Layers(),
                         {}};
  if (!phi_.is_empty()) in.phi = phi_->Layers();
  const int64_t head_width = options_.width / options_.heads;
  const double scale = 1.0 / std::sqrt(static_cast<double>(head_width));
  const PairAttentionResult result = PairAttention(in, scale, options_.settings);
  return {output_(result.output.transpose(1, 2).flatten(-2)), result.query_x};
}

}  // namespace haplospin
