// The Cholesky factor of covariances, which may be singular but for rounding errors.
#pragma once

#include <torch/types.h>

namespace haplospin {

// The lower factor of symmetric matrices [.., n, n]. Where there is none, a jitter is added to the diagonal, from 1e-10
// to 1e-2 of its mean, as little as is needed. Throws InputError if that is not enough.
torch::Tensor StableCholesky(const torch::Tensor& matrices);

}  // namespace haplospin
