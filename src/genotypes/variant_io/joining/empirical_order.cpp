#include "genotypes/variant_io/joining/empirical_order.h"

#include <algorithm>
#include <cmath>

#include "genotypes/genomics/dosage_r2.h"
#include "genotypes/genomics/quantized_probability.h"

namespace haplospin {
namespace {

constexpr size_t kMinTyped = 10;  // markers, before which chance may decide
constexpr double kMissing = 1;    // what a marker counts that a file lacks: the largest difference of two ER2

// Rounded probabilities give an ER2 that differs a little from that of the file.
constexpr double kRounding = 0.005;
constexpr double kClearly = 3;  // times more

std::optional<double> EmpiricalR2Of(const TypedSite& site) {
  std::vector<float> left_out(site.left_out.size());
  std::ranges::transform(site.left_out, left_out.begin(), UnpackProbability);
  return EmpiricalR2(left_out, site.alleles);
}

}  // namespace

EmpiricalOrder::EmpiricalOrder(size_t num_files)
    : sites_(num_files), differences_(num_files, std::vector<double>(num_files)), num_typed_(num_files) {}

EmpiricalOrder::Key EmpiricalOrder::KeyOf(const Marker& marker) {
  const auto& [first, second] = std::minmax(marker.ref, marker.alt);
  return {marker.position, first, second};
}

void EmpiricalOrder::AddSites(size_t empirical, std::span<const TypedSite> sites) {
  for (const TypedSite& site : sites) sites_[empirical].emplace(KeyOf(site.marker), EmpiricalR2Of(site));
}

void EmpiricalOrder::AddTyped(size_t imputed, const Marker& marker, std::optional<float> er2) {
  ++num_typed_[imputed];
  const Key key = KeyOf(marker);
  for (size_t k = 0; k < sites_.size(); ++k) {
    const auto found = sites_[k].find(key);
    if (found == sites_[k].end()) {
      differences_[imputed][k] += kMissing;
    } else if (er2 && found->second) {
      differences_[imputed][k] += std::abs(*er2 - *found->second);
    }
  }
}

std::optional<size_t> EmpiricalOrder::FindOther(size_t imputed) const {
  if (num_typed_[imputed] < kMinTyped) return std::nullopt;
  const std::vector<double>& differences = differences_[imputed];
  const auto best = std::ranges::min_element(differences);
  const double own = differences[imputed], rounding = kRounding * static_cast<double>(num_typed_[imputed]);
  if (own <= rounding + kClearly * *best) return std::nullopt;
  return static_cast<size_t>(best - differences.begin());
}

}  // namespace haplospin
