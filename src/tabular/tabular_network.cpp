#include "tabular/tabular_network.h"

namespace haplospin {

std::shared_ptr<ResidualNetwork> MakeTabularNetwork(const ContextNetworkOptions& options,
                                                    std::shared_ptr<LinearModel> linear, const Attributes& attributes,
                                                    const torch::Tensor& is_target) {
  const ContextNetworkTable table{
      .attributes = attributes, .long_values = true, .normalize_keys = true, .rows_per_block = kSpinRowsPerBlock};
  return std::make_shared<ResidualNetwork>(MakeContextNetwork(options, table), std::move(linear), attributes,
                                           is_target);
}

}  // namespace haplospin
