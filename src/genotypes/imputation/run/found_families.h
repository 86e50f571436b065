// The families of a study without a pedigree.
#pragma once

#include <optional>

#include "genotypes/imputation/run/impute_job.h"
#include "genotypes/imputation/run/run_plan.h"
#include "genotypes/variant_io/fam_file.h"

namespace haplospin {

// Finds parents and children among the samples of a study (relatives.h) in up to 10,000 of its frequent markers, which
// it reads beforehand from the beginning of the file. Returns nullopt if there are none, if a panel serves instead, if
// genotypes have likelihoods or are all phased, and if the markers span too little to tell relatives from samples who
// share a haplotype there, or cannot be read twice.
std::optional<Pedigree> FindFamilies(const ImputeJob& job, const RunPlan& plan);

}  // namespace haplospin
