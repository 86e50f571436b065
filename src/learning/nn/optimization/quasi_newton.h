// Minimizes smooth functions of a few numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace haplospin {

// Returns the value at a point, and sets the gradient. Where the function is not defined, the value is not finite.
using SmoothFunction = std::function<double(const std::vector<double>& at, std::vector<double>& gradient)>;

struct QuasiNewtonOptions {
  int64_t max_evaluations = 200;
  double max_step = 2;       // largest change of a number in a step
  double least_gain = 1e-3;  // two steps that gain less end the search
};

struct Minimum {
  std::vector<double> at;
  double value = 0;  // not finite: the function is not defined at the start
  int64_t evaluations = 0;
};

// A local minimum near the start, by the method of Broyden, Fletcher, Goldfarb and Shanno with a line search by halves
// (Nocedal and Wright, 2006, algorithm 6.1).
Minimum Minimize(const SmoothFunction& function, std::vector<double> start, const QuasiNewtonOptions& options = {});

}  // namespace haplospin
