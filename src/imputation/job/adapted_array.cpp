#include "imputation/job/adapted_array.h"

#include <algorithm>

#include "haplospin/errors.h"

namespace haplospin {

std::optional<ArrayWindow> AdaptedArray::Find(const HaplotypePanel& panel, const std::vector<uint32_t>& typed,
                                              MarkerRange wanted) {
  const std::vector<int64_t>& positions = adaptation_.positions();
  const size_t first_in_file =
      static_cast<size_t>(std::ranges::lower_bound(positions, panel.marker(0).position) - positions.begin());
  HS_ASSERT(first_in_file + panel.num_markers() <= positions.size());

  ArrayWindow window{.first = wanted.begin};
  ArrayAgreement here{.markers = wanted.size(), .adapted = wanted.size()};
  auto next_typed = typed.begin();
  for (uint32_t m = 0; m < panel.num_markers(); ++m) {
    const bool is_typed = next_typed != typed.end() && *next_typed == m;
    const bool is_of_array = adaptation_.IsArraySite(first_in_file + m);
    if (is_typed) ++next_typed;
    if (wanted.Contains(m)) {
      here.array_sites += is_of_array;
      here.study_sites += is_typed;
      here.shared_sites += is_typed && is_of_array;
      window.r2.push_back(adaptation_.R2(first_in_file + m));
      window.error.push_back(adaptation_.Error(first_in_file + m));
      window.sites_before.push_back(static_cast<uint32_t>(window.sites.size()));
    }
    if (is_of_array) window.sites.push_back(is_typed ? m : ArrayWindow::kAbsent);
  }
  const auto shared = static_cast<double>(here.shared_sites);
  const bool agrees = shared >= kMinShared * static_cast<double>(here.array_sites) &&
                      shared >= kMinShared * static_cast<double>(here.study_sites);
  if (!agrees) here.adapted = 0;
  agreement_ += here;
  return agrees ? std::optional(std::move(window)) : std::nullopt;
}

}  // namespace haplospin
