// Genetic map of one contig: centimorgans at a base pair.
#pragma once

#include <cstdint>
#include <vector>

namespace haplospin {

class GeneticMap {
 public:
  // One value in cM for each position (bp). Throws InputError if there is none, positions do not increase, or
  // centimorgans decrease.
  GeneticMap(std::vector<int64_t> positions, std::vector<double> centimorgans);

  // 1 cM per Mb: what is assumed where no map is given.
  static GeneticMap Uniform();

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
