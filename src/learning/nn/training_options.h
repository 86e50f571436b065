// The options that all training commands have in common, and the place of a process among those that train together.
// Without LibTorch: the program declares them as options of its commands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace haplospin {

// The options of the optimizer Lookahead (nn/optimization/optimizer.h).
struct LookaheadOptions {
  int period = 6;           // k: steps of the inner optimizer between updates of the slow weights
  double slow_rate = 0.5;   // alpha: slow += alpha (fast - slow)
  bool synchronize = true;  // the fast weights then start again from the slow ones
};

// The place of this process among those that train a model together.
struct ProcessPlace {
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;  // rank among the processes on this machine: the CUDA device to take
  std::string address = "localhost";
  uint16_t port = 29500;
};

// Reads RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT as torchrun sets them or, in a step of srun, Slurm's
// own variables; without either there is one process. Throws InputError if they contradict each other or are not
// numbers.
ProcessPlace ProcessPlaceFromEnvironment();

// The first host of a list as Slurm writes it: "node03" of "node[03-07,12],gpu1".
std::string FirstHost(std::string_view slurm_node_list);

struct TrainingOptions {
  std::string command = "train";  // the command's name in messages
  int64_t steps = 1000;
  double learning_rate = 1e-3;  // the largest of the schedule
  double weight_decay = 0;
  uint64_t seed = 1;
  std::string device = "cpu";
  double time_limit = 0;         // seconds, over all resumed parts of a run; the schedule then ends with it; 0: none
  int64_t log_steps = 100;       // steps between log lines; 0: no lines
  int64_t validation_steps = 0;  // steps between validations; 0: none, and the last weights are the result
  int64_t patience = 0;          // validations without a better one after which a run ends; 0: it does not
  std::string checkpoint;        // empty: none
  int64_t checkpoint_steps = 500;
  bool resume = false;
  bool allow_changes = false;  // resume with other options than those the checkpoint was made with
  int64_t stop_after = 0;      // steps of this process, after which it ends with a checkpoint and no result; 0: never
  std::string out;
  ProcessPlace place;
};

// Throws InputError before hours of work where options contradict each other, where the output or the checkpoint
// cannot be written, and where there is no checkpoint to resume from. Leaves no file behind.
void CheckTrainingOptions(const TrainingOptions& options);

// Sets the place of the process from the environment, silences all processes but that of rank 0, and calls
// CheckTrainingOptions().
void PrepareTraining(TrainingOptions& options);

}  // namespace haplospin
