// The collective backends of this build.
#pragma once

#include <chrono>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "nn/torch_compat.h"

namespace haplospin {

using CollectiveBackend = c10::intrusive_ptr<compat::CollectiveBackend>;

extern const bool kHasGloo;
extern const bool kHasNccl;

// Only if this build has them.
CollectiveBackend MakeGloo(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                           std::chrono::seconds timeout);
CollectiveBackend MakeNccl(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                           std::chrono::seconds timeout);

}  // namespace haplospin
