// Files that list names, such as those of samples.
#pragma once

#include <string>
#include <vector>

namespace haplospin {

// The names of a file, plain or gzipped, with one on a line; empty lines are left out. Throws InputError if it cannot
// be opened, which ends with `expectation`: what the user should give.
std::vector<std::string> ReadNameList(const std::string& path, const std::string& expectation);

// Reads a file of sample names, which must have at least one.
std::vector<std::string> ReadSampleNames(const std::string& path);

// The names of lists that are separated by commas: {"GP,HDS", "AP"} is {"GP", "HDS", "AP"}. An empty text has none.
std::vector<std::string> SplitLists(const std::vector<std::string>& lists);

}  // namespace haplospin
