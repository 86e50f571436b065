// Converts between the units of the data and those in which a model was trained.
#pragma once

#include <string>
#include <vector>

#include "models/neural_process/neural_process.h"
#include "processes/point_table.h"

namespace haplospin {

// model = (data - center) / scale, for each column.
struct DataScaling {
  std::vector<double> x_center, x_scale, y_center, y_scale;

  torch::Tensor ScaleX(const torch::Tensor& x) const;  // double [n, dx] -> float
  torch::Tensor ScaleY(const torch::Tensor& y) const;
  // Returns the scaled points as a task without target_y.
  ProcessTasks ScaledTask(const torch::Tensor& context_x, const torch::Tensor& context_y,
                          const torch::Tensor& target_x) const;
  torch::Tensor UnscaleY(const torch::Tensor& y) const;  // float -> double
  Prediction Unscale(const Prediction& prediction) const;
};

// Means and standard deviations of all rows. Throws InputError, naming the file and the column, if y is constant; a
// constant x gets the scale 1.
DataScaling ScalingOf(const PointTable& table, const PointColumns& columns);

// Scales context inputs to [-2, 2] and context outputs to mean 0 and sd 1, as in the simulated tasks of training. An
// input that does not vary in the context is scaled by the targets' range. Where y does not vary or there are fewer
// than two points, its scale is 1.
DataScaling ScalingOfContext(const torch::Tensor& context_x, const torch::Tensor& context_y,
                             const torch::Tensor& target_x);

}  // namespace haplospin
