// Files of the populations of samples.
#pragma once

#include <span>
#include <string>

#include "genomics/sample_groups.h"

namespace haplospin {

// The groups of `samples`, from lines of a sample and its group split at spaces or tabs; further columns and other
// samples are ignored. Throws InputError if the file cannot be read, one of `samples` is missing, or one is in two
// groups.
SampleGroups LoadSampleGroups(const std::string& path, std::span<const std::string> samples);

}  // namespace haplospin
