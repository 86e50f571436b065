// Predictions as CSV and as a picture.
#pragma once

#include <string>
#include <vector>

#include "cli/np/np_group_prediction.h"
#include "processes/point_table.h"

namespace haplospin {

// The line of column names; `quantiles` as the user wrote them.
std::string PredictionHeader(const PointColumns& columns, const std::vector<std::string>& quantiles, int64_t samples);

// The line of a target; `group` is left out where `columns` has none. `dates` as in PointTable.
std::string PredictionLine(const PointColumns& columns, const std::vector<bool>& dates, const std::string& group,
                           const GroupPrediction& prediction, int64_t target);

// SVG of the first output, with one or two inputs.
std::string PredictionPlot(const GroupPrediction& p, const PointColumns& columns, const std::vector<bool>& dates);

}  // namespace haplospin
