// The haplotypes of families of which some people are in the panel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "genotypes/imputation/models/phasing/sample_targets.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/imputation/window/window_dosages.h"
#include "genotypes/imputation/window/window_study.h"
#include "genotypes/variant_io/fam_file.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// Returns the dosages of a study at all markers of the core.
using ImputeStudyFunction = std::function<WindowDosages(const WindowStudy&)>;

// The families of a study that have people of the panel: Pedigree::others are samples of it. Those who are also in the
// study have the panel's haplotypes.
class PanelFamilies {
 public:
  // The window and the study, whose families may be null, must outlive the object.
  PanelFamilies(const PanelWindow& window, const WindowStudy& study);

  // Returns whether there are any.
  bool HasAny() const { return !study_samples_.empty(); }

  // Returns whether both parents of each sample of the study are in the study or the panel, so that it does not matter
  // for Draw() how the study was imputed.
  bool HasAllParents() const;

  // Changes the probabilities of the samples in these families, which were imputed from the panel one by one, to those
  // that FamilySampler finds. The haplotypes of the panel's people are those of the panel, those of founders in the
  // study are as imputed. People without genotypes are imputed from the panel, with the alleles that their children
  // tell. Given alleles are kept. A child's haplotype from its father comes first.
  void Draw(const ImputeStudyFunction& impute, uint64_t seed, WindowDosages& dosages) const;

 private:
  class People;

  size_t AddSample(const SampleTable& samples, size_t sample);
  std::vector<SampleTargets> ImputeAbsent(const ImputeStudyFunction& impute, uint64_t seed,
                                          const WindowDosages& dosages) const;
  void CopyShared(const WindowDosages& dosages, std::map<size_t, std::vector<float>>& rows) const;
  void DrawPiece(MarkerRange piece, std::span<const SampleTargets> absent, uint64_t seed, const WindowDosages& dosages,
                 std::map<size_t, std::vector<float>>& rows) const;

  const PanelWindow& window_;
  const WindowStudy& study_;
  std::vector<size_t> study_samples_, panel_samples_;  // samples of the families
  std::vector<std::pair<size_t, size_t>> shared_;      // samples of the study who are in the panel, and which there
  SampleTable samples_;                                // both
  Pedigree families_;                                  // of these
};

// Returns about how many bytes PanelFamilies::Draw() takes beside the rows of dosages, if a core has so many markers.
size_t EstimatePanelFamilyBytes(const Pedigree& pedigree, size_t study_samples, size_t markers);

}  // namespace haplospin
