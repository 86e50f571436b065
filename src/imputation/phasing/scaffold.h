// The markers of a study without a panel that are phased before rarer ones are placed on their haplotypes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "imputation/window/panel_window.h"
#include "imputation/window/window_study.h"

namespace haplospin {

struct Scaffold {
  // The typed markers whose less frequent allele has at least `min_count` copies in the study; all, if there are fewer
  // than two of these. The window must outlive the scaffold.
  Scaffold(const PanelWindow& window, const WindowStudy& study, size_t min_count);

  const std::vector<uint32_t> markers;  // of the study's typed ones, ascending
  const WindowStudy study;
  const PanelWindow window;
};

// The allele of a typed marker that has fewer copies in the study.
struct MinorAllele {
  uint8_t allele;
  size_t count;
};
MinorAllele MinorAlleleOf(const WindowStudy& study, size_t j);

}  // namespace haplospin
