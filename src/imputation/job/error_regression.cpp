#include "imputation/job/error_regression.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>

namespace haplospin {
namespace {

constexpr float kRidgeOfSites = 30;       // added to the sums of squares of alleles
constexpr float kRidgeOfProbability = 3;  // and of the probability
constexpr float kMinCarriersOfFit = 10;   // haplotypes with the minor allele

using ColumnView = Eigen::Map<const Eigen::VectorXf>;

ColumnView View(std::span<const float> column) { return {column.data(), static_cast<Eigen::Index>(column.size())}; }

// The sites that exist, and the inverse of their sums of squares and products with the ridge added.
struct SiteSums {
  Eigen::MatrixXf alleles;  // [haplotypes, sites]
  Eigen::MatrixXf inverse;  // [sites, sites]
  std::vector<size_t> slots;
};

SiteSums SumsOf(std::span<const std::vector<float>, kErrorSites> sites, size_t num_haplotypes) {
  SiteSums sums;
  for (size_t k = 0; k < kErrorSites; ++k) {
    if (!sites[k].empty()) sums.slots.push_back(k);
  }
  const auto count = static_cast<Eigen::Index>(sums.slots.size());
  sums.alleles.resize(static_cast<Eigen::Index>(num_haplotypes), count);
  for (Eigen::Index a = 0; a < count; ++a) sums.alleles.col(a) = View(sites[sums.slots[static_cast<size_t>(a)]]);
  Eigen::MatrixXd squares = (sums.alleles.transpose() * sums.alleles).cast<double>();
  squares.diagonal().array() += kRidgeOfSites;
  sums.inverse = squares.llt().solve(Eigen::MatrixXd::Identity(count, count)).cast<float>();
  return sums;
}

// The probability is one regressor more than the sites, which differs from marker to marker: it is eliminated first.
ErrorFunction FitMarker(const SiteSums& sites, const LeftOutMarker& marker) {
  const Eigen::VectorXf probability = View(marker.probability).array() - marker.frequency;
  const Eigen::VectorXf error = View(marker.alleles) - View(marker.probability);
  const Eigen::VectorXf with_probability = sites.alleles.transpose() * probability;
  const Eigen::VectorXf with_error = sites.alleles.transpose() * error;
  const Eigen::VectorXf of_probability = sites.inverse * with_probability, of_error = sites.inverse * with_error;
  ErrorFunction result;
  result.of_probability = (probability.dot(error) - with_probability.dot(of_error)) /
                          (probability.squaredNorm() + kRidgeOfProbability - with_probability.dot(of_probability));
  const Eigen::VectorXf beta = of_error - result.of_probability * of_probability;
  for (size_t a = 0; a < sites.slots.size(); ++a) result.of_site[sites.slots[a]] = beta[static_cast<Eigen::Index>(a)];
  return result;
}

}  // namespace

std::vector<std::optional<ErrorFunction>> FitErrors(std::span<const std::vector<float>, kErrorSites> sites,
                                                    std::span<const LeftOutMarker> markers) {
  std::vector<std::optional<ErrorFunction>> fits(markers.size());
  if (markers.empty()) return fits;
  const size_t haplotypes = markers[0].alleles.size();
  const SiteSums sums = SumsOf(sites, haplotypes);
  for (size_t m = 0; m < markers.size(); ++m) {
    const float carriers = View(markers[m].alleles).sum();
    if (std::min(carriers, static_cast<float>(haplotypes) - carriers) < kMinCarriersOfFit) continue;
    fits[m] = FitMarker(sums, markers[m]);
  }
  return fits;
}

}  // namespace haplospin
