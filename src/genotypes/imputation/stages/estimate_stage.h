// The first two stages of a window with a panel: what is to be known of the panel before its haplotypes are copied.
#pragma once

#include "genotypes/imputation/stages/stage.h"

namespace haplospin {

// Searching for matches sorts the panel, whatever the number of targets.
inline constexpr size_t kLargePanel = 1 << 16;  // haplotypes

// Estimates how the panel's haplotypes copy each other, and its populations, unless the panel is adapted to the array.
class EstimateStage : public Stage {
 public:
  // Whose search for matches finds those of the panel's own haplotypes, by which rates are estimated. With the study's,
  // a large panel is sorted once in place of twice, if the haplotypes of the study are given: ImputeStage estimates.
  enum class Search { kOwn, kWithStudy };

  explicit EstimateStage(Search search) : search_(search) {}

  const char* name() const override { return "estimate"; }
  bool Applies(const WindowState& window) const override;
  StageMemory Memory(const WindowSize& size) const override;
  void Run(WindowState& window) const override;

 private:
  const Search search_;
};

// Returns the factor of genetic distances for a panel whose haplotypes switch `switches` times each in a window. It is
// 1 for panels of people, which switch 100 times per Morgan and more, and for windows that are too short to tell. The
// network and the constants of copying know distances from such panels; in a herd, a cross or lines, haplotypes are
// shared over tens of cM, where the same evidence is further away.
double DistanceScale(double switches, double morgans);

// Makes distances proportional to how far the panel's haplotypes are shared.
class ScaleStage : public Stage {
 public:
  const char* name() const override { return "scale"; }
  bool Applies(const WindowState& window) const override;
  void Run(WindowState& window) const override;
};

}  // namespace haplospin
