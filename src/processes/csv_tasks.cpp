#include "processes/csv_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

// The groups of at least two rows that `options` select, in the order of the file.
std::vector<size_t> ChooseGroups(const PointTable& table, const CsvTaskOptions& options) {
  std::vector<size_t> groups;
  for (size_t g = 0; g < table.groups.size(); ++g) {
    if (table.rows[g].size() >= 2) groups.push_back(g);
  }
  if (options.part == GroupPart::kAll) return groups;
  const auto share = static_cast<size_t>(std::lround(options.hold_out * static_cast<double>(groups.size())));
  const size_t held_out = options.hold_out > 0 ? std::max<size_t>(share, 1) : 0;
  std::vector<size_t> by_hash = groups;
  std::ranges::sort(by_hash, {}, [&](size_t g) { return RandomStream(HashOf(table.groups[g]))(); });
  const auto split = by_hash.begin() + static_cast<std::ptrdiff_t>(std::min(held_out, by_hash.size()));
  std::vector<size_t> chosen =
      options.part == GroupPart::kHeldOut ? std::vector(by_hash.begin(), split) : std::vector(split, by_hash.end());
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace

torch::Tensor RowsOf(const std::vector<double>& values, size_t columns, const std::vector<size_t>& rows) {
  torch::Tensor tensor =
      torch::empty({static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)}, torch::kFloat64);
  double* out = tensor.data_ptr<double>();
  for (const size_t row : rows) {
    for (size_t c = 0; c < columns; ++c) *out++ = values[row * columns + c];
  }
  return tensor;
}

CsvTasks::CsvTasks(const PointTable& table, const PointColumns& columns, const CsvTaskOptions& options,
                   const std::optional<DataScaling>& scaling)
    : options_(options), dx_(static_cast<int64_t>(table.dx)), dy_(static_cast<int64_t>(table.dy)) {
  if (!(options.context.low >= 0) || options.context.high < options.context.low || options.context.high >= 1) {
    throw InputError("the fraction of a group's rows that is context must be at least 0 and below 1");
  }
  scaling_ = scaling ? *scaling : ScalingOf(table, columns);
  left_out_ = static_cast<size_t>(std::ranges::count_if(table.rows, [](const auto& rows) { return rows.size() < 2; }));
  for (const size_t g : ChooseGroups(table, options)) {
    groups_.push_back({scaling_.ScaleX(RowsOf(table.x, table.dx, table.rows[g])),
                       scaling_.ScaleY(RowsOf(table.y, table.dy, table.rows[g]))});
  }
  if (groups_.empty()) {
    throw InputError(
        fmt::format("{}: none of the {} groups can be used ({} have one row); a task needs a group of at least two "
                    "rows: check --group and --hold-out",
                    table.path, table.groups.size(), left_out_));
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

std::vector<ProcessTasks> CsvTasks::Draw(int64_t count, RandomStream& random) const {
  std::vector<ProcessTasks> tasks;
  for (int64_t b = 0; b < count; ++b) tasks.push_back(DrawFrom(groups_[random.UniformInt(groups_.size())], random));
  return tasks;
}

}  // namespace haplospin
