// The headers of NCCL and CUDA are needed to see LibTorch's NCCL backend; CMakeLists.txt looks for them.
#if HAPLOSPIN_NCCL
#define USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include "haplospin/errors.h"
#include "nn/distributed/collective_backends.h"

namespace haplospin {

const bool kHasNccl = HAPLOSPIN_NCCL;

#if HAPLOSPIN_NCCL

CollectiveBackend MakeNccl(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                           std::chrono::seconds timeout) {
  const auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = timeout;
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, size, options);
}

#else

CollectiveBackend MakeNccl(const c10::intrusive_ptr<c10d::Store>&, int, int, std::chrono::seconds) {
  HS_ASSERT(kHasNccl);
  return {};
}

#endif

}  // namespace haplospin
