// haplospin tabular predict: the targets of other rows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "cli/learning/tabular/tabular_options.h"
#include "cli/options/command_options.h"
#include "core/counted.h"
#include "core/log.h"
#include "core/output_file.h"
#include "core/progress.h"
#include "core/threads.h"
#include "haplospin/errors.h"
#include "learning/nn/device.h"
#include "learning/tables/csv.h"
#include "learning/tables/table_reader.h"
#include "learning/tabular/gaussian_process_predictor.h"
#include "learning/tabular/shifted_columns.h"
#include "learning/tabular/splits.h"
#include "learning/tabular/tabular_model.h"

namespace haplospin {
namespace {

constexpr size_t kBlockRows = 4096;
constexpr size_t kFewContextRows = 10;  // without a model fewer are refused

// The columns of the output: the likeliest class and each class's probability, or the mean and the deviation of the
// errors, for each target. The mean of dates is a date, and the deviation is in days.
class PredictionWriter {
 public:
  // `id` names the column of identifiers; empty: none.
  PredictionWriter(const TableEncoder& encoder, const std::string& id, const std::vector<double>& quantiles,
                   OutputFile& file)
      : encoder_(encoder), file_(file) {
    std::vector<std::string> names;
    if (!id.empty()) names.push_back(id);
    for (const int64_t j : encoder.targets()) {
      const EncodedColumn& column = Target(j);
      names.push_back(column.name);
      if (column.IsNumeric()) names.push_back(column.name + "_sd");
      for (size_t q = 0; column.IsNumeric() && q < quantiles.size(); ++q) {
        names.push_back(fmt::format("{}_q{:g}", column.name, quantiles[q]));
      }
      for (const std::string& category : column.categories) names.push_back(column.name + "=" + category);
    }
    file_.Write(CsvLine(names));
  }

  // `ids` is empty if there are none.
  void Write(const TablePredictions& predicted, const std::vector<std::string>& ids) {
    const auto expected = predicted.deviations.accessor<float, 2>();
    const torch::Tensor values = predicted.values.to(torch::kFloat64).contiguous();
    const auto at = values.accessor<double, 3>();
    const int64_t quantiles = predicted.quantiles.defined() ? predicted.quantiles.size(2) : 0;
    const std::vector<int64_t> targets = encoder_.targets();
    for (int64_t row = 0; row < values.size(0); ++row) {
      std::vector<std::string> fields;
      if (!ids.empty()) fields.push_back(ids[static_cast<size_t>(row)]);
      for (const int64_t j : targets) {
        const EncodedColumn& column = Target(j);
        if (column.IsNumeric()) {
          fields.push_back(NumberText(column, at[row][j][0]));
          fields.push_back(fmt::format("{:.4g}", static_cast<double>(expected[row][j]) * column.deviation));
          for (int64_t q = 0; q < quantiles; ++q) {
            const auto quantile = predicted.quantiles[row][j][q].item<double>();
            fields.push_back(NumberText(column, quantile));
          }
          continue;
        }
        int64_t best = 0;
        const int64_t classes = std::ssize(column.categories);
        for (int64_t c = 1; c < classes; ++c) best = at[row][j][c] > at[row][j][best] ? c : best;
        fields.push_back(column.categories[static_cast<size_t>(best)]);
        for (int64_t c = 0; c < classes; ++c) fields.push_back(fmt::format("{:.6f}", at[row][j][c]));
      }
      file_.Write(CsvLine(fields));
    }
  }

 private:
  const EncodedColumn& Target(int64_t j) const { return encoder_.columns()[static_cast<size_t>(j)]; }

  // The target of a standardized number, as its values are written in the table.
  static std::string NumberText(const EncodedColumn& column, double standardized) {
    const double number = standardized * column.deviation + column.mean;
    return column.date == DateOrder::kNone ? fmt::format("{:.10g}", number) : DateText(number, column.date);
  }

  const TableEncoder& encoder_;
  OutputFile& file_;
};

// Unknown classes of a target matter where its values are read.
void SayWhatWasIgnored(const TableStream& stream, const TableEncoder& encoder, const std::string& path,
                       bool has_targets) {
  for (size_t j = 0; j < encoder.columns().size(); ++j) {
    const EncodedColumn& column = encoder.columns()[j];
    if (column.is_target && !has_targets) continue;
    const auto say = [&](size_t values, const char* why) {
      if (values == 0) return;
      LogWarning("{}: column '{}': {} value{} {}, treated as missing", path, column.name, values,
                 values == 1 ? "" : "s", why);
    };
    say(stream.unknown_values()[j], "not in the training table");
    say(stream.infinite_values()[j], "that cannot be used as a number, such as inf");
  }
}

// Reads values as those of the training table were written, unless the user says otherwise.
CsvFormat FormatFor(const TableEncoder& encoder, const CsvOptions& csv) {
  CsvFormat format = csv.Format();
  const ValueFormat& trained = encoder.format();
  if (format.values.decimal == 0) format.values.decimal = trained.decimal;
  format.values.missing.insert(format.values.missing.end(), trained.missing.begin(), trained.missing.end());
  return format;
}

std::vector<std::string> TargetNames(const TableEncoder& encoder) {
  std::vector<std::string> names;
  for (const int64_t j : encoder.targets()) names.push_back(encoder.columns()[static_cast<size_t>(j)].name);
  return names;
}

// Rows with targets from a file, used instead of those in the model.
EncodedTable ReadContext(const std::string& path, const CsvFormat& format, const TabularModel& model) {
  std::vector<ColumnSchema> schema = model.encoder().Schema();
  for (ColumnSchema& column : schema) column.required = true;
  TableStream stream(path, format, schema);
  const Table table = stream.Next(std::numeric_limits<size_t>::max());
  if (table.rows() == 0) throw InputError(path + ": has a header but no rows");
  SayWhatWasIgnored(stream, model.encoder(), path, /*has_targets=*/true);
  const size_t labeled = LabeledRows(table, TargetNames(model.encoder())).size();
  if (labeled < kFewContextRows) {
    LogWarning("{}: {} row{} with all targets; so few say little, and the predictions are too certain", path, labeled,
               labeled == 1 ? "" : "s");
  }
  EncodedTable context = model.encoder().Encode(table);
  for (const int64_t j : model.encoder().targets()) {
    if (!context.missing.select(1, j).all().item<bool>()) continue;
    throw InputError(fmt::format("{}: no row has a value of the target '{}'; give rows with known targets", path,
                                 model.encoder().columns()[static_cast<size_t>(j)].name));
  }
  return context;
}

bool HasNumericTarget(const TableEncoder& encoder) {
  return std::ranges::any_of(encoder.targets(),
                             [&](int64_t j) { return encoder.columns()[static_cast<size_t>(j)].IsNumeric(); });
}

// Names columns whose values in the new rows are not those of the known ones.
void WarnAboutShifts(const ShiftedColumns& columns, const TableEncoder& encoder, const std::string& path) {
  for (const ColumnShift& shift : columns.Find()) {
    const EncodedColumn& column = encoder.columns()[static_cast<size_t>(shift.column)];
    if (shift.is_empty) {
      LogWarning("{}: column '{}' is empty in every row, but was not in the rows that are known", path, column.name);
      continue;
    }
    const auto text = [&](double number) {
      const double value = number * column.deviation + column.mean;
      return column.date == DateOrder::kNone ? fmt::format("{:.4g}", value) : DateText(value, column.date);
    };
    LogWarning("{}: column '{}' is from {} to {}, but in the rows that are known from {} to {}: has it the same unit?",
               path, column.name, text(shift.low), text(shift.high), text(shift.known_low), text(shift.known_high));
  }
}

using PredictRows = std::function<TablePredictions(const EncodedTable& rows)>;

// `known`: the rows that are known; null where only a model is.
void WritePredictions(const TablePredictionArguments& a, const TableEncoder& encoder, const EncodedTable* known,
                      const PredictRows& predict) {
  const CsvFormat format = FormatFor(encoder, a.csv);
  TableStream stream(a.data, format, encoder.Schema(), a.id.empty() ? encoder.id() : a.id);
  const std::string used_id = a.id.empty() && stream.has_ids() ? encoder.id() : a.id;
  if (!used_id.empty() && !stream.has_ids()) {
    throw InputError(fmt::format("{}: no column '{}' for --id", a.data, used_id));
  }
  if (!stream.ignored_columns().empty()) {
    LogWarning("{}: columns not in the model are ignored: {}", a.data, fmt::join(stream.ignored_columns(), ", "));
  }
  OutputFile file(a.out);
  PredictionWriter writer(encoder, used_id, a.quantiles, file);
  std::optional<ShiftedColumns> shifts;
  if (known != nullptr) shifts.emplace(*known, encoder.attributes(), encoder.IsTarget());
  size_t rows = 0;
  Progress progress("predicting", "rows", 0, ProgressKind::kFile);
  for (Table block = stream.Next(kBlockRows); block.rows() > 0; block = stream.Next(kBlockRows)) {
    const EncodedTable encoded = encoder.Encode(block);
    if (shifts) shifts->Add(encoded);
    writer.Write(predict(encoded), block.ids);
    rows += block.rows();
    progress.Set(static_cast<double>(rows));
  }
  if (shifts) WarnAboutShifts(*shifts, encoder, a.data);
  SayWhatWasIgnored(stream, encoder, a.data, /*has_targets=*/false);
  file.Commit();
  LogInfo("{}: {} rows predicted", a.data, rows);
}

void PredictWithModel(const std::string& path, const std::string& name, const TablePredictionArguments& arguments,
                      torch::Device device) {
  const TabularModel model = TabularModel::Load(path, device);
  if (name != "tabular" && name != model.name()) {
    throw InputError(
        fmt::format("{}: a model of {}, not of {}; use haplospin tabular predict", path, model.name(), name));
  }
  std::optional<EncodedTable> context;
  if (!arguments.context.empty()) {
    context = ReadContext(arguments.context, FormatFor(model.encoder(), arguments.csv), model);
    if (!model.UsesContext()) {
      LogWarning("{}: predicts by its linear fit and trees alone, so --context changes nothing", path);
    } else if (HasNumericTarget(model.encoder())) {
      LogWarning("{}: the standard deviations (_sd) are of errors with the rows of training, not with --context", path);
    }
  }
  const EncodedTable* known = context ? &*context : model.context().values.defined() ? &model.context() : nullptr;
  WritePredictions(arguments, model.encoder(), known, [&](const EncodedTable& rows) {
    TablePredictions predictions{
        context ? model.PredictFrom(*context, rows) : model.Predict(rows), model.Deviations(rows), {}};
    if (!arguments.quantiles.empty()) {
      predictions.quantiles = predictions.values.narrow(2, 0, 1) + model.QuantileDistances(rows, arguments.quantiles);
    }
    return predictions;
  });
}

// Reads rows with targets. Throws InputError where they cannot be learned from, or have more columns or classes than
// Gaussian processes take.
Table ReadKnownRows(const std::string& path, const CsvFormat& format, const TableChoices& choices) {
  TypedTable typed = ReadTable(path, format, choices);
  Table& table = typed.table;
  LogInfo("{}: {} rows, {} columns", path, table.rows(), table.columns.size());
  for (const std::string& note : typed.notes) LogWarning("{}: {}", path, note);
  CheckTargets(table, choices.targets, LabeledRows(table, choices.targets));
  WarnAboutDeterminingColumns(table, choices.targets);
  if (std::ssize(table.lines) > kMaxKnownRows) {
    LogWarning("{}: {} of its {} rows are used, evenly spaced ones; haplospin tabular train learns from all", path,
               GroupDigits(static_cast<size_t>(kMaxKnownRows)), GroupDigits(table.rows()));
  }
  const auto features = std::ssize(table.columns) - std::ssize(choices.targets);
  if (features == 0) throw InputError(path + ": no columns except the targets; there is nothing to predict from");
  if (features > kMaxGaussianProcessColumns) {
    throw InputError(
        fmt::format("{}: {} columns, but predictions without a model take at most {}; name some as "
                    "--ignore, or use haplospin tabular train",
                    path, features, kMaxGaussianProcessColumns));
  }
  for (const std::string& name : choices.targets) {
    const Column& column = *table.Find(name);
    if (std::ssize(column.categories) <= kMaxGaussianProcessClasses) continue;
    throw InputError(
        fmt::format("{}: target '{}' has {} classes, but predictions without a model take at most {}; use "
                    "haplospin tabular train",
                    path, name, column.categories.size(), kMaxGaussianProcessClasses));
  }
  return std::move(table);
}

void PredictWithoutModel(const DirectPrediction& direct, const TablePredictionArguments& arguments) {
  TableChoices choices = direct.choices;
  choices.id = arguments.id;
  const Table table = ReadKnownRows(arguments.context, arguments.csv.Format(), choices);
  const TableEncoder encoder(table, choices.targets, LabeledRows(table, choices.targets));
  const EncodedTable known = encoder.Encode(table);
  Progress progress("fitting", "steps", 0, ProgressKind::kFile);
  const GaussianProcessPredictor predictor(known, encoder.attributes(), encoder.IsTarget(), direct.seed,
                                           /*with_trees=*/true, arguments.quantiles, [&] { progress.Advance(1); });
  progress.Finish();
  WritePredictions(arguments, encoder, &known, [&](const EncodedTable& rows) { return predictor.Predict(rows); });
}

}  // namespace

void RunTabularPredict(const TabularPredictArguments& a) {
  if (a.model_path.empty() && a.name != "tabular") {
    throw InputError(
        fmt::format("{} predict needs a model of {} (--weights); predictions without a model are those of "
                    "haplospin tabular predict",
                    a.name, a.name));
  }
  a.direct.Check(a.model_path, a.predict.context);
  TablePredictionArguments arguments = a.predict;
  arguments.quantiles = a.direct.Quantiles();
  const torch::Device device = ParseDevice(a.device_text);
  SetTorchThreads(Threads());
  if (a.model_path.empty()) {
    PredictWithoutModel(a.direct, arguments);
  } else {
    PredictWithModel(a.model_path, a.name, arguments, device);
  }
}

}  // namespace haplospin
