// What imputes the windows of a contig: the default imputer (window_imputer.h) or another architecture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "genomics/region.h"
#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"
#include "haplospin/study_genotypes.h"
#include "imputation/window_dosages.h"

namespace haplospin {

// One window's view of the study: alleles of each haplotype at the panel's typed markers.
struct WindowStudy {
  const SampleTable* samples;
  std::vector<uint32_t> typed;                    // panel markers, ascending
  std::vector<const std::vector<uint8_t>*> rows;  // [typed] alleles of all study haplotypes
};

// The study's markers that the panel has, in the panel's order: two study markers at one position may be in another
// one. `panel_marker`: that of each of the first study markers, or kNotInPanel or kRepeatsEarlier. Holds pointers into
// the study.
WindowStudy TypedSites(const StudyGenotypes& study, std::span<const uint32_t> panel_marker);

class WindowModel {
 public:
  virtual ~WindowModel() = default;

  // Imputes the panel markers of `wanted`, a part of `core`: all that this window is there for. A model that cuts the
  // core into pieces of its own does so from its begin, so that the results do not depend on the part wanted. Throws
  // InputError where the model was made for other sites.
  virtual WindowDosages Impute(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study,
                               MarkerRange core, MarkerRange wanted) const = 0;

  // The only stretch that the model can impute, or nothing where it can impute any.
  virtual std::optional<Region> Coverage() const { return std::nullopt; }
};

}  // namespace haplospin
