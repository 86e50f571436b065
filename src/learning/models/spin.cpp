#include "learning/models/spin.h"

#include <torch/nn/init.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "haplospin/errors.h"
#include "learning/nn/layers/recompute.h"

namespace haplospin {
namespace {

torch::nn::ModuleList Mabs(int64_t count, const MabOptions& options) {
  torch::nn::ModuleList list;
  for (int64_t i = 0; i < count; ++i) list->push_back(Mab(options));
  return list;
}

MaskedTable Rows(const MaskedTable& table, int64_t start, int64_t count) {
  return {table.values.narrow(0, start, count), table.masked.narrow(0, start, count),
          table.in_loss.narrow(0, start, count)};
}

}  // namespace

SpinImpl::SpinImpl(const SpinOptions& options) : options_(options) {
  HS_ASSERT(options.depth > 0 && options.depth % 2 == 0);
  HS_ASSERT(!options.xabd || !options.predict_within_rows);
  const auto d = static_cast<int64_t>(options.attributes.size());
  const int64_t e = options.width;
  const int64_t f = options.latent_attributes;
  const int64_t layers = options.depth / 2;
  embedding_ = register_module("embedding", AttributeEmbedding(EmbeddingOptions(options)));
  const auto mab = [&](int64_t query_width, int64_t key_width) {
    MabOptions block = PaperMab(options, query_width, key_width);
    block.normalize_keys = options.normalize_keys;
    return block;
  };
  const bool within_rows = options.predict_within_rows;
  inducing_points_ = XavierTensor({options.inducing_points, f, e});
  if (!within_rows) inducing_points_ = register_parameter("inducing_points", inducing_points_);
  if (options.xabd || within_rows) {
    reduce_attributes_ = register_module("reduce_attributes", torch::nn::Linear(d, f));
    xaba_ = register_module("xaba", Mabs(options.xaba ? layers : 0, mab(e, e)));
    xabd_ = register_module("xabd", Mabs(options.xabd ? layers : 0, mab(f * e, f * e)));
    abla_ = register_module("abla", Mabs(options.abla ? layers - 1 : 0, mab(e, e)));
  }
  predictor_ = register_module("predictor", Mab(within_rows ? mab(e, e) : mab(d * e, f * e)));
  heads_ = register_module("heads", AttributeHeads(options.attributes, e, options.share_classes));
  if (options.smoothed_classes.defined()) StartAsSmoother(options.smoothed_classes);
}

void SpinImpl::StartAsSmoother(const torch::Tensor& classes) {
  HS_ASSERT(options_.xabd && options_.latent_attributes == static_cast<int64_t>(options_.attributes.size()));
  const MabStart pass_on{.attended = 0.1};
  // Scores of random directions vary far less than those of similar datapoints.
  const MabStart gather_by_direction{.gain = 20.0, .residual = 0.1};
  const MabStart gather_alike{.gain = 3.0, .residual = 0.1};
  const MabStart predict_from_alike{.gain = 3.0};
  const torch::NoGradGuard no_grad;
  inducing_points_.normal_();
  torch::nn::init::eye_(reduce_attributes_->weight);
  reduce_attributes_->bias.zero_();
  for (size_t i = 0; i < xabd_->size(); ++i) {
    if (i < xaba_->size()) xaba_->at<MabImpl>(i).StartAsSmoother(pass_on);
    if (i < abla_->size()) abla_->at<MabImpl>(i).StartAsSmoother(pass_on);
    xabd_->at<MabImpl>(i).StartAsSmoother(i == 0 ? gather_by_direction : gather_alike);
  }
  predictor_->StartAsSmoother(predict_from_alike);
  heads_->StartFrom(classes);
}

bool SpinImpl::IsMoreThanOneBlock(const MaskedTable& table) const {
  return options_.rows_per_block > 0 && table.values.size(0) > options_.rows_per_block;
}

std::vector<torch::Tensor> SpinImpl::InBlocks(const MaskedTable& table, const Tensors& inputs,
                                              const RowFunction& function) {
  if (!IsMoreThanOneBlock(table)) return function(table, inputs);
  const int64_t n = table.values.size(0);
  const int64_t step = options_.rows_per_block;
  std::vector<Tensors> result_blocks;
  for (int64_t start = 0; start < n; start += step) {
    const MaskedTable rows = Rows(table, start, std::min(step, n - start));
    const Tensors results =
        Recompute([=](const Tensors& given) { return function(rows, given); }, inputs, parameters());
    result_blocks.resize(results.size());
    for (size_t i = 0; i < results.size(); ++i) result_blocks[i].push_back(results[i]);
  }
  Tensors joined;
  for (Tensors& blocks : result_blocks) joined.push_back(torch::cat(std::exchange(blocks, {})));
  return joined;
}

std::vector<torch::Tensor> SpinImpl::LatentAttributes(const MaskedTable& rows) {
  const torch::Tensor data = embedding_(rows);
  torch::Tensor latent = reduce_attributes_(data.transpose(1, 2)).transpose(1, 2);
  std::vector<torch::Tensor> layers;
  const auto count = static_cast<size_t>(options_.depth / 2);
  for (size_t i = 0; i < count; ++i) {
    if (options_.xaba) latent = xaba_->at<MabImpl>(i).forward(latent, data);
    layers.push_back(latent);
    if (i < abla_->size()) latent = abla_->at<MabImpl>(i).forward(latent, latent);
  }
  return layers;
}

torch::Tensor SpinImpl::Encode(const MaskedTable& table) {
  HS_ASSERT(table.values.size(0) > 0);
  if (!options_.xabd) return inducing_points_;
  const Tensors layers =
      InBlocks(table, {}, [this](const MaskedTable& rows, const Tensors&) { return LatentAttributes(rows); });
  torch::Tensor points = Unfold(inducing_points_);
  for (size_t i = 0; i < layers.size(); ++i) {
    // XABD is recomputed for large tables so that its keys and values of all rows are not kept for each layer.
    const auto attend = [this, i](const Tensors& inputs) {
      return Tensors{xabd_->at<MabImpl>(i).forward(inputs[0], Unfold(inputs[1]))};
    };
    const Tensors inputs{points, layers[i]};
    points = (IsMoreThanOneBlock(table) ? Recompute(attend, inputs, parameters()) : attend(inputs)).front();
  }
  return Fold(points, options_.width);
}

torch::Tensor SpinImpl::ContextWeights(const MaskedTable& context, const MaskedTable& query) {
  HS_ASSERT(options_.xabd);
  const std::vector<torch::Tensor> layers = LatentAttributes(context);
  torch::Tensor points = Unfold(inducing_points_);
  torch::Tensor gathered;
  for (size_t i = 0; i < layers.size(); ++i) {
    auto& xabd = xabd_->at<MabImpl>(i);
    const torch::Tensor latent = Unfold(layers[i]);
    gathered = xabd.Weights(points, latent).squeeze(0).mean(0);
    points = xabd.forward(points, latent);
  }
  return PredictorWeights(query, Fold(points, options_.width)).mean(0).matmul(gathered);
}

torch::Tensor SpinImpl::PredictBlock(const MaskedTable& query, const torch::Tensor& inducing_points) {
  if (options_.predict_within_rows) return heads_(predictor_(embedding_(query), LatentAttributes(query).back()));
  const torch::Tensor datapoints = predictor_(Unfold(embedding_(query)), Unfold(inducing_points));
  return heads_(Fold(datapoints, options_.width));
}

torch::Tensor SpinImpl::Predict(const MaskedTable& query, const torch::Tensor& inducing_points) {
  const auto predict = [this](const MaskedTable& rows, const Tensors& inputs) {
    return Tensors{PredictBlock(rows, inputs.front())};
  };
  return InBlocks(query, {inducing_points}, predict).front();
}

torch::Tensor SpinImpl::PredictorWeights(const MaskedTable& query, const torch::Tensor& inducing_points) {
  HS_ASSERT(!options_.predict_within_rows);
  return predictor_->Weights(Unfold(embedding_(query)), Unfold(inducing_points)).squeeze(0);
}

}  // namespace haplospin
