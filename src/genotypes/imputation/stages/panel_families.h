// The families of a study that go on in the panel, or in people without genotypes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "genotypes/genomics/pedigree.h"
#include "genotypes/imputation/models/phasing/sample_targets.h"
#include "genotypes/imputation/stages/phasing/family_phase.h"
#include "genotypes/imputation/stages/phasing/founder_study.h"
#include "genotypes/imputation/stages/stage.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/imputation/window/window_dosages.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

// The families of a study that have people of the panel: Pedigree::others are samples of it. Those who are also in the
// study have the panel's haplotypes. Or, to find people without genotypes, the families that these are in, whether
// somebody is in the panel or not.
class PanelFamilies {
 public:
  // The window and the study, whose families are known, must outlive the object.
  PanelFamilies(const PanelWindow& window, const WindowStudy& study, FamilyPart part = FamilyPart::kSamples);

  // Returns whether there are any.
  bool HasAny() const { return !study_samples_.empty(); }

  // Returns whether both parents of each sample of the study are in the study or the panel, so that it does not matter
  // for Draw() how the study was imputed.
  bool HasAllParents() const;

  // Returns the founders without genotypes, with the alleles that their children tell, as a study of its own; nothing
  // if there are none. `dosages` are those of the study at all markers of the core.
  std::unique_ptr<const FounderStudy> AbsentFounders(uint64_t seed, const WindowDosages& dosages) const;

  // Changes the probabilities of the samples in these families, which were imputed from the panel one by one, to those
  // that FamilySampler finds. `absent` are the dosages of AbsentFounders(), null if there are none. The haplotypes of
  // the panel's people are those of the panel, those of founders in the study are as imputed. Given alleles are kept. A
  // child's haplotype from its father comes first. Of FamilyPart::kAnimals, those of people without genotypes are found
  // in the same way, and of the samples only those without any genotype change.
  void Draw(const WindowDosages* absent, uint64_t seed, WindowDosages& dosages) const;

 private:
  class People;
  using Rows = std::map<size_t, std::vector<float>>;  // by haplotype: [core markers]

  size_t num_samples() const { return study_samples_.size() + panel_samples_.size(); }
  void SetAnimals(Rows rows, WindowDosages& dosages) const;
  void CopyShared(const WindowDosages& dosages, Rows& rows) const;
  void DrawPieces(const WindowDosages* absent, uint64_t seed, const WindowDosages& dosages, Rows& rows) const;
  void DrawPiece(MarkerRange piece, std::span<const SampleTargets> absent, uint64_t seed, const WindowDosages& dosages,
                 Rows& rows) const;

  const PanelWindow& window_;
  const WindowStudy& study_;
  const FamilyPart part_;
  std::vector<size_t> study_samples_, panel_samples_;  // samples of the families
  std::vector<std::pair<size_t, size_t>> shared_;      // samples of the study who are in the panel, and which there
  std::vector<size_t> without_genotypes_;              // samples of the study, which are animals of families_
  Pedigree families_;                                  // of these
};

// Returns the bytes of PanelFamilies for a study with these families.
StageMemory PanelFamiliesMemory(const Pedigree& families, FamilyPart part, const WindowSize& size);

}  // namespace haplospin
