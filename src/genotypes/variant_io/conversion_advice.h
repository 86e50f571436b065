// What to do about a file that has to be changed or converted: the commands of programs that can read it.
#pragma once

#include <string>

namespace haplospin {

// Returns a command of bcftools for the file, such as "bcftools annotate --rename-chrs", after the command that makes
// VCF of a file that bcftools cannot read: PLINK's .bed and BGEN.
std::string WithBcftools(const std::string& path, const std::string& command);

// Returns the command that sorts the file.
std::string SortingCommand(const std::string& path);

// Throws InputError with the command that converts the file, if it is in a format that other programs read.
void RefuseOtherFormat(const std::string& path);

}  // namespace haplospin
