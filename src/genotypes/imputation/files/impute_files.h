// Imputes or phases a study from a reference panel, from two files to one.
#pragma once

#include "genotypes/imputation/contig/run_report.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/imputation/plan/study_facts.h"

namespace haplospin {

// Writes every panel marker of the study's contigs, and the study markers that are not in the panel, and tells the user
// what was done. Throws InputError as listed in docs/errors.md; then no file is left at the path of the output.
//
// `imputer` imputes untyped markers if StudyFacts::IsImputedByNetwork(), and is empty otherwise: then the haplotypes
// that phasing finds impute. Without a panel, every marker of the study is written: genotypes as they are given, and
// missing ones imputed from the other samples of the study, whether it is phased or not.
RunReport ImputeFiles(const ImputeJob& job, const Imputer& imputer);

// Writes the study's markers with their phase, found from the panel or, without one, from the study. Throws as
// ImputeFiles().
RunReport PhaseFiles(const ImputeJob& job);

}  // namespace haplospin
