// What a run tells of its panel, and of how its study goes with it.
#pragma once

#include "genotypes/imputation/contig/run_report.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/imputation/plan/study_facts.h"

namespace haplospin {

void TellOfPanel(const ImputeJob& job, const StudyFacts& facts, const RunReport& report);

}  // namespace haplospin
