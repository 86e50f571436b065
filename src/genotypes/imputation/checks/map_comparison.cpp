#include "genotypes/imputation/checks/map_comparison.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "genotypes/genomics/bits.h"
#include "genotypes/genomics/dosage_r2.h"

namespace haplospin {
namespace {

constexpr double kMinMaf = 0.05;
constexpr int64_t kSpacing = 1000;                       // bp between two sites, at least
constexpr size_t kHalf = 5;                              // sites on either side of a point, and reach of a pair
constexpr int64_t kMaxLength = 200'000;                  // bp of a row of sites, which may be on both sides of a gap
constexpr double kAddedR2 = 0.02, kAddedLength = 1e-4;   // so that logarithms exist; cM
constexpr size_t kMinPoints = 500, kMaxPoints = 20'000;  // few tell nothing; many are thinned
constexpr int64_t kStep = 10'000, kMaxShift = 500'000;   // bp
constexpr int64_t kMinShift = 20'000;                    // bp; less does not matter
constexpr int64_t kShiftsApart = 100'000;                // bp; shifts that are independent of the best one
constexpr double kMinCorrelation = 0.3;
constexpr double kMinDeviations = 4;  // standard deviations by which the best shift is better than others

// Correlation of x and y given z.
double PartialCorrelation(double xy, double xz, double yz) {
  const double rest = (1 - xz * xz) * (1 - yz * yz);
  return rest > 0 ? (xy - xz * yz) / std::sqrt(rest) : 0;
}

struct Distribution {
  double mean, deviation;
};

// Of the correlations at shifts that are far from the best one.
Distribution Elsewhere(const std::vector<double>& correlations, size_t best) {
  double n = 0, sum = 0, squares = 0;
  for (size_t i = 0; i < correlations.size(); ++i) {
    const size_t steps = i > best ? i - best : best - i;
    if (static_cast<int64_t>(steps) * kStep <= kShiftsApart) continue;
    ++n;
    sum += correlations[i];
    squares += correlations[i] * correlations[i];
  }
  const double mean = sum / n;
  return {mean, std::sqrt(std::max(0.0, squares / n - mean * mean))};
}

}  // namespace

void MapComparison::Add(const HaplotypePanel& panel) {
  num_haplotypes_ = std::min(panel.num_haplotypes(), 64 * kWords);
  const int64_t first = sites_.empty() ? 0 : sites_.back().position + kSpacing;
  for (size_t m = FirstMarkerAtOrAfter(panel, first); m < panel.num_markers(); ++m) {
    const int64_t position = panel.marker(m).position;
    if (panel.is_rare(m) || (!sites_.empty() && position < sites_.back().position + kSpacing)) continue;
    Site site{.position = position, .alleles = {}};
    panel.CopyWords(m, 0, std::min(panel.words_per_marker(), kWords), site.alleles.data());
    const size_t count = CountBits(site.alleles);
    const double minor = static_cast<double>(std::min(count, num_haplotypes_ - count));
    if (minor < kMinMaf * static_cast<double>(num_haplotypes_)) continue;
    sites_.push_back(site);
    if (sites_.size() > 2 * kHalf) sites_.pop_front();
    if (sites_.size() == 2 * kHalf) AddPoint();
  }
}

void MapComparison::AddPoint() {
  if (sites_.back().position - sites_.front().position > kMaxLength) return;
  const auto n = static_cast<double>(num_haplotypes_);
  const auto count = [](const Site& x, const Site& y) {
    int both = 0;
    for (size_t w = 0; w < kWords; ++w) both += std::popcount(x.alleles[w] & y.alleles[w]);
    return static_cast<double>(both);
  };
  double sum = 0, pairs = 0;
  for (size_t i = 0; i < kHalf; ++i) {
    for (size_t j = kHalf; j <= i + kHalf; ++j) {
      const double a = count(sites_[i], sites_[i]), b = count(sites_[j], sites_[j]);
      const double covariance = n * count(sites_[i], sites_[j]) - a * b;
      sum += covariance * covariance / (a * (n - a) * b * (n - b));
      ++pairs;
    }
  }
  points_.push_back({.begin = sites_.front().position,
                     .end = sites_.back().position,
                     .log_r2 = static_cast<float>(std::log(sum / pairs + kAddedR2))});
}

// How well the moved map agrees: the more recombination, the less linkage, given the length in bp.
double MapComparison::Correlation(const GeneticMap& map, int64_t shift) const {
  DosageSums map_r2, map_length, length_r2;
  const size_t stride = (points_.size() + kMaxPoints - 1) / kMaxPoints;
  for (size_t p = 0; p < points_.size(); p += stride) {
    const Point& point = points_[p];
    const double centimorgans = map.Centimorgans(point.end + shift) - map.Centimorgans(point.begin + shift);
    const double distance = std::log(centimorgans + kAddedLength);
    const double length = std::log(static_cast<double>(point.end - point.begin));
    map_r2.Add(distance, point.log_r2);
    map_length.Add(distance, length);
    length_r2.Add(length, point.log_r2);
  }
  const double value = PartialCorrelation(map_r2.Correlation(), map_length.Correlation(), length_r2.Correlation());
  return std::isnan(value) ? 0 : -value;
}

MapComparison::Shift MapComparison::FindShift(const GeneticMap& map) const {
  if (points_.size() < kMinPoints) return {};
  std::vector<double> correlations;
  for (int64_t shift = -kMaxShift; shift <= kMaxShift; shift += kStep) correlations.push_back(Correlation(map, shift));
  const auto best = static_cast<size_t>(std::ranges::max_element(correlations) - correlations.begin());
  const auto [mean, deviation] = Elsewhere(correlations, best);
  const double as_it_is = correlations[kMaxShift / kStep], shifted = correlations[best];
  const int64_t distance = static_cast<int64_t>(best) * kStep - kMaxShift;
  const bool is_clear = shifted >= kMinCorrelation && shifted - mean >= kMinDeviations * deviation;
  const bool agrees_as_it_is = std::abs(distance) < kMinShift || 2 * (as_it_is - mean) > shifted - mean;
  if (!is_clear || agrees_as_it_is) return {};
  return {.distance = distance, .correlation = as_it_is, .correlation_shifted = shifted};
}

}  // namespace haplospin
