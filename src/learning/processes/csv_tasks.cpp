#include "learning/processes/csv_tasks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "haplospin/errors.h"
#include "learning/tables/column_facts.h"
#include "learning/tables/csv.h"
#include "learning/tables/values.h"

namespace haplospin {
namespace {

size_t FindField(const CsvReader& reader, const std::string& name) {
  const auto& names = reader.names();
  if (names.empty()) throw InputError(reader.path() + ": empty; expected a table with a header");
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    throw InputError(
        fmt::format("{}: no column '{}'; its columns are {}", reader.path(), name, fmt::join(names, ", ")));
  }
  return static_cast<size_t>(found - names.begin());
}

std::vector<size_t> FindFields(const CsvReader& reader, const std::vector<std::string>& names) {
  std::vector<size_t> fields;
  for (const std::string& name : names) fields.push_back(FindField(reader, name));
  return fields;
}

// The fields of some columns of a table, and the decimal mark of its numbers.
struct PointTexts {
  std::vector<TextColumn> columns;
  std::vector<std::string> names;  // of the columns
  TextColumn groups;               // empty texts without a column of groups
  std::vector<size_t> lines;
  char decimal = '.';
};

PointTexts ReadTexts(CsvReader& reader, const PointColumns& columns) {
  PointTexts texts;
  for (const auto* names : {&columns.x, &columns.y})
    texts.names.insert(texts.names.end(), names->begin(), names->end());
  const std::vector<size_t> fields = FindFields(reader, texts.names);
  const bool grouped = !columns.group.empty();
  const size_t group_field = grouped ? FindField(reader, columns.group) : 0;
  texts.columns.resize(fields.size());
  for (std::vector<std::string> row; reader.Next(row);) {
    for (size_t c = 0; c < fields.size(); ++c) texts.columns[c].Add(row[fields[c]]);
    texts.groups.Add(grouped ? row[group_field] : "");
    texts.lines.push_back(reader.line());
  }
  texts.decimal = FindDecimalMarks(texts.columns).Mark(reader.separator());
  return texts;
}

enum class ValueKind { kUnknown, kNumber, kDate };

// The values of `count` columns of each row from column `first` on. The first value of a column of x says whether it
// holds numbers or dates.
class PointReader {
 public:
  PointReader(const std::string& path, const PointTexts& texts, size_t first, size_t count, bool may_be_dates)
      : path_(path),
        texts_(texts),
        first_(first),
        kinds_(count, may_be_dates ? ValueKind::kUnknown : ValueKind::kNumber) {}

  // Appends the row's values; false where one is missing.
  bool Append(size_t row, std::vector<double>& values) {
    for (size_t c = 0; c < kinds_.size(); ++c) {
      const std::string_view field = texts_.columns[first_ + c][row];
      if (IsMissing(field)) return false;
      double value = 0;
      if (kinds_[c] == ValueKind::kUnknown)
        kinds_[c] = ParseUnambiguousDate(field, value) ? ValueKind::kDate : ValueKind::kNumber;
      const bool is_date = kinds_[c] == ValueKind::kDate;
      if (!(is_date ? ParseUnambiguousDate(field, value) : ParseNumber(field, texts_.decimal, value))) {
        throw InputError(
            fmt::format("{}: line {}: '{}' in column '{}' is not a {}; x must be numbers or dates such as "
                        "2021-03-31, y must be numbers",
                        path_, texts_.lines[row], field, texts_.names[first_ + c], is_date ? "date" : "number"));
      }
      values.push_back(value);
    }
    return true;
  }

  std::vector<bool> AreDates() const {
    std::vector<bool> dates;
    for (const ValueKind kind : kinds_) dates.push_back(kind == ValueKind::kDate);
    return dates;
  }

  // Appends the time zones of the row's dates, if it has dates.
  void AppendZones(size_t row, std::vector<std::string>& zones) const {
    if (std::ranges::count(kinds_, ValueKind::kDate) == 0) return;
    for (size_t c = 0; c < kinds_.size(); ++c) {
      zones.emplace_back(kinds_[c] == ValueKind::kDate ? DateZone(texts_.columns[first_ + c][row]) : "");
    }
  }

 private:
  const std::string& path_;
  const PointTexts& texts_;
  const size_t first_;
  std::vector<ValueKind> kinds_;
};

// The groups of at least two rows that `options` select, in the order of the file.
std::vector<size_t> ChooseGroups(const PointTable& table, const CsvTaskOptions& options) {
  std::vector<size_t> groups;
  for (size_t g = 0; g < table.groups.size(); ++g) {
    if (table.rows[g].size() >= 2) groups.push_back(g);
  }
  const auto is_left_out = [&](size_t g) { return options.left_out.contains(table.groups[g]); };
  if (options.part == GroupPart::kAll) {
    std::erase_if(groups, is_left_out);
    return groups;
  }
  const auto share = static_cast<size_t>(std::lround(options.hold_out * static_cast<double>(groups.size())));
  const size_t held_out = options.hold_out > 0 ? std::max<size_t>(share, 1) : 0;
  std::vector<size_t> by_hash = groups;
  std::ranges::sort(by_hash, {}, [&](size_t g) { return RandomStream(HashName(table.groups[g]))(); });
  const auto split = by_hash.begin() + static_cast<std::ptrdiff_t>(std::min(held_out, by_hash.size()));
  std::vector<size_t> chosen =
      options.part == GroupPart::kHeldOut ? std::vector(by_hash.begin(), split) : std::vector(split, by_hash.end());
  std::erase_if(chosen, is_left_out);
  std::ranges::sort(chosen);
  return chosen;
}

struct Moments {
  double mean = 0, sd = 0;
};

Moments ColumnMoments(const std::vector<double>& values, size_t columns, size_t column) {
  const size_t n = values.size() / columns;
  Moments moments;
  for (size_t i = 0; i < n; ++i) moments.mean += values[i * columns + column] / static_cast<double>(n);
  for (size_t i = 0; i < n; ++i) {
    const double d = values[i * columns + column] - moments.mean;
    moments.sd += d * d / static_cast<double>(n);
  }
  moments.sd = std::sqrt(moments.sd);
  return moments;
}

}  // namespace

std::string PointTable::TextOfX(size_t row, size_t column) const {
  const double value = x[row * dx + column];
  if (!dates[column]) return fmt::format("{:.15g}", value);
  return DateText(value, zones.empty() ? std::string_view() : zones[row * dx + column]);
}

PointTable ReadPoints(const std::string& path, const PointColumns& columns, bool may_be_empty) {
  CsvReader reader(path, {});
  const PointTexts texts = ReadTexts(reader, columns);
  PointTable table{.path = path, .dx = columns.x.size(), .dy = columns.y.size()};
  PointReader x_reader(path, texts, 0, table.dx, true), y_reader(path, texts, table.dx, table.dy, false);
  std::unordered_map<std::string_view, size_t> group_index;
  for (size_t row = 0; row < texts.lines.size(); ++row) {
    std::vector<double> x, y;
    const std::string_view group = texts.groups[row];
    if (!x_reader.Append(row, x) || !y_reader.Append(row, y) || (!columns.group.empty() && IsMissing(group))) {
      ++table.left_out;
      continue;
    }
    const auto [at, is_new] = group_index.emplace(group, table.groups.size());
    if (is_new) {
      table.groups.emplace_back(group);
      table.rows.emplace_back();
    }
    table.rows[at->second].push_back(table.num_rows());
    table.x.insert(table.x.end(), x.begin(), x.end());
    x_reader.AppendZones(row, table.zones);
    table.y.insert(table.y.end(), y.begin(), y.end());
  }
  table.dates = x_reader.AreDates();
  if (table.num_rows() == 0 && !may_be_empty) {
    throw InputError(fmt::format("{}: no row has values in all of the columns {}", path, fmt::join(columns.x, ", ")));
  }
  return table;
}

torch::Tensor TakeRows(const std::vector<double>& values, size_t columns, const std::vector<size_t>& rows) {
  torch::Tensor tensor =
      torch::empty({static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)}, torch::kFloat64);
  double* out = tensor.data_ptr<double>();
  for (const size_t row : rows) {
    for (size_t c = 0; c < columns; ++c) *out++ = values[row * columns + c];
  }
  return tensor;
}

DataScaling ScaleTable(const PointTable& table, const PointColumns& columns) {
  DataScaling scaling;
  for (size_t c = 0; c < table.dx; ++c) {
    const Moments moments = ColumnMoments(table.x, table.dx, c);
    scaling.x_center.push_back(moments.mean);
    scaling.x_scale.push_back(Varies(moments.sd, moments.mean) ? moments.sd : 1);
  }
  for (size_t c = 0; c < table.dy; ++c) {
    const Moments moments = ColumnMoments(table.y, table.dy, c);
    if (!Varies(moments.sd, moments.mean)) {
      throw InputError(fmt::format("{}: column '{}' has the same value in all rows; there is nothing to learn",
                                   table.path, columns.y[c]));
    }
    scaling.y_center.push_back(moments.mean);
    scaling.y_scale.push_back(moments.sd);
  }
  return scaling;
}

DataScaling ScalingAsContext(const PointTable& table) {
  std::vector<size_t> rows(table.num_rows());
  std::iota(rows.begin(), rows.end(), size_t{0});
  const torch::Tensor x = TakeRows(table.x, table.dx, rows);
  return ScaleContext(x, TakeRows(table.y, table.dy, rows), x);
}

CsvTasks::CsvTasks(const PointTable& table, const PointColumns& columns, const CsvTaskOptions& options,
                   const std::optional<DataScaling>& scaling)
    : options_(options), dx_(static_cast<int64_t>(table.dx)), dy_(static_cast<int64_t>(table.dy)) {
  if (!(options.context.low >= 0) || options.context.high < options.context.low || options.context.high >= 1) {
    throw InputError("the fraction of a group's rows that is context must be at least 0 and below 1");
  }
  scaling_ = scaling ? *scaling : ScaleTable(table, columns);
  single_ = static_cast<size_t>(std::ranges::count_if(table.rows, [](const auto& rows) { return rows.size() < 2; }));
  for (const size_t g : ChooseGroups(table, options)) {
    names_.push_back(table.groups[g]);
    groups_.push_back({scaling_.ScaleX(TakeRows(table.x, table.dx, table.rows[g])),
                       scaling_.ScaleY(TakeRows(table.y, table.dy, table.rows[g]))});
  }
  if (groups_.empty()) {
    throw InputError(
        fmt::format("{}: none of the {} groups can be used ({} have one row); a task needs a group of at least two "
                    "rows: check --group and --hold-out",
                    table.path, table.groups.size(), single_));
  }
}

ProcessTasks CsvTasks::DrawFrom(const Group& group, RandomStream& random) const {
  const int64_t all = group.x.size(0);
  const int64_t n = options_.max_points > 0 ? std::min(all, options_.max_points) : all;
  const int64_t context =
      std::clamp<int64_t>(std::lround(options_.context.Draw(random) * static_cast<double>(n)), 1, n - 1);
  const torch::Tensor order = torch::tensor(RandomOrder<int64_t>(all, random));
  const auto take = [&](const torch::Tensor& rows, int64_t first, int64_t count) {
    return rows.index_select(0, order.narrow(0, first, count)).unsqueeze(0);
  };
  return {take(group.x, 0, context), take(group.y, 0, context), take(group.x, context, n - context),
          take(group.y, context, n - context)};
}

std::vector<ProcessTasks> CsvTasks::Draw(int64_t count, RandomStream& random, torch::Device /*device*/) const {
  std::vector<ProcessTasks> tasks;
  for (int64_t b = 0; b < count; ++b) tasks.push_back(DrawFrom(groups_[random.UniformInt(groups_.size())], random));
  return tasks;
}

}  // namespace haplospin
