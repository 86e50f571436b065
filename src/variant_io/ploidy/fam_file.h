// The samples of a PLINK file (.fam).
#pragma once

#include <string>
#include <vector>

namespace haplospin {

struct FamFile {
  std::vector<std::string> families;
  std::vector<std::string> samples;  // within-family IDs
  std::vector<bool> is_male;
};

// Columns family, sample, father, mother, sex (1: male), and further ones. Throws InputError if a line has fewer.
// https://www.cog-genomics.org/plink/1.9/formats#fam
FamFile LoadFamFile(const std::string& path);

}  // namespace haplospin
