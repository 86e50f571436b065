// Studies that are not one file of genotypes: aligned reads, at the sites of a panel or a list, and files of one person
// each.
#pragma once

#include <string>

#include "genotypes/imputation/plan/impute_job.h"

namespace haplospin {

// Returns the options of the job's study, whose records, if it is one of reads or people, are opened at the sites of
// the job. Reads take at most a small share of its memory, and count the sites of its region.
StudyOptions OpeningOptions(const ImputeJob& job);

// Returns a text that other people, or files of other content, do not have; "" for a study that is a file of genotypes.
// Throws InputError if a file cannot be read.
std::string DescribeStudy(const StudyInput& study);

}  // namespace haplospin
