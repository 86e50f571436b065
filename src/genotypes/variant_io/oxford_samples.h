// Files of samples of Oxford's programs: .sample, beside .bgen, .hap and .haps.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace haplospin {

// The path of the file with the same name but for its ending that is there, or "".
std::string FileBeside(const std::string& path, std::initializer_list<const char*> endings);

// The .sample (or .samples, of bcftools) beside a file, or "".
std::string OxfordSamplesBeside(const std::string& path);

// A sample is its second column, ID_2, in .sample, whose second line has the types of columns; bcftools and IMPUTE2
// also write panels' samples with the name first, after one line.
std::vector<std::string> ReadOxfordSamples(const std::string& path);

// The text of a .sample file.
std::string OxfordSamplesText(const std::vector<std::string>& samples);

// Throws InputError, which names the BGEN file `path`, if a name has a blank, which .sample has between its columns.
void CheckOxfordNames(const std::string& path, const std::vector<std::string>& samples);

}  // namespace haplospin
