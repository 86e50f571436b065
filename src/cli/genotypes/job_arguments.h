// The options that `haplospin impute` and `haplospin phase` have in common.
#pragma once

#include <cstdint>
#include <string>

#include "cli/genotypes/ploidy_arguments.h"
#include "cli/options/command_options.h"
#include "imputation/job/imputer.h"
#include "imputation/phasing/sample_phaser.h"

namespace haplospin {

class JobArguments {
 public:
  // Parsing and Finish() fill `job`.
  explicit JobArguments(ImputeJob& job) : job_(job) {}
  JobArguments(const JobArguments&) = delete;
  JobArguments& operator=(const JobArguments&) = delete;

  enum class Panel { kRequired, kOptional };
  void DeclareInput(CommandOptions& options, Panel panel);
  void DeclarePhasing(CommandOptions& options);
  void DeclareOutput(CommandOptions& options, const std::string& out_help);
  void DeclareChecks(CommandOptions& options);
  void DeclareWindows(CommandOptions& options, const std::string& region_help);

  // After parsing: reads the lists of samples. Throws InputError for a list or region that is invalid, and for an
  // output of `command` that cannot be indexed.
  void Finish(const std::string& command);

  PhasingOptions phasing() const;

 private:
  ImputeJob& job_;
  PloidyArguments ploidy_;
  std::string panel_samples_, exclude_samples_, region_, output_type_ = "auto";
  int64_t seed_ = 1;
};

}  // namespace haplospin
