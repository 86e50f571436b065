// The options of `haplospin impute` for output as BGEN.
#pragma once

#include <string>

#include "cli/options/command_options.h"
#include "imputation/job/imputer.h"

namespace haplospin {

class BgenArguments {
 public:
  void Declare(CommandOptions& options);

  // After parsing, with the other fields of `job` set. Throws InputError where one of these options is given for
  // another format, or BGEN cannot have what else is asked for.
  void Finish(const CommandOptions& options, ImputeJob& job) const;

 private:
  std::string bits_ = "16", compression_ = "zlib";
  bool has_haplotypes_ = false;
};

}  // namespace haplospin
