// Whether a genetic map has its recombination where the haplotypes of a panel have it: a map of another genome build is
// shifted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// Compares linkage disequilibrium between neighboring common markers, which is low across recombination hotspots, with
// the map's distances between them.
class MapComparison {
 public:
  struct Shift {
    int64_t distance = 0;                             // bp by which the map is after the panel; 0: not beyond chance
    double correlation = 0, correlation_shifted = 0;  // of the map as it is, and moved by the distance
  };

  // Adds the panel's markers that are after those added before.
  void Add(const HaplotypePanel& panel);

  // Returns the distance at which the map agrees best with the panel, if it does beyond chance, and not as it is.
  Shift FindShift(const GeneticMap& map) const;

 private:
  // Markers that are next to each other, and the alleles of the same haplotypes.
  static constexpr size_t kWords = 4;  // at most 256 haplotypes
  struct Site {
    int64_t position;
    std::array<uint64_t, kWords> alleles;
  };
  // The middle of a row of sites.
  struct Point {
    int64_t begin, end;  // first and last site, bp
    float log_r2;        // of pairs of sites on both sides of the middle
  };

  void AddPoint();
  double Correlation(const GeneticMap& map, int64_t shift) const;

  size_t num_haplotypes_ = 0;
  std::deque<Site> sites_;  // the last ones
  std::vector<Point> points_;
};

}  // namespace haplospin
