// Imputation of a study together with the individuals of its panel, whose phase is found again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "genotypes/imputation/stages/stage.h"

namespace haplospin {

// Whether the two estimates of a small herd, beside that of the copying model, are worth their time in a window.
struct JointOptions {
  uint64_t seed = 1;
  size_t max_alleles = 4'000'000;  // of panel and study in a window that are drawn together
  bool has_families = false;       // whether FamiliesStage follows, for which it may not matter what was imputed
};

// Returns whether haplotypes are shared far, and panel and study are small.
bool IsSmallHerd(const WindowState& window, const JointOptions& options);

// The phase of a small panel was found from few individuals, and has errors that the haplotypes of a study are copied
// with. Draws the phase of the panel's individuals and the haplotypes of the study, at all markers, from those that the
// panel has and those that the dosages tell. Imputed probabilities become the means of what they are and the mean of
// the draws: two estimates with different errors. Given alleles are kept.
class JointStage : public Stage {
 public:
  explicit JointStage(const JointOptions& options) : options_(options) {}

  const char* name() const override { return "joint"; }
  bool Applies(const WindowState& window) const override { return IsSmallHerd(window, options_); }
  bool NeedsCore() const override { return true; }
  void Run(WindowState& window) const override;

 private:
  const JointOptions options_;
};

}  // namespace haplospin
