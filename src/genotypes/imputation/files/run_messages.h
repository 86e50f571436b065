// What a run tells the user at its start and at its end.
#pragma once

#include "genotypes/imputation/contig/run_report.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/imputation/plan/study_facts.h"

namespace haplospin {

// Before the run.
void TellOfFacts(const StudyFacts& facts);

// After the last contig, before the output is completed: all that was odd, in the order of these messages.
void WarnOfRun(const ImputeJob& job, const StudyFacts& facts, const RunReport& report);

// Once the output is complete: what was written.
void TellOfOutput(const ImputeJob& job, const StudyFacts& facts, const RunReport& report);

}  // namespace haplospin
