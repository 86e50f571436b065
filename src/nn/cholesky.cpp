#include "nn/cholesky.h"

#include "haplospin/errors.h"

namespace haplospin {

torch::Tensor StableCholesky(const torch::Tensor& matrices) {
  const auto [factor, info] = torch::linalg_cholesky_ex(matrices);
  if (info.max().item<int>() == 0) return factor;
  const torch::Tensor eye = torch::eye(matrices.size(-1), matrices.options());
  const torch::Tensor scale = matrices.detach().diagonal(0, -2, -1).mean(-1).unsqueeze(-1).unsqueeze(-1);
  for (double jitter = 1e-10; jitter <= 1e-2; jitter *= 10) {
    const auto [next, failed] = torch::linalg_cholesky_ex(matrices + jitter * scale * eye);
    if (failed.max().item<int>() == 0) return next;
  }
  throw InputError("the covariance of a Gaussian process is not positive definite; are x and y finite?");
}

}  // namespace haplospin
