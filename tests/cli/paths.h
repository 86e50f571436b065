// Files that the tests use. Their names are compiled in one small source, so that all others are the same to a compiler
// cache wherever the repository is.
#pragma once

#include <string>

namespace haplospin {

std::string ProgramPath();
std::string SourceFolder();    // the repository
std::string TestDataFolder();  // test-data
std::string ShippedWeightsPath();
std::string EmulatedDriverFolder();  // tests/genotypes/imputation/backends/gpu/emulated_driver.cpp as libcuda.so.1

}  // namespace haplospin
