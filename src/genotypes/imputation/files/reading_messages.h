// What a run tells of the records of its study, as they were read.
#pragma once

#include "genotypes/imputation/contig/run_report.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/imputation/plan/study_facts.h"
#include "genotypes/variant_io/reading/study_reader.h"

namespace haplospin {

// After a contig, or a part of one.
void WarnOfPhaseSets(const ImputeJob& job, const InterruptedSets& sets);

// After the last contig.
void WarnOfReading(const ImputeJob& job, const StudyFacts& facts, const StudyReading& reading, size_t samples);

}  // namespace haplospin
