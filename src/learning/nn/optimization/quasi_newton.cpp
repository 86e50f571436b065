#include "learning/nn/optimization/quasi_newton.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace haplospin {
namespace {

constexpr double kSufficientDecrease = 1e-4;  // share of the decrease that the slope promises
constexpr int kHalvings = 12;
constexpr int kSmallGains = 2;

using Numbers = std::vector<double>;

double Dot(const Numbers& a, const Numbers& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

// An estimate of the inverse of the second derivatives.
class InverseHessian {
 public:
  explicit InverseHessian(size_t size) : size_(size) { Reset(); }

  void Reset() {
    matrix_.assign(size_ * size_, 0.0);
    for (size_t i = 0; i < size_; ++i) matrix_[i * size_ + i] = 1;
    is_scaled_ = false;
  }
  bool is_scaled() const { return is_scaled_; }

  Numbers Times(const Numbers& vector) const {
    Numbers product(size_);
    for (size_t i = 0; i < size_; ++i) {
      for (size_t j = 0; j < size_; ++j) product[i] += matrix_[i * size_ + j] * vector[j];
    }
    return product;
  }

  // Learns from a step and the change of the gradient along it.
  void Update(const Numbers& step, const Numbers& change) {
    const double curvature = Dot(step, change);
    if (curvature <= 1e-10 * std::sqrt(Dot(step, step) * Dot(change, change))) return;
    if (!is_scaled_) {
      for (double& value : matrix_) value *= curvature / Dot(change, change);
      is_scaled_ = true;
    }
    const Numbers product = Times(change);
    const double factor = (1 + Dot(change, product) / curvature) / curvature;
    for (size_t i = 0; i < size_; ++i) {
      for (size_t j = 0; j < size_; ++j) {
        matrix_[i * size_ + j] +=
            factor * step[i] * step[j] - (step[i] * product[j] + product[i] * step[j]) / curvature;
      }
    }
  }

 private:
  size_t size_;
  Numbers matrix_;
  bool is_scaled_ = false;
};

// Down the estimated second-order approximation, or down the gradient where that does not lead downwards.
Numbers Direction(InverseHessian& hessian, const Numbers& gradient, double max_step) {
  Numbers direction = hessian.Times(gradient);
  if (!(Dot(direction, gradient) > 0)) {
    hessian.Reset();
    direction = gradient;
  }
  double largest = 0;
  for (const double value : direction) largest = std::max(largest, std::abs(value));
  const double scale = largest > max_step ? max_step / largest : 1;
  for (double& value : direction) value *= -scale;
  return direction;
}

}  // namespace

Minimum Minimize(const SmoothFunction& function, Numbers start, const QuasiNewtonOptions& options) {
  Minimum minimum{.at = std::move(start)};
  const size_t size = minimum.at.size();
  Numbers gradient(size), next_gradient(size), next(size), change(size);
  minimum.value = function(minimum.at, gradient);
  minimum.evaluations = 1;
  InverseHessian hessian(size);
  for (int small_gains = 0; std::isfinite(minimum.value) && small_gains < kSmallGains;) {
    Numbers step = Direction(hessian, gradient, options.max_step);
    const double slope = Dot(step, gradient);
    double share = 1, value = 0;
    bool is_found = false;
    for (int k = 0; k < kHalvings && !is_found && minimum.evaluations < options.max_evaluations; ++k) {
      for (size_t i = 0; i < size; ++i) next[i] = minimum.at[i] + share * step[i];
      value = function(next, next_gradient);
      ++minimum.evaluations;
      is_found = std::isfinite(value) && value <= minimum.value + kSufficientDecrease * share * slope;
      if (!is_found) share /= 2;
    }
    if (!is_found) {
      if (!hessian.is_scaled() || minimum.evaluations >= options.max_evaluations) break;
      hessian.Reset();  // the estimate may be of no use here
      continue;
    }
    for (size_t i = 0; i < size; ++i) {
      step[i] *= share;
      change[i] = next_gradient[i] - gradient[i];
    }
    hessian.Update(step, change);
    small_gains = minimum.value - value < options.least_gain ? small_gains + 1 : 0;
    minimum.at = next;
    minimum.value = value;
    gradient = next_gradient;
  }
  return minimum;
}

}  // namespace haplospin
