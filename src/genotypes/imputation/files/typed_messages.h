// What a run tells of the typed markers of its study: how few there are, and which are incomplete.
#pragma once

#include "genotypes/imputation/contig/run_report.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/imputation/plan/study_facts.h"

namespace haplospin {

void WarnOfTyped(const ImputeJob& job, const StudyFacts& facts, const RunReport& report);

}  // namespace haplospin
