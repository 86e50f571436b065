// The errors of imputed probabilities as a linear function of the alleles at the sites of an array (ErrorFunction),
// estimated on left-out haplotypes of a panel by ridge regression. Imputation makes the same errors in a study.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "genotypes/variant_io/panel_file/panel_adaptation.h"

namespace haplospin {

// Left-out haplotypes at some markers: a column has a value for each haplotype.
struct LeftOutMarker {
  std::span<const float> alleles;      // 0 or 1 for ALT
  std::span<const float> probability;  // of ALT, as imputed
  float frequency;                     // of ALT in the panel
};

// Regresses the errors of the markers between two sites of the array. sites[k] are the alleles at one of the sites
// around them minus its frequency of ALT in the panel, or empty where there is no such site. Returns an entry for each
// marker: nothing where the minor allele has too few carriers.
std::vector<std::optional<ErrorFunction>> RegressErrors(std::span<const std::vector<float>, kErrorSites> sites,
                                                        std::span<const LeftOutMarker> markers);

}  // namespace haplospin
