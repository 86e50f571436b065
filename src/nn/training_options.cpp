#include "nn/training_options.h"

#include <filesystem>

#include "core/log.h"
#include "core/output_file.h"
#include "haplospin/errors.h"

namespace haplospin {

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
  if (options.place.rank > 0) return;  // only rank 0 writes
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
