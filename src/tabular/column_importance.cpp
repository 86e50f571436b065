#include "tabular/column_importance.h"

#include <algorithm>
#include <limits>

#include "core/random.h"
#include "tabular/tabular_metrics.h"

namespace haplospin {
namespace {

constexpr int64_t kMaxShuffles = 5;  // shuffles of a column

// The number of rows and how often they are predicted in all. If there are many columns, each is shuffled less often.
struct Effort {
  int64_t rows, predictions;
};
constexpr Effort kEffort = {1000, 250}, kEffortOfGaussianProcesses = {250, 50};

// Returns the RMSE or the negative log-likelihood of each target.
std::vector<double> Errors(const TabularModel& model, const EncodedTable& shuffled, const EncodedTable& rows) {
  const torch::Tensor predictions = model.Predict(shuffled);
  std::vector<double> errors;
  for (const int64_t j : model.encoder().targets()) {
    const torch::Tensor known = (~rows.missing.select(1, j)).nonzero().squeeze(1);
    if (known.size(0) == 0) {
      errors.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const auto at_known = [&](const torch::Tensor& all) { return all.select(1, j).index_select(0, known); };
    const TabularMetrics metrics =
        TargetMetrics(model.encoder().columns()[static_cast<size_t>(j)], at_known(predictions), at_known(rows.values));
    errors.push_back(metrics.rmse ? *metrics.rmse : *metrics.nll);
  }
  return errors;
}

EncodedTable WithShuffledColumn(const EncodedTable& rows, int64_t column, RandomStream& random) {
  const torch::Tensor permutation = torch::tensor(RandomOrder<int64_t>(rows.rows(), random));
  EncodedTable shuffled{rows.values.clone(), rows.missing.clone()};
  shuffled.values.select(1, column).copy_(rows.values.select(1, column).index_select(0, permutation));
  shuffled.missing.select(1, column).copy_(rows.missing.select(1, column).index_select(0, permutation));
  return shuffled;
}

}  // namespace

std::vector<std::vector<double>> ColumnImportances(const TabularModel& model, const EncodedTable& all,
                                                   RandomStream& random) {
  const Effort effort = model.Uses(kGaussianProcesses) ? kEffortOfGaussianProcesses : kEffort;
  const int64_t stride = (all.rows() + effort.rows - 1) / effort.rows;
  const EncodedTable rows = all.Rows(torch::arange(0, all.rows(), stride));
  const auto& columns = model.encoder().columns();
  const int64_t shuffles = std::clamp<int64_t>(effort.predictions / std::ssize(columns), 1, kMaxShuffles);
  const std::vector<double> before = Errors(model, rows, rows);
  std::vector<std::vector<double>> importances(
      before.size(), std::vector<double>(columns.size(), std::numeric_limits<double>::quiet_NaN()));
  for (size_t column = 0; column < columns.size(); ++column) {
    if (columns[column].is_target) continue;
    std::vector<double> sum(before.size());
    for (int64_t shuffle = 0; shuffle < shuffles; ++shuffle) {
      const EncodedTable shuffled = WithShuffledColumn(rows, static_cast<int64_t>(column), random);
      const std::vector<double> after = Errors(model, shuffled, rows);
      for (size_t t = 0; t < sum.size(); ++t) sum[t] += after[t] - before[t];
    }
    for (size_t t = 0; t < sum.size(); ++t) importances[t][column] = sum[t] / static_cast<double>(shuffles);
  }
  return importances;
}

}  // namespace haplospin
