// Whether the genotypes of a study are calls from few reads.
#pragma once

#include <cstddef>
#include <optional>

#include "genotypes/assessment/checking/study_check.h"
#include "genotypes/variant_io/reading/likelihood_calls.h"

namespace haplospin {

// Measures how many genotypes of the first 1,000 markers are uncertain by their likelihoods, PL or GL. Returns nullopt
// if the study has neither, or cannot be read twice. Throws InputError where the field is damaged.
std::optional<CallCertainty> MeasureCallCertainty(const StudyCheckOptions& options);

}  // namespace haplospin
