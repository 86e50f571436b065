// Genetic map of one contig: centimorgans at a base pair.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace haplospin {

class GeneticMap {
 public:
  // 1 cM per Mb: what is assumed where no map is given.
  static GeneticMap Uniform();

  // Reads a PLINK map (`chr id cM bp`) or a SHAPEIT map (`pos chr cM`, header line), gzipped or not, and keeps the rows
  // of `contig` (a `chr` prefix does not matter). Throws InputError if it has no row for the contig, or positions or
  // centimorgans that decrease.
  static GeneticMap Load(const std::string& path, const std::string& contig);

  // Linear between the map's points, and beyond its ends at 1 cM/Mb.
  double Centimorgans(int64_t position) const;

 private:
  std::vector<int64_t> positions_;     // bp, increasing
  std::vector<double> centimorgans_;   // of each position
};

}  // namespace haplospin
