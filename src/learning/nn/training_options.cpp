#include "learning/nn/training_options.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string_view>

#include "core/log.h"
#include "core/output_file.h"
#include "core/parse_number.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int kMax = std::numeric_limits<int>::max();

int NumberFromEnvironment(const char* name, int otherwise, int low, int high) {
  const char* value = std::getenv(name);
  if (value == nullptr) return otherwise;
  const auto number = ParseNumber<int>(value);
  if (!number || *number < low || *number > high) {
    throw InputError(
        fmt::format("environment variable {} is '{}', expected a number from {} to {}; start with torchrun or srun",
                    name, value, low, high));
  }
  return *number;
}

// torchrun and srun both leave it to the user to give another meeting point.
void TakeMeetingPoint(ProcessPlace& place) {
  place.port = static_cast<uint16_t>(NumberFromEnvironment("MASTER_PORT", place.port, 1, 65535));
  if (const char* address = std::getenv("MASTER_ADDR")) place.address = address;
}

ProcessPlace PlaceFromTorchrun() {
  ProcessPlace place;
  place.world_size = NumberFromEnvironment("WORLD_SIZE", 1, 1, kMax);
  if (place.world_size == 1) return place;
  place.rank = NumberFromEnvironment("RANK", -1, 0, place.world_size - 1);
  if (place.rank < 0) {
    throw InputError("environment variable WORLD_SIZE is set but RANK is not; start with torchrun or srun");
  }
  place.local_rank = NumberFromEnvironment("LOCAL_RANK", place.rank, 0, place.rank);
  TakeMeetingPoint(place);
  return place;
}

ProcessPlace PlaceFromSlurm() {
  ProcessPlace place;
  place.world_size = NumberFromEnvironment("SLURM_NTASKS", 1, 1, kMax);
  if (place.world_size == 1) return place;
  place.rank = NumberFromEnvironment("SLURM_PROCID", 0, 0, place.world_size - 1);
  place.local_rank = NumberFromEnvironment("SLURM_LOCALID", place.rank, 0, place.rank);
  // Jobs that share a machine must not share a port.
  place.port = static_cast<uint16_t>(15000 + NumberFromEnvironment("SLURM_JOB_ID", 0, 0, kMax) % 20000);
  for (const char* name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}) {
    const char* nodes = std::getenv(name);
    if (nodes == nullptr) continue;
    place.address = FirstHost(nodes);
    break;
  }
  TakeMeetingPoint(place);
  return place;
}

}  // namespace

ProcessPlace ProcessPlaceFromEnvironment() {
  if (std::getenv("WORLD_SIZE") != nullptr) return PlaceFromTorchrun();
  // sbatch sets SLURM_NTASKS for its script too, which is one process; only a step of srun has this one.
  if (std::getenv("SLURM_STEP_ID") != nullptr) return PlaceFromSlurm();
  return {};
}

std::string FirstHost(std::string_view list) {
  const size_t end = list.find_first_of(",[");
  std::string host(list.substr(0, end));
  if (end == std::string_view::npos || list[end] == ',') return host;
  const std::string_view numbers = list.substr(end + 1);
  host += numbers.substr(0, numbers.find_first_of(",-]"));
  const size_t close = numbers.find(']');
  if (close == std::string_view::npos) return host;
  const std::string_view after = numbers.substr(close + 1);
  return host.append(after.substr(0, after.find(',')));
}

void CheckTrainingOptions(const TrainingOptions& options) {
  if (options.checkpoint.empty()) {
    for (const auto& [given, name] :
         {std::pair(options.stop_after > 0, "--stop-after"), std::pair(options.resume, "--resume")}) {
      if (given) throw InputError(options.command + ": " + name + " needs --checkpoint");
    }
  }
  if (options.allow_changes && !options.resume) throw InputError(options.command + ": --allow-changes needs --resume");
  if (options.resume && !std::filesystem::exists(options.checkpoint)) {
    throw InputError(options.checkpoint + ": checkpoint not found; start without --resume");
  }
  if (options.place.rank > 0) return;  // rank 0 alone writes files
  for (const std::string& path : {options.out, options.checkpoint}) {
    if (!path.empty()) OutputFile{path};
  }
}

void PrepareTraining(TrainingOptions& options) {
  options.place = ProcessPlaceFromEnvironment();
  if (options.place.rank > 0) SetQuiet(true);
  CheckTrainingOptions(options);
  if (options.place.world_size > 1) LogInfo("{} processes train together", options.place.world_size);
}

}  // namespace haplospin
