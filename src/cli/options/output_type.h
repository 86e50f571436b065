// The options of commands that write VCF or BCF.
#pragma once

#include <string>

#include "cli/options/command_options.h"
#include "variant_io/writing/output_type.h"

namespace haplospin {

// Adds --output-type, whose value is for ParseOutputType().
void AddOutputType(CommandOptions& options, std::string* letter);

// Throws InputError if --write-index was given for an output that cannot be indexed.
void CheckIndexable(const std::string& command, bool write_index, const std::string& path, OutputType type);

}  // namespace haplospin
