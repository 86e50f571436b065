#include "genotypes/imputation/adapt/adapted_array.h"

#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"

namespace haplospin {

static_assert(kAdaptedPopulations == kNumPopulations);

AdaptedArray::AdaptedArray(const SampleTable& samples, PanelAdaptation adaptation)
    : adaptation_(std::move(adaptation)),
      populations_(std::make_shared<const PanelPopulations>(samples, adaptation_.Shares())),
      switches_(adaptation_.Switches()) {
  for (size_t m = 0; m < adaptation_.num_markers(); ++m) {
    if (adaptation_.IsArraySite(m)) sites_.push_back(adaptation_.positions()[m]);
  }
  for (size_t j = 0; j < switches_.size(); ++j) switches_[j] = j == 0 ? 0 : switches_[j - 1] + switches_[j];
}

// There are none beyond the array's ends.
double AdaptedArray::SwitchesBefore(int64_t position) const {
  const auto after = static_cast<size_t>(std::ranges::lower_bound(sites_, position) - sites_.begin());
  if (after == sites_.size()) return switches_.back();
  if (after == 0 || sites_[after] == position) return switches_[after];
  const auto length = static_cast<double>(sites_[after] - sites_[after - 1]);
  const double share = static_cast<double>(position - sites_[after - 1]) / length;
  return switches_[after - 1] + share * (switches_[after] - switches_[after - 1]);
}

PanelEstimates AdaptedArray::Estimates(const PanelWindow& window) const {
  const HaplotypePanel& panel = window.panel();
  const std::vector<uint32_t>& typed = window.typed_markers();
  std::vector<float> switch_probability;
  for (size_t j = 1; j < typed.size(); ++j) {
    const double switches =
        SwitchesBefore(panel.marker(typed[j]).position) - SwitchesBefore(panel.marker(typed[j - 1]).position);
    switch_probability.push_back(SwitchProbability(1 - std::exp(-switches)));
  }
  const auto& [mismatch_rate, unmatched_share] = adaptation_.copying();
  return {EarlierPanelCopying(std::move(switch_probability), mismatch_rate, unmatched_share, window.options()),
          populations_};
}

std::optional<ArrayWindow> AdaptedArray::Find(const HaplotypePanel& panel, const std::vector<uint32_t>& typed,
                                              MarkerRange core, MarkerRange wanted) {
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
    if (core.Contains(m)) {
      here.array_sites += is_of_array;
      here.study_sites += is_typed;
      here.shared_sites += is_typed && is_of_array;
    }
    if (wanted.Contains(m)) {
      window.r2.push_back(adaptation_.R2(first_in_file + m));
      window.error.push_back(adaptation_.Error(first_in_file + m));
      window.sites_before.push_back(static_cast<uint32_t>(window.sites.size()));
    }
    if (is_of_array) window.sites.push_back(is_typed ? m : ArrayWindow::kAbsent);
  }
  const auto shared = static_cast<double>(here.shared_sites);
  const bool agrees = !sites_.empty() && shared >= kMinOfArray * static_cast<double>(here.array_sites) &&
                      shared >= kMinOfStudy * static_cast<double>(here.study_sites);
  if (!agrees) here.adapted = 0;
  agreement_ += here;
  return agrees ? std::optional(std::move(window)) : std::nullopt;
}

}  // namespace haplospin
