#include "haplospin/processes/csv_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "haplospin/core/errors.h"

namespace haplospin {
namespace {

torch::Tensor RowsOf(const std::vector<double>& values, std::size_t columns, const std::vector<std::size_t>& rows) {
  torch::Tensor tensor =
      torch::empty({static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns)}, torch::kFloat64);
  double* out = tensor.data_ptr<double>();
  for (const std::size_t row : rows) {
    for (std::size_t c = 0; c < columns; ++c) *out++ = values[row * columns + c];
  }
  return tensor;
}

// The same for every run: a group is held out by its name alone.
bool IsHeldOut(const std::string& name, double share) {
  std::uint64_t hash = 1469598103934665603ull;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return RandomStream(hash).Uniform() < share;
}

bool IsIn(const std::string& name, const CsvTaskOptions& options) {
  if (options.part == GroupPart::kAll) return true;
  return IsHeldOut(name, options.hold_out) == (options.part == GroupPart::kHeldOut);
}

}  // namespace

CsvTasks::CsvTasks(const PointTable& table, const PointColumns& columns, const CsvTaskOptions& options,
                   const DataScaling* scaling)
    : options_(options), dx_(static_cast<std::int64_t>(table.dx)), dy_(static_cast<std::int64_t>(table.dy)) {
  if (!(options.context.low >= 0) || options.context.high < options.context.low || options.context.high >= 1) {
    throw InputError("the context's share of a group's rows must be from 0 to below 1");
  }
  scaling_ = scaling != nullptr ? *scaling : ScalingOf(table, columns);
  for (std::size_t g = 0; g < table.groups.size(); ++g) {
    if (table.rows[g].size() < 2) {
      ++left_out_;
    } else if (IsIn(table.groups[g], options)) {
      groups_.push_back({scaling_.ScaleX(RowsOf(table.x, table.dx, table.rows[g])),
                         scaling_.ScaleY(RowsOf(table.y, table.dy, table.rows[g]))});
    }
  }
  if (groups_.empty()) {
    throw InputError(fmt::format(
        "{}: no group with two rows or more is left of {} ({} have one row); a task is made of the rows of a group: "
        "check --group and --hold-out",
        table.path, table.groups.size(), left_out_));
  }
}

ProcessTasks CsvTasks::DrawFrom(const Group& group, RandomStream& random) const {
  const std::int64_t all = group.x.size(0);
  const std::int64_t n = options_.most_points > 0 ? std::min(all, options_.most_points) : all;
  const std::int64_t context =
      std::clamp<std::int64_t>(std::lround(options_.context.Draw(random) * static_cast<double>(n)), 1, n - 1);
  return SplitPoints(group.x, group.y, context, n - context, random);
}

std::vector<ProcessTasks> CsvTasks::Draw(std::int64_t count, RandomStream& random) const {
  std::vector<ProcessTasks> tasks;
  for (std::int64_t b = 0; b < count; ++b)
    tasks.push_back(DrawFrom(groups_[random.UniformInt(groups_.size())], random));
  return tasks;
}

std::vector<ProcessTasks> CsvTasks::DrawEach(RandomStream& random) const {
  std::vector<ProcessTasks> tasks;
  for (const Group& group : groups_) tasks.push_back(DrawFrom(group, random));
  return tasks;
}

}  // namespace haplospin
