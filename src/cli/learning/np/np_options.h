// The arguments of haplospin np: the program parses them, and functions in libhaplospin_torch use them.
#pragma once

#include <string>

#include "cli/options/command_options.h"
#include "learning/models/neural_process/process_options.h"
#include "learning/processes/process_arguments.h"

namespace haplospin {

// The roles of the columns of a table.
struct ColumnArguments {
  std::string x = "x", y = "y", group;
};

// The predictor that np predict and np evaluate use.
struct PredictorArguments {
  PredictorOptions predictor;
  std::string gp_kernel = "se";
};

// The source of the tasks of np train and np evaluate.
struct TaskArguments {
  std::string task = "gp";
  // The options of --task gp.
  std::string setting = "te-tnp", kernels, lengthscale, noise, context, targets;
  int64_t inputs = 1;
  double shift = 0;
  bool bimodal = false, standardize = false;
  // The options of --task csv.
  std::string data, share;
  ColumnArguments columns;
  double hold_out = 0.2;
  int64_t max_points = 512;
};

struct NpTrainArguments {
  ProcessOptions model;
  std::string noise = "auto";
  bool no_location_updates = false, mean_pseudo_locations = false;
  int64_t block_mb = 64;
  TaskArguments tasks;
  ProcessTraining training;
  std::string schedule = "cosine";
};

struct NpPredictArguments {
  PredictorArguments predictor;
  ColumnArguments columns;
  std::string context, targets, out, plot, quantiles = "0.05,0.5,0.95";
  int64_t grid = 200, samples = 0;
  uint64_t seed = 1;
};

struct NpEvaluateArguments {
  PredictorArguments predictor;
  TaskArguments tasks;
  int64_t batches = 50, batch = 16;
  uint64_t seed = 1;
  std::string report, json;
};

// The commands after parsing. `options` tells which options were given, `command_line` is for the provenance.
void RunNpTrain(NpTrainArguments arguments, const CommandOptions& options, const Arguments& command_line);
void RunNpPredict(const NpPredictArguments& arguments, const CommandOptions& options);
void RunNpEvaluate(const NpEvaluateArguments& arguments, const CommandOptions& options, const Arguments& command_line);

}  // namespace haplospin
