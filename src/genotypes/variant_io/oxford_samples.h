// Files of samples of Oxford's programs: .sample, beside .bgen, .hap and .haps.
#pragma once

#include <initializer_list>
#include <string>
#include <unordered_set>
#include <vector>

namespace haplospin {

// The path of the file with the same name but for its ending that is there, or "".
std::string FileBeside(const std::string& path, std::initializer_list<const char*> endings);

// The .sample (or .samples, of bcftools) beside a file, or "".
std::string OxfordSamplesBeside(const std::string& path);

// A sample is its second column, ID_2, in .sample, whose second line has the types of columns; bcftools and IMPUTE2
// also write panels' samples with the name first, after one line.
std::vector<std::string> ReadOxfordSamples(const std::string& path);

// The names of those whose sex is known.
struct SampleSexes {
  std::unordered_set<std::string> males, females;
};

// The text of a .sample file. With sexes it has a column of them: 1 for a male, 2 for a female, 0 for neither.
std::string OxfordSamplesText(const std::vector<std::string>& samples, const SampleSexes* sexes);

// Throws InputError, which names the BGEN file `path`, if a name has a blank, which .sample has between its columns.
void CheckOxfordNames(const std::string& path, const std::vector<std::string>& samples);

}  // namespace haplospin
