// Plots of predictions.
#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

#include "learning/models/neural_process/neural_process.h"
#include "report/chart.h"

namespace haplospin {

// The names of the columns that are plotted.
struct PlotNames {
  std::vector<std::string> inputs;
  std::string output;
};

// A chart with one input: the first output's 90 % interval, mean, `samples` (functions, [k, n, dy], or undefined) and
// context, at target_x [n, 1], from context_x [m, 1] and context_y [m, dy].
Chart CurveChart(const PlotNames& names, const torch::Tensor& context_x, const torch::Tensor& context_y,
                 const torch::Tensor& target_x, const Prediction& prediction, const torch::Tensor& samples = {});

// A chart with two inputs: the first column of values [n, dy] at x [n, 2] as colors, and `marked` points [m, 2]. Points
// on a grid fill it; others are averaged over the cells of one of 48 x 48.
Chart MapChart(const std::string& title, const PlotNames& names, const torch::Tensor& x, const torch::Tensor& values,
               const torch::Tensor& marked = {});

// A column of values [n, columns].
std::vector<double> ColumnValues(const torch::Tensor& values, int64_t column);

// Returns one SVG file with the charts next to each other.
std::string ChartsDocument(const std::vector<Chart>& charts);

}  // namespace haplospin
