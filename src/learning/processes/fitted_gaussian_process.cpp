#include "learning/processes/fitted_gaussian_process.h"

#include <vector>

#include "learning/processes/gp_fit.h"

namespace haplospin {

using torch::Tensor;

const GaussianPosterior& GaussianProcess::Posterior(const Tensor& x, const Tensor& y) {
  const bool is_last = posterior_ && x.equal(context_x_) && y.equal(context_y_);
  if (!is_last) {
    posterior_.emplace(parameters_, x, y);
    context_x_ = x.clone();
    context_y_ = y.clone();
  }
  return *posterior_;
}

Prediction GaussianProcess::Predict(const Tensor& context_x, const Tensor& context_y, const Tensor& target_x) {
  std::vector<Prediction> predictions;
  for (int64_t b = 0; b < context_x.size(0); ++b) {
    predictions.push_back(Posterior(context_x[b], context_y[b]).Predict(target_x[b]));
  }
  const Prediction all = Join(predictions, 1);
  return {all.mean.to(target_x.scalar_type()), all.sd.to(target_x.scalar_type())};
}

std::shared_ptr<ProcessPredictor> FittedGaussianProcess::FitTo(const Tensor& context_x, const Tensor& context_y) {
  GpParameters parameters{.kernel = kernel_, .noise = kStartGpNoise};
  if (context_x.size(0) > 1) parameters = FitGaussianProcess(context_x, context_y, kernel_);
  return std::make_shared<GaussianProcess>(std::move(parameters));
}

Prediction FittedGaussianProcess::Predict(const Tensor& context_x, const Tensor& context_y, const Tensor& target_x) {
  std::vector<Prediction> predictions;
  for (int64_t b = 0; b < context_x.size(0); ++b) {
    const auto task = [b](const Tensor& points) { return points.narrow(0, b, 1); };
    predictions.push_back(FitTo(context_x[b], context_y[b])->Predict(task(context_x), task(context_y), task(target_x)));
  }
  return Join(predictions, 1);
}

}  // namespace haplospin
