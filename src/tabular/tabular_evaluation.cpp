#include "tabular/tabular_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <set>
#include <span>

#include "core/random.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

enum RandomPurpose : uint64_t { kCorruption = 11 };

std::vector<size_t> OtherRows(size_t rows, const std::vector<size_t>& without) {
  const std::set<size_t> left_out(without.begin(), without.end());
  std::vector<size_t> others;
  for (size_t row = 0; row < rows; ++row) {
    if (!left_out.contains(row)) others.push_back(row);
  }
  return others;
}

// As in prediction, where a category that was not in the training rows is missing.
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
    if (test_rows.empty() || training_rows.empty()) {
      throw InputError(fmt::format("{}: fold {} tests {} rows and trains on {}; both are needed", table_.path, fold + 1,
                                   test_rows.size(), training_rows.size()));
    }
    const Table training = SelectRows(table_, training_rows);
    Table test = SelectRows(table_, test_rows);
    HideUnseenCategories(training, test, options_.targets);
    const TabularModel model = TabularModel::Train(training, options_.targets, {}, options_.training, device_, report);
    const EncodedTable encoded = model.encoder().Encode(test);
    const torch::Tensor predictions = model.Predict(encoded);

    FoldResult fold_result{.training_rows = training_rows.size()};
    for (size_t t = 0; t < options_.targets.size(); ++t) {
      fold_result.targets.push_back(
          {Measure(model, t, encoded, predictions, test_rows, &result_.predictions[t], fold)});
    }
    if (options_.corrupted_rows > 0) PredictCorrupted(model, encoded, test_rows, fold, fold_result);
    for (const TrainedNetwork& member : model.training()) fold_result.curves.push_back(member.curve);
    if (options_.explained_row) Explain(model, encoded, training_rows, test_rows);
    fold_result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result_.folds.push_back(std::move(fold_result));
  }

  CrossValidation Finish() { return std::move(result_); }

 private:
  // Of the rows with a value of target `t`; `taken` (may be null) gets what was predicted.
  TabularMetrics Measure(const TabularModel& model, size_t t, const EncodedTable& rows,
                         const torch::Tensor& predictions, const std::vector<size_t>& row_of,
                         std::vector<TestPrediction>* taken, size_t fold) const {
    const int64_t j = model.encoder().targets()[TargetPlace(model, t)];
    const EncodedColumn& column = model.encoder().columns()[static_cast<size_t>(j)];
    const torch::Tensor known = (~rows.missing.select(1, j)).nonzero().squeeze(1);
    if (known.size(0) == 0) {
      throw InputError(
          fmt::format("{}: fold {} has no test row with target '{}'", table_.path, fold + 1, options_.targets[t]));
    }
    const torch::Tensor truth = rows.values.select(1, j).index_select(0, known);
    const torch::Tensor predicted = predictions.select(1, j).index_select(0, known);
    torch::Tensor shown_truth = truth.to(torch::kFloat64), shown;
    TabularMetrics metrics;
    if (column.IsNumeric()) {
      shown_truth = shown_truth * column.deviation + column.mean;
      shown = predicted.select(1, 0).to(torch::kFloat64) * column.deviation + column.mean;
      metrics = NumberMetrics(shown, shown_truth, model.residual_deviations()[TargetPlace(model, t)]);
    } else {
      const torch::Tensor probabilities = predicted.narrow(1, 0, std::ssize(column.categories));
      metrics = ClassMetrics(probabilities, truth.to(torch::kInt64));
      shown = probabilities.argmax(1).to(torch::kFloat64);
    }
    if (taken == nullptr) return metrics;
    for (int64_t i = 0; i < known.size(0); ++i) {
      taken->push_back({row_of[static_cast<size_t>(known[i].item<int64_t>())], shown_truth[i].item<double>(),
                        shown[i].item<double>()});
    }
    return metrics;
  }

  // The encoder has its targets in the order of the columns, the options in the user's.
  size_t TargetPlace(const TabularModel& model, size_t t) const {
    const std::vector<int64_t> targets = model.encoder().targets();
    for (size_t place = 0; place < targets.size(); ++place) {
      if (model.encoder().columns()[static_cast<size_t>(targets[place])].name == options_.targets[t]) return place;
    }
    HS_ASSERT(!"every target has a column");
    return 0;
  }

  // Predicts each row alone with the context, unchanged and with the values of each column of the context shuffled.
  void PredictCorrupted(const TabularModel& model, const EncodedTable& test, const std::vector<size_t>& test_rows,
                        size_t fold, FoldResult& fold_result) const {
    RandomStream random(options_.training.seed, {fold, kCorruption});
    std::vector<size_t> chosen(test_rows.size());
    std::iota(chosen.begin(), chosen.end(), size_t{0});
    random.Shuffle(std::span(chosen));
    chosen.resize(std::min(chosen.size(), static_cast<size_t>(options_.corrupted_rows)));
    const EncodedTable context = model.context().To(torch::kCPU);
    std::vector<torch::Tensor> intact, corrupted;
    for (const size_t i : chosen) {
      const EncodedTable row = test.Rows(RowTensor({i}, torch::kCPU));
      intact.push_back(model.PredictFrom(context, row));
      corrupted.push_back(model.PredictFrom(CorruptRows(context, random), row));
    }
    const EncodedTable rows = test.Rows(RowTensor(chosen, torch::kCPU));
    for (size_t t = 0; t < options_.targets.size(); ++t) {
      fold_result.targets[t].intact = Measure(model, t, rows, torch::cat(intact), {}, nullptr, fold);
      fold_result.targets[t].corrupted = Measure(model, t, rows, torch::cat(corrupted), {}, nullptr, fold);
    }
  }

  void Explain(const TabularModel& model, const EncodedTable& test, const std::vector<size_t>& training_rows,
               const std::vector<size_t>& test_rows) {
    const auto found = std::ranges::find(test_rows, *options_.explained_row);
    if (found == test_rows.end() || !result_.explanation.empty()) return;
    const auto place = static_cast<size_t>(found - test_rows.begin());
    const torch::Tensor weights =
        model.ContextWeights(test.Rows(RowTensor({place}, torch::kCPU))).squeeze(0).to(torch::kFloat64).contiguous();
    for (size_t i = 0; i < model.context_rows().size(); ++i) {
      result_.explanation.push_back({training_rows[model.context_rows()[i]], weights.data_ptr<double>()[i]});
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
  FoldEvaluator evaluator(table, options, device);
  const auto folds = static_cast<double>(options.folds.size());
  for (size_t fold = 0; fold < options.folds.size(); ++fold) {
    evaluator.Run(fold, [&](double share, const std::string& note) {
      if (report) {
        report((static_cast<double>(fold) + share) / folds,
               fmt::format("fold {} of {}, {}", fold + 1, options.folds.size(), note));
      }
    });
  }
  return evaluator.Finish();
}

EncodedTable CorruptRows(const EncodedTable& rows, RandomStream& random) {
  std::vector<torch::Tensor> values, missing;
  std::vector<size_t> order(static_cast<size_t>(rows.rows()));
  std::iota(order.begin(), order.end(), size_t{0});
  for (int64_t j = 0; j < rows.values.size(1); ++j) {
    random.Shuffle(std::span(order));
    const torch::Tensor permutation = RowTensor(order, rows.values.device());
    values.push_back(rows.values.select(1, j).index_select(0, permutation));
    missing.push_back(rows.missing.select(1, j).index_select(0, permutation));
  }
  return {torch::stack(values, 1), torch::stack(missing, 1)};
}

}  // namespace haplospin
