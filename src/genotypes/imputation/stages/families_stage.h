// The haplotypes of families of which some people are in the panel, or have no genotypes.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "genotypes/imputation/stages/panel_families.h"
#include "genotypes/imputation/stages/stage.h"

namespace haplospin {

// Finds the haplotypes of families of which some people are in the panel (kSamples), or those of people without
// genotypes from their relatives in the study and in the panel (kAnimals). Founders without genotypes are imputed from
// the panel, with the alleles that their children tell.
class FamiliesStage : public Stage {
 public:
  // `impute` imputes founders without genotypes, who have no families of their own; `families` are those of the study.
  FamiliesStage(FamilyPart part, std::unique_ptr<const Stage> impute, const Pedigree& families, uint64_t seed)
      : part_(part), impute_(std::move(impute)), families_(families), seed_(seed) {}

  const char* name() const override { return part_ == FamilyPart::kSamples ? "families" : "animals"; }
  bool Applies(const WindowState& window) const override;
  bool NeedsCore() const override { return true; }
  StageMemory Memory(const WindowSize& size) const override { return PanelFamiliesMemory(families_, part_, size); }
  void Run(WindowState& window) const override;

 private:
  const FamilyPart part_;
  const std::unique_ptr<const Stage> impute_;
  const Pedigree& families_;
  const uint64_t seed_;
};

}  // namespace haplospin
