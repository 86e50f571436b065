// Gloo's own headers (Debian: libgloo-dev) are needed to see LibTorch's Gloo backend; CMakeLists.txt looks for them.
#if HAPLOSPIN_GLOO
#define USE_C10D_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif

#include <cstdlib>

#include "haplospin/errors.h"
#include "nn/distributed/collective_backends.h"

namespace haplospin {

const bool kHasGloo = HAPLOSPIN_GLOO;

#if HAPLOSPIN_GLOO

CollectiveBackend MakeGloo(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                           std::chrono::seconds timeout) {
  const auto options = c10d::ProcessGroupGloo::Options::create(timeout);
  options->threads = 2;
  // As in torch.distributed.
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
  options->devices.push_back(interface != nullptr ? c10d::ProcessGroupGloo::createDeviceForInterface(interface)
                                                  : c10d::ProcessGroupGloo::createDefaultDevice());
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, size, options);
}

#else

CollectiveBackend MakeGloo(const c10::intrusive_ptr<c10d::Store>&, int, int, std::chrono::seconds) {
  HS_ASSERT(kHasGloo);
  return {};
}

#endif

}  // namespace haplospin
