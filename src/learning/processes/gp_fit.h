// Fits the parameters of a Gaussian process to the points of a context.
#pragma once

#include <torch/types.h>

#include "learning/processes/gaussian_process.h"
#include "learning/processes/process_arguments.h"

namespace haplospin {

// Parameters that maximize the marginal likelihood of one context, of at most some 500 observations of it, times weak
// priors: a lengthscale for each input, variance, noise, and with several outputs their covariance. The search begins
// at three lengthscales relative to the range of the inputs. With many points only the best of these starts, chosen on
// a part of them, is followed to its end.
GpParameters FitGaussianProcess(const torch::Tensor& context_x, const torch::Tensor& context_y,
                                GpKernel kernel = GpKernel::kSquaredExponential);

}  // namespace haplospin
