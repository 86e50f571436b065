// What a run tells the user of the families of a study.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "genotypes/genomics/pedigree.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/imputation/models/pedigree/absent_animals.h"
#include "genotypes/imputation/models/pedigree/family_search.h"
#include "genotypes/imputation/plan/impute_job.h"

namespace haplospin {

// Before the run.
void TellOfFamilies(const ImputeJob& job, const Pedigree& pedigree, size_t num_samples);
// Throws InputError if an animal without genotypes has the name of a sample, or of another one.
void TellOfAnimals(const ImputeJob& job, const AbsentAnimals& animals, const std::vector<std::string>& samples);
void TellOfFoundFamilies(const ImputeJob& job, const FoundFamilies& found);
void TellOfFoundParents(const ImputeJob& job, size_t parents);

// Before a contig, or a part of one.
void TellOfMissingAnimals(const ImputeJob& job, const std::string& contig);

// After a contig, or a part of one, with Mendelian errors.
void WarnOfErrorsWithoutSexes(const ImputeJob& job, const std::string& contig, const ContigPart& part);

// After the last contig. `children` have too many Mendelian errors; none: nothing is told.
void WarnOfChildrenOfOthers(const ImputeJob& job, const std::vector<std::string>& children);

}  // namespace haplospin
