// A genetic map of a contig: the position in cM of a position in bp.
#pragma once

#include <cstdint>
#include <vector>

namespace haplospin {

class GeneticMap {
 public:
  // Makes a map of points: `centimorgans` has one value for each position (bp). Throws InputError if there is none,
  // positions do not increase, or centimorgans decrease.
  GeneticMap(std::vector<int64_t> positions, std::vector<double> centimorgans);

  // Returns the map of 1 cM per Mb, the default without a map.
  static GeneticMap Uniform();

  // Returns the map with all recombination rates multiplied by `factor`.
  GeneticMap Scaled(double factor) const;

  // The first and the last point, bp.
  int64_t first_position() const { return positions_.front(); }
  int64_t last_position() const { return positions_.back(); }

  // Returns the position in cM: interpolated between the points of the map, and by 1 cM/Mb beyond its ends. Never
  // decreases with `position`.
  double Centimorgans(int64_t position) const;

 private:
  double rate_beyond_ = 1e-6;         // cM per bp before the first point and after the last
  std::vector<int64_t> positions_;    // bp, increasing
  std::vector<double> centimorgans_;  // [positions]
};

}  // namespace haplospin
