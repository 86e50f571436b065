#include "learning/tabular/tabular_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include "core/log.h"
#include "core/random.h"
#include "haplospin/errors.h"
#include "learning/tabular/baselines.h"
#include "learning/tabular/splits.h"
#include "learning/tabular/tabular_metrics.h"

namespace haplospin {
namespace {

constexpr int64_t kBaselineRows = 10000;    // maximum number of rows among which neighbors are looked for
constexpr uint64_t kImportanceStream = 13;  // key of the random draws

std::vector<size_t> OtherRows(size_t rows, const std::vector<size_t>& without) {
  const std::set<size_t> left_out(without.begin(), without.end());
  std::vector<size_t> others;
  for (size_t row = 0; row < rows; ++row) {
    if (!left_out.contains(row)) others.push_back(row);
  }
  return others;
}

// Checks, before hours of training, that every fold has test rows with each target and other rows to learn from.
void CheckFolds(const Table& table, const CrossValidationOptions& options) {
  const std::vector<size_t> labeled = LabeledRows(table, options.targets);
  for (size_t fold = 0; fold < options.folds.size(); ++fold) {
    const std::set<size_t> tested(options.folds[fold].begin(), options.folds[fold].end());
    std::vector<size_t> training;
    std::ranges::copy_if(labeled, std::back_inserter(training), [&](size_t row) { return !tested.contains(row); });
    for (const std::string& name : options.targets) {
      const Column& target = *table.Find(name);
      if (std::ranges::any_of(tested, [&](size_t row) { return target.HasValue(row); })) continue;
      throw InputError(fmt::format("{}: fold {} of {} has no test row with target '{}'; give fewer folds", table.path,
                                   fold + 1, options.folds.size(), name));
    }
    try {
      CheckTargets(table, options.targets, training);
    } catch (const InputError& error) {
      throw InputError(fmt::format("fold {} of {}: {}", fold + 1, options.folds.size(), error.what()));
    }
  }
}

// Makes categories missing that are not in the training rows, as in prediction.
void HideUnseenCategories(const Table& training, Table& test, const std::vector<std::string>& targets) {
  for (size_t j = 0; j < test.columns.size(); ++j) {
    Column& column = test.columns[j];
    if (column.IsNumeric() || std::ranges::find(targets, column.name) != targets.end()) continue;
    std::vector<bool> seen(column.categories.size());
    for (const int32_t code : training.columns[j].codes) {
      if (code >= 0) seen[static_cast<size_t>(code)] = true;
    }
    for (int32_t& code : column.codes) {
      if (code < 0 || seen[static_cast<size_t>(code)]) continue;
      code = -1;
      ++column.missing;
    }
  }
}

// The rows in which a target has a value.
class TargetRows {
 public:
  // `target` is the index of its column.
  TargetRows(const TabularModel& model, int64_t target, const EncodedTable& rows)
      : j_(target),
        column_(model.encoder().columns()[static_cast<size_t>(target)]),
        known_((~rows.missing.select(1, j_)).nonzero().squeeze(1)),
        truth_(rows.values.select(1, j_).index_select(0, known_)) {}

  const EncodedColumn& column() const { return column_; }
  const torch::Tensor& known() const { return known_; }
  const torch::Tensor& truth() const { return truth_; }

  // Returns the part of [b, d, ...] that belongs to the target and these rows.
  torch::Tensor Of(const torch::Tensor& all) const { return all.select(1, j_).index_select(0, known_); }

  // Measures predictions [b, d, c]; deviations [b, d] as TabularModel gives them, or undefined.
  TabularMetrics Measure(const torch::Tensor& predictions, const torch::Tensor& deviations = {}) const {
    return TargetMetrics(column_, Of(predictions), truth_, deviations.defined() ? Of(deviations) : deviations);
  }

 private:
  const int64_t j_;
  const EncodedColumn& column_;
  const torch::Tensor known_, truth_;
};

constexpr int64_t kMaxShuffles = 5;  // shuffles of a column

// The number of rows and how often they are predicted in all. If there are many columns, each is shuffled less often.
struct Effort {
  int64_t rows, predictions;
};
constexpr Effort kEffort = {1000, 250}, kGaussianProcessEffort = {250, 50};

// Returns the RMSE or the negative log-likelihood for each column that is a target, NaN for the others.
std::vector<double> Errors(const TabularModel& model, const EncodedTable& shuffled, const EncodedTable& rows) {
  const torch::Tensor predictions = model.Predict(shuffled);
  std::vector<double> errors(model.encoder().columns().size(), std::numeric_limits<double>::quiet_NaN());
  for (const int64_t j : model.encoder().targets()) {
    const TargetRows target(model, j, rows);
    if (target.known().size(0) == 0) continue;
    const TabularMetrics metrics = target.Measure(predictions);
    errors[static_cast<size_t>(j)] = metrics.rmse ? *metrics.rmse : *metrics.nll;
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

// Permutation importance (Breiman 2001): the increase of the error on the rows when the values of one column are
// shuffled among them. The error is the root mean squared error of a number, in its units, or the negative
// log-likelihood of a class. Returns the mean over several shuffles, [target][shuffled column], both as indices of
// columns; NaN where the first is no target, the second is one, or no row has the target. Uses a part of many rows.
std::vector<std::vector<double>> ColumnImportances(const TabularModel& model, const EncodedTable& all,
                                                   RandomStream& random) {
  const Effort effort = model.Uses(kGaussianProcesses) ? kGaussianProcessEffort : kEffort;
  const int64_t stride = (all.rows() + effort.rows - 1) / effort.rows;
  const EncodedTable rows = all.Rows(torch::arange(0, all.rows(), stride));
  const auto& columns = model.encoder().columns();
  const int64_t shuffles = std::clamp<int64_t>(effort.predictions / std::ssize(columns), 1, kMaxShuffles);
  const std::vector<double> before = Errors(model, rows, rows);
  std::vector<std::vector<double>> importances(
      columns.size(), std::vector<double>(columns.size(), std::numeric_limits<double>::quiet_NaN()));
  for (size_t column = 0; column < columns.size(); ++column) {
    if (columns[column].is_target) continue;
    std::vector<double> sum(columns.size());
    for (int64_t shuffle = 0; shuffle < shuffles; ++shuffle) {
      const EncodedTable shuffled = WithShuffledColumn(rows, static_cast<int64_t>(column), random);
      const std::vector<double> after = Errors(model, shuffled, rows);
      for (size_t t = 0; t < sum.size(); ++t) sum[t] += after[t] - before[t];
    }
    for (size_t t = 0; t < sum.size(); ++t) importances[t][column] = sum[t] / static_cast<double>(shuffles);
  }
  return importances;
}

class FoldEvaluator {
 public:
  FoldEvaluator(const Table& table, const CrossValidationOptions& options, torch::Device device)
      : table_(table), options_(options), device_(device) {
    result_.predictions.resize(options.targets.size());
  }

  void Run(size_t fold, const std::function<void(double, const std::string&)>& report) {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<size_t>& test_rows = options_.folds[fold];
    const std::vector<size_t> training_rows = OtherRows(table_.rows(), test_rows);
    const Table training = SelectRows(table_, training_rows);
    Table test = SelectRows(table_, test_rows);
    HideUnseenCategories(training, test, options_.targets);
    const TabularTraining trained =
        TrainTabularModel(training, options_.targets, {}, TrainingForFold(fold), device_, report);
    const TabularModel& model = trained.model.value();
    const EncodedTable encoded = model.encoder().Encode(test);
    const torch::Tensor predictions = model.Predict(encoded);

    FoldResult fold_result{.training_rows = training_rows.size()};
    const Baselines baselines = PredictBaselines(model, training, encoded);
    const torch::Tensor deviations = model.Deviations(encoded);
    std::vector<std::vector<double>> importances(model.encoder().columns().size());
    if (options_.measures_columns) {
      RandomStream random(options_.training.seed, {fold, kImportanceStream});
      importances = ColumnImportances(model, encoded, random);
    }
    for (size_t t = 0; t < options_.targets.size(); ++t) {
      const auto j = std::ranges::find(training.columns, options_.targets[t], &Column::name) - training.columns.begin();
      const TargetRows rows(model, j, encoded);
      fold_result.targets.push_back({.metrics = {rows.Measure(predictions, deviations), rows.Measure(baselines.linear),
                                                 rows.Measure(baselines.neighbors), rows.Measure(baselines.constant)},
                                     .parts = NamedGains(model.gains(), j),
                                     .importance = importances[static_cast<size_t>(j)]});
      Take(rows, predictions, deviations, test_rows, result_.predictions[t]);
    }
    for (const TrainedNetwork& network : trained.networks) fold_result.curves.push_back(network.result.curve);
    if (options_.explained_row) Explain(trained, encoded, training_rows, test_rows);
    fold_result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result_.folds.push_back(std::move(fold_result));
  }

  CrossValidation Finish() { return std::move(result_); }

 private:
  // The options of a fold, which gets a part of the time limit for all folds.
  TabularTrainingOptions TrainingForFold(size_t fold) const {
    TabularTrainingOptions options = options_.training;
    options.models = fold == 0 ? std::ssize(options_.folds) : 0;
    if (options.time_limit == 0) return options;
    double used = 0;
    for (const FoldResult& result : result_.folds) used += result.seconds;
    options.time_limit =
        std::max(0.01, (options.time_limit - used) / static_cast<double>(options_.folds.size() - fold));
    return options;
  }

  struct Baselines {
    torch::Tensor linear, neighbors, constant;
  };

  Baselines PredictBaselines(const TabularModel& model, const Table& training, const EncodedTable& rows) const {
    const EncodedTable known = model.encoder().Encode(SelectRows(training, LabeledRows(training, options_.targets)));
    const int64_t stride = (known.rows() + kBaselineRows - 1) / kBaselineRows;
    const Attributes attributes = model.encoder().attributes();
    return {model.PredictLinear(rows),
            PredictFromNeighbors(known.Rows(torch::arange(0, known.rows(), stride)), rows, attributes,
                                 model.encoder().IsTarget()),
            PredictConstant(known, attributes, rows.rows())};
  }

  // Appends what was predicted for the rows with a value of the target.
  static void Take(const TargetRows& rows, const torch::Tensor& predictions, const torch::Tensor& deviations,
                   const std::vector<size_t>& test_rows, std::vector<TestPrediction>& taken) {
    const EncodedColumn& column = rows.column();
    const torch::Tensor predicted = rows.Of(predictions).to(torch::kFloat64), expected = rows.Of(deviations);
    const torch::Tensor& truth = rows.truth();
    for (int64_t i = 0; i < truth.size(0); ++i) {
      TestPrediction prediction{.row = test_rows[static_cast<size_t>(rows.known()[i].item<int64_t>())]};
      if (column.IsNumeric()) {
        prediction.truth = truth[i].item<double>() * column.deviation + column.mean;
        prediction.predicted = predicted[i][0].item<double>() * column.deviation + column.mean;
        prediction.deviation = expected[i].item<double>() * column.deviation;
      } else {
        prediction.truth = truth[i].item<double>();
        for (int64_t c = 0; c < std::ssize(column.categories); ++c) {
          prediction.probabilities.push_back(predicted[i][c].item<float>());
        }
        prediction.predicted =
            static_cast<double>(std::ranges::max_element(prediction.probabilities) - prediction.probabilities.begin());
      }
      taken.push_back(std::move(prediction));
    }
  }

  void Explain(const TabularTraining& trained, const EncodedTable& test, const std::vector<size_t>& training_rows,
               const std::vector<size_t>& test_rows) {
    const auto found = std::ranges::find(test_rows, *options_.explained_row);
    if (found == test_rows.end() || !result_.explanation.empty()) return;
    if (!trained.model->Uses(kNetworks)) {
      LogWarning("the networks, whose attention is shown, do not count in the prediction");
    }
    const auto place = static_cast<size_t>(found - test_rows.begin());
    const torch::Tensor weights = trained.model->ContextWeights(test.Rows(RowTensor({place}, torch::kCPU)))
                                      .squeeze(0)
                                      .to(torch::kFloat64)
                                      .contiguous();
    for (size_t i = 0; i < trained.context_rows.size(); ++i) {
      result_.explanation.push_back({training_rows[trained.context_rows[i]], weights.data_ptr<double>()[i]});
    }
    std::ranges::stable_sort(result_.explanation, std::ranges::greater(), &AttendedRow::weight);
  }

  const Table& table_;
  const CrossValidationOptions& options_;
  const torch::Device device_;
  CrossValidation result_;
};

}  // namespace

CrossValidation CrossValidate(const Table& table, const CrossValidationOptions& options, torch::Device device,
                              const std::function<void(double, const std::string&)>& report) {
  CheckFolds(table, options);
  FoldEvaluator evaluator(table, options, device);
  const auto folds = static_cast<double>(options.folds.size());
  for (size_t fold = 0; fold < options.folds.size(); ++fold) {
    evaluator.Run(fold, [&](double share, const std::string& note) {
      if (report) {
        report((static_cast<double>(fold) + share) / folds,
               fmt::format("fold {} of {}, {}", fold + 1, options.folds.size(), note));
      }
    });
    if (report)
      report(static_cast<double>(fold + 1) / folds, fmt::format("fold {} of {}", fold + 1, options.folds.size()));
  }
  return evaluator.Finish();
}

MetricsComparison CompareMetrics(const CrossValidation& evaluation, size_t target) {
  const auto mean = [&](TabularMetrics MetricsComparison::*which) {
    TabularMetrics sum{.nll = 0.0};
    for (const FoldResult& fold : evaluation.folds) {
      const TabularMetrics& metrics = fold.targets[target].metrics.*which;
      sum.rows += metrics.rows;
      *sum.nll += *metrics.nll / static_cast<double>(evaluation.folds.size());
      if (metrics.rmse)
        sum.rmse = sum.rmse.value_or(0.0) + *metrics.rmse / static_cast<double>(evaluation.folds.size());
    }
    return sum;
  };
  return {mean(&MetricsComparison::model), mean(&MetricsComparison::linear), mean(&MetricsComparison::neighbors),
          mean(&MetricsComparison::constant)};
}

}  // namespace haplospin
