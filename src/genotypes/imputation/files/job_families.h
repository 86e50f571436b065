// The families of a run without a pedigree, and the parents that a pedigree leaves open.
#pragma once

#include <span>
#include <string>

#include "genotypes/imputation/files/contig_jobs.h"
#include "genotypes/imputation/plan/impute_job.h"

namespace haplospin {

// Finds the families of the study, if the job seeks them, gives them to it, and tells the user. They are sought where
// samples copy each other, and in all contigs of the study, whatever the region of the run, which does not matter so.
// Nothing is found in standard input, in one contig, or if genotypes come from likelihoods. If the job has a pedigree,
// the second parents of people with one parent are sought.
void FindFamilies(ImputeJob& job);

// The same for a study whose contigs are in different files, or jobs of their own.
void FindFamilies(std::span<ContigJob> jobs);

// A value that other families do not have; empty if the job has none that were found.
std::string DescribeFamilies(const StudyInput& study);

}  // namespace haplospin
