// The haplotypes of study samples, whose genotypes may be phased or not.
#pragma once

#include <cstddef>
#include <vector>

#include "imputation/copying/copying_model.h"
#include "imputation/phasing/sample_phaser.h"
#include "imputation/sample_targets.h"
#include "imputation/window_model.h"

namespace haplospin {

// The haplotypes of samples [begin, end). Samples that are not phased, or not everywhere, are phased: their most
// probable phase keeps the order of the alleles that are phased, and has the orientation that was found in an earlier
// window; their versions are drawn from the posterior distribution. Runs on all threads; the result does not depend on
// their number.
std::vector<SampleTargets> FindTargets(const PhasingContext& context, const WindowStudy& study, size_t begin,
                                       size_t end);

// The model that was estimated with `copying`, with the rates of phasing.
CopyingModel WithRatesOf(const PhasingOptions& phasing, CopyingModel model, const CopyingOptions& copying);

}  // namespace haplospin
