#include "cli/paths.h"

namespace haplospin {

std::string ProgramPath() { return HAPLOSPIN_PROGRAM; }

std::string SourceFolder() { return HAPLOSPIN_SOURCE; }

std::string TestDataFolder() { return SourceFolder() + "/test-data"; }

std::string ShippedWeightsPath() { return SourceFolder() + "/models/imputer.safetensors"; }

std::string EmulatedDriverFolder() { return HAPLOSPIN_EMULATED_DRIVER_FOLDER; }

}  // namespace haplospin
