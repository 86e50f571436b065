// Commands that run once for each contig, where names of files have "{contig}" in place of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace haplospin {

// A file of an option, whose name is set to that of each contig.
struct ContigPath {
  std::string option;
  std::string* path;  // empty: not given
};

// Calls run(contig) once for each contig that all inputs with the place have, in the order of contigs, with the names
// of inputs and outputs filled; or once with "" if no name has it. Warns of contigs that an input lacks. Throws
// InputError if no file fits a name, an output of several contigs has no place for them, or one has it though no input
// has.
int ForEachContigOfFiles(const std::string& command, const std::vector<ContigPath>& inputs,
                         const std::vector<ContigPath>& outputs, const std::function<std::vector<std::string>()>& list,
                         const std::function<int(const std::string&)>& run);

// Throws InputError if one of `others` has the place of a contig, and `main`, which is read whole, has none.
void CheckMainHasPlace(const std::string& command, const ContigPath& main, const std::vector<ContigPath>& others);

}  // namespace haplospin
