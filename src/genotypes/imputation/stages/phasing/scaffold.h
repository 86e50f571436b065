// The markers of a study without a panel that are phased before rarer ones are placed on their haplotypes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

struct Scaffold {
  // The window must outlive the scaffold.
  Scaffold(const PanelWindow& window, const WindowStudy& study, std::vector<uint32_t> markers);

  const std::vector<uint32_t> markers;  // of the study's typed ones, ascending
  const WindowStudy study;
  const PanelWindow window;
};

// Returns the typed markers whose less frequent allele is expected to have at least `min_count` copies in the study,
// missing ones among them; null if these are all markers, or fewer than two.
std::unique_ptr<const Scaffold> MakeScaffold(const PanelWindow& window, const WindowStudy& study, size_t min_count);

// The allele of a typed marker that has fewer copies in the study.
struct MinorAllele {
  uint8_t allele;
  size_t count;
  size_t observed;  // alleles that are not missing

  double frequency() const { return observed > 0 ? static_cast<double>(count) / static_cast<double>(observed) : 0; }
};
MinorAllele FindMinorAllele(const WindowStudy& study, size_t j);

// Returns the frequencies of ALT among the alleles that are not missing: [typed].
std::vector<float> AltFrequencies(const WindowStudy& study);

}  // namespace haplospin
