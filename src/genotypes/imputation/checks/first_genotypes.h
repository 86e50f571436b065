// What the first genotypes of a study and a panel tell, before a run.
#pragma once

#include "genotypes/imputation/plan/impute_job.h"

namespace haplospin {

// Warns of genotypes of few reads that are taken as certain although the study has their likelihoods, of genotypes and
// panels that are phased in name alone, and of studies whose genotypes of REF are missing; without a panel, throws
// InputError for these. A study that cannot be read is told of later.
void CheckFirstGenotypes(const ImputeJob& job);

}  // namespace haplospin
