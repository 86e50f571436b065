// Options that the np commands share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options/command_options.h"
#include "models/neural_process/process_options.h"
#include "processes/csv_tasks.h"
#include "processes/process_model.h"
#include "processes/task_source.h"

namespace haplospin {

// "a,b,c" -> its parts; "" -> none.
std::vector<std::string> SplitList(const std::string& text);

// "LOW,HIGH", or one number for both. Throws InputError, naming the option.
RealRange ParseRealRange(const std::string& text, const std::string& option);
IntegerRange ParseIntegerRange(const std::string& text, const std::string& option);

// The roles of the columns of a table.
struct ColumnArguments {
  std::string x = "x", y = "y", group;

  void Declare(CommandOptions& options, bool with_defaults);
  PointColumns Columns() const;
};

// The default weights of a model for so many inputs. Throws InputError if there are none.
std::string ShippedWeights(const std::string& model, size_t inputs);

}  // namespace haplospin
