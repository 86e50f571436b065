// Plots of predictions.
#pragma once

#include <torch/torch.h>

#include <string>
#include <vector>

#include "report/chart.h"

namespace haplospin {

inline constexpr double kBandLow = 0.05, kBandHigh = 0.95;  // quantiles of a curve's band

// The values of a chart, in row-major order.
std::vector<double> ToVector(const torch::Tensor& values);

struct PredictedCurve {
  std::string x_name, y_name;
  std::vector<double> x, mean, low, high;  // at the targets, in any order
  std::vector<std::vector<double>> samples;
  std::vector<double> context_x, context_y;
};

// One input: band, mean, samples and context points.
Chart CurveChart(const std::string& title, PredictedCurve curve);

struct PredictedMap {
  std::string x_name, y_name;  // of the two inputs
  std::vector<double> x, y;    // of the points
  std::vector<double> values;
  std::vector<double> context_x, context_y;  // marked; may be empty
};

// Two inputs: values as colors. Points on a grid fill it; others are averaged over the cells of one of 48 x 48.
Chart MapChart(const std::string& title, const PredictedMap& map);

// Fractions of observations inside central intervals against the probabilities of the intervals.
Chart CalibrationChart(const std::vector<double>& confidence, const std::vector<double>& covered);

// Charts next to each other in one SVG file.
std::string ChartsDocument(const std::vector<Chart>& charts);

}  // namespace haplospin
