// What a run tells of how accurate its imputed markers are.
#pragma once

#include "genotypes/imputation/contig/run_report.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/imputation/plan/study_facts.h"

namespace haplospin {

// Before the output is completed.
void WarnOfAccuracy(const ImputeJob& job, const StudyFacts& facts, const RunReport& report);

// Once it is: the mean DR2, if there are enough samples.
void TellOfAccuracy(const ImputeJob& job, const MeanDr2& dr2);

}  // namespace haplospin
