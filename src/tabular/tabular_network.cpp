#include "tabular/tabular_network.h"

namespace haplospin {

std::shared_ptr<ContextNetwork> MakeTabularNetwork(const ContextNetworkOptions& options, const Attributes& attributes) {
  return MakeContextNetwork(
      options,
      {.attributes = attributes, .long_values = true, .normalize_keys = true, .rows_per_block = kSpinRowsPerBlock});
}

}  // namespace haplospin
