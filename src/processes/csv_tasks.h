// Tasks from tables: each group of rows is a task.
#pragma once

#include <optional>

#include "processes/data_scaling.h"
#include "processes/point_table.h"
#include "processes/task_source.h"

namespace haplospin {

enum class GroupPart {
  kAll,
  kTraining,  // all but the groups held out
  kHeldOut,
};

struct CsvTaskOptions {
  RealRange context = {0.05, 0.5};  // share of a group's rows, at least one row
  int64_t max_points = 512;         // rows drawn of a group for one task; 0: all
  double hold_out = 0.2;            // share of the groups that is held out, at least one; a hash of names chooses
  GroupPart part = GroupPart::kAll;
};

// Some rows of a table of points: double [rows, columns].
torch::Tensor RowsOf(const std::vector<double>& values, size_t columns, const std::vector<size_t>& rows);

class CsvTasks : public TaskSource {
 public:
  // Leaves out groups of one row. Throws InputError if no group is left, or if y is constant. Rows are scaled with
  // `scaling` if it is given (that of a trained model), else with ScalingOf(table, columns).
  CsvTasks(const PointTable& table, const PointColumns& columns, const CsvTaskOptions& options,
           const std::optional<DataScaling>& scaling = {});
  int64_t dx() const override { return dx_; }
  int64_t dy() const override { return dy_; }
  std::vector<ProcessTasks> Draw(int64_t count, RandomStream& random) const override;

  const DataScaling& scaling() const { return scaling_; }
  size_t num_groups() const { return groups_.size(); }
  size_t num_left_out() const { return left_out_; }  // groups of one row

 private:
  struct Group {
    torch::Tensor x, y;  // [n, dx], [n, dy], scaled
  };
  ProcessTasks DrawFrom(const Group& group, RandomStream& random) const;

  CsvTaskOptions options_;
  int64_t dx_, dy_;
  DataScaling scaling_;
  std::vector<Group> groups_;
  size_t left_out_ = 0;
};

}  // namespace haplospin
