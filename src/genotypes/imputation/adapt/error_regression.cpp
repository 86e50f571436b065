#include "genotypes/imputation/adapt/error_regression.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <numeric>

namespace haplospin {
namespace {

constexpr float kRidgeOfSites = 100;       // added to the sums of squares of alleles
constexpr float kRidgeOfProbability = 10;  // and of the probability
constexpr float kMinCarriers = 10;         // haplotypes with the minor allele
constexpr float kMinWeight = 0.02f;        // of a haplotype that is used

// The weights are part of the function, so they multiply the regressors and not the errors.
ErrorFunction SolveMarker(std::span<const std::vector<float>, kErrorSites> sites, const LeftOutMarker& marker) {
  std::vector<size_t> used;
  for (size_t h = 0; h < marker.probability.size(); ++h) {
    if (ErrorWeight(marker.probability[h]) >= kMinWeight) used.push_back(h);
  }
  const auto rows = static_cast<Eigen::Index>(used.size());
  Eigen::MatrixXf regressors = Eigen::MatrixXf::Zero(rows, kErrorSites + 1);
  Eigen::VectorXf error(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const size_t h = used[static_cast<size_t>(i)];
    const float probability = marker.probability[h], weight = ErrorWeight(probability);
    error[i] = marker.alleles[h] - probability;
    regressors(i, 0) = weight * (probability - marker.frequency);
    for (size_t k = 0; k < kErrorSites; ++k) {
      if (!sites[k].empty()) regressors(i, static_cast<Eigen::Index>(k + 1)) = weight * sites[k][h];
    }
  }
  Eigen::MatrixXd squares = (regressors.transpose() * regressors).cast<double>();
  squares(0, 0) += kRidgeOfProbability;
  squares.diagonal().tail(kErrorSites).array() += kRidgeOfSites;
  const Eigen::VectorXd beta = squares.llt().solve((regressors.transpose() * error).cast<double>());
  ErrorFunction result{.probability_factor = static_cast<float>(beta[0])};
  for (size_t k = 0; k < kErrorSites; ++k) {
    result.site_factors[k] = static_cast<float>(beta[static_cast<Eigen::Index>(k + 1)]);
  }
  return result;
}

}  // namespace

std::vector<std::optional<ErrorFunction>> RegressErrors(std::span<const std::vector<float>, kErrorSites> sites,
                                                        std::span<const LeftOutMarker> markers) {
  std::vector<std::optional<ErrorFunction>> functions(markers.size());
  for (size_t m = 0; m < markers.size(); ++m) {
    const float carriers = std::accumulate(markers[m].alleles.begin(), markers[m].alleles.end(), 0.0f);
    const float others = static_cast<float>(markers[m].alleles.size()) - carriers;
    if (std::min(carriers, others) >= kMinCarriers) functions[m] = SolveMarker(sites, markers[m]);
  }
  return functions;
}

}  // namespace haplospin
