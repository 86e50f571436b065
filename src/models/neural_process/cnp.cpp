#include "models/neural_process/cnp.h"

#include <algorithm>

namespace haplospin {
namespace {

constexpr int64_t kEncoderLayers = 5;

MlpOptions EncoderOptions(const ProcessOptions& options) {
  return {.input = options.dx + options.dy,
          .hidden = options.width,
          .output = options.width,
          .hidden_layers = kEncoderLayers};
}

}  // namespace

torch::Tensor MeanOrZero(const torch::Tensor& values, int64_t dimension) {
  return values.sum(dimension) / static_cast<double>(std::max<int64_t>(values.size(dimension), 1));
}

Cnp::Cnp(const ProcessOptions& options) {
  encoder_ = register_module("encoder", Mlp(EncoderOptions(options)));
  head_ = register_module("head", GaussianHead(options, options.dx + options.width));
}

Prediction Cnp::Predict(const torch::Tensor& context_x, const torch::Tensor& context_y, const torch::Tensor& target_x) {
  const torch::Tensor code = MeanOrZero(encoder_(torch::cat({context_x, context_y}, -1)), 1);
  const torch::Tensor repeated = code.unsqueeze(1).expand({-1, target_x.size(1), -1});
  return head_(torch::cat({target_x, repeated}, -1).unsqueeze(0));
}

Rcnp::Rcnp(const ProcessOptions& options) {
  encoder_ = register_module("encoder", Mlp(EncoderOptions(options)));
  head_ = register_module("head", GaussianHead(options, options.width));
}

Prediction Rcnp::Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                         const torch::Tensor& target_x) {
  const torch::Tensor difference = target_x.unsqueeze(2) - context_x.unsqueeze(1);  // [b, n, m, dx]
  const torch::Tensor y = context_y.unsqueeze(1).expand({-1, target_x.size(1), -1, -1});
  return head_(MeanOrZero(encoder_(torch::cat({difference, y}, -1)), 2).unsqueeze(0));
}

}  // namespace haplospin
