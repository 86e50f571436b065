// Tables of points, CSV or TSV, and tasks from them: each group of rows is a task.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "learning/processes/process_arguments.h"
#include "learning/processes/task_source.h"

namespace haplospin {

struct PointTable {
  std::string path;
  size_t dx = 0, dy = 0;
  std::vector<double> x, y;               // [rows, dx], [rows, dy]
  std::vector<std::string> groups;        // names by order of first row; one "" without a group column
  std::vector<std::vector<size_t>> rows;  // indices of each group's rows
  size_t left_out = 0;                    // rows with a missing value in x, y or group
  std::vector<bool> dates;                // x columns that were dates, now days since 1970-01-01
  std::vector<std::string> zones;         // [rows, dx]: time zones of dates, as DateZone(); empty without dates

  size_t num_rows() const { return dx == 0 ? 0 : x.size() / dx; }

  // The value of x as it is written, a date in the zone that it was read in.
  std::string TextOfX(size_t row, size_t column) const;
};

// The decimal mark of the numbers is the one that they need (FindDecimalMarks()). An x column may hold dates that can
// be read in one order only (ParseUnambiguousDate()), also with a time. Throws InputError, naming file, line and
// column, if a column is missing, a value is not a number or a date, or no row is left. `may_be_empty` allows the
// latter, for an empty context.
PointTable ReadPoints(const std::string& path, const PointColumns& columns, bool may_be_empty = false);

enum class GroupPart {
  kAll,
  kTraining,  // the groups that are not held out
  kHeldOut,
};

struct CsvTaskOptions {
  RealRange context = {0.05, 0.5};  // share of a group's rows, at least one row
  int64_t max_points = 512;         // rows drawn of a group for one task; 0: all
  double hold_out = 0.2;            // share of the groups that is held out, at least one; a hash of names chooses
  GroupPart part = GroupPart::kAll;
  std::set<std::string> left_out;  // names of groups that are not used
};

// Means and standard deviations of all rows. Throws InputError, naming the file and the column, if y is constant; a
// constant x gets the scale 1.
DataScaling ScaleTable(const PointTable& table, const PointColumns& columns);

// The scaling by which a single context that had all rows would be scaled.
DataScaling ScalingAsContext(const PointTable& table);

// Some rows of a table of points: double [rows, columns].
torch::Tensor TakeRows(const std::vector<double>& values, size_t columns, const std::vector<size_t>& rows);

class CsvTasks : public TaskSource {
 public:
  // Leaves out groups of one row. Throws InputError if no group is left, or if y is constant. Rows are scaled with
  // `scaling` if it is given (that of a trained model), else with ScaleTable(table, columns).
  CsvTasks(const PointTable& table, const PointColumns& columns, const CsvTaskOptions& options,
           const std::optional<DataScaling>& scaling = {});
  int64_t dx() const override { return dx_; }
  int64_t dy() const override { return dy_; }
  using TaskSource::Draw;
  std::vector<ProcessTasks> Draw(int64_t count, RandomStream& random, torch::Device device) const override;

  const DataScaling& scaling() const { return scaling_; }
  const std::vector<std::string>& group_names() const { return names_; }
  size_t num_groups() const { return groups_.size(); }
  size_t num_single() const { return single_; }  // groups of one row, which are left out

  // A task of one group.
  ProcessTasks DrawGroup(size_t group, RandomStream& random) const { return DrawFrom(groups_[group], random); }

 private:
  struct Group {
    torch::Tensor x, y;  // [n, dx], [n, dy], scaled
  };
  ProcessTasks DrawFrom(const Group& group, RandomStream& random) const;

  CsvTaskOptions options_;
  int64_t dx_, dy_;
  DataScaling scaling_;
  std::vector<Group> groups_;
  std::vector<std::string> names_;
  size_t single_ = 0;
};

}  // namespace haplospin
