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

  // Reads a genetic map, gzipped or not, and keeps the rows of `contig` (see SameContig()). Columns are split at spaces
  // and tabs, and told apart by the header line (`pos chr cM` of SHAPEIT and GLIMPSE, `chr position ... cM` of others);
  // without one, four columns are PLINK's `chr id cM bp` and three are `pos chr cM`. Throws InputError if the file is
  // empty, a number does not parse, it has no row for the contig, or positions do not increase or centimorgans
  // decrease.
  static GeneticMap Load(const std::string& path, const std::string& contig);

  // The map of a place with `factor` times the recombination.
  GeneticMap Scaled(double factor) const;

  // Linear between the map's points, and beyond its ends at 1 cM/Mb. Never decreases with `position`.
  double Centimorgans(int64_t position) const;

 private:
  double rate_beyond_ = 1e-6;         // cM per bp before the first point and after the last
  std::vector<int64_t> positions_;    // bp, increasing
  std::vector<double> centimorgans_;  // of each position
};

}  // namespace haplospin
