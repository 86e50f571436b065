// Whether the samples of a study can be imputed, and who they are.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/imputation/plan/study_facts.h"

namespace haplospin {

// Throws InputError for a single sample without a panel.
void CheckNumSamples(const ImputeJob& job, const StudyFacts& facts, size_t samples);

// Warns of names that the samples of study and panel share.
void WarnOfSharedSamples(const ImputeJob& job, const std::vector<std::string>& study,
                         const std::vector<std::string>& panel);

// Warns if nothing tells who is male on a part of a contig where that matters.
void WarnOfUnknownSexes(const ImputeJob& job, const std::string& contig, const ContigPart& part);

}  // namespace haplospin
