// A study of aligned reads, at the sites of a panel or a list.
#pragma once

#include <string>

#include "genotypes/imputation/plan/impute_job.h"

namespace haplospin {

// Returns the options of the job's study, whose records, if it is one of reads, are opened at the sites of the
// job. They take at most a small share of its memory, and count the sites of its region.
StudyOptions OptionsWithReads(const ImputeJob& job);

// Returns a text that other people, or files of other content, do not have; "" for a study that is a file of genotypes.
// Throws InputError if a file cannot be read.
std::string DescribeReads(const ReadsInput& reads);

}  // namespace haplospin
