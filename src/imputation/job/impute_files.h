// Imputes or phases a study from a reference panel, window by window, from two files to one.
#pragma once

#include "imputation/imputing/window_model.h"
#include "imputation/job/impute_job.h"
#include "imputation/job/window_writer.h"

namespace haplospin {

// Writes every panel marker of the study's contigs, and the study markers that are not in the panel. Throws InputError
// as listed in docs/errors.md; then no file is left at the path of the output.
ImputeCounts ImputeFiles(const ImputeJob& job, const WindowModel& model);

// Writes every marker of the study: genotypes as they are given, and missing ones imputed from the other samples of the
// study, whether it is phased or not. `job` has no panel. Throws as ImputeFiles().
ImputeCounts ImputeFromStudy(const ImputeJob& job);

// Writes the study's markers with their phase, found from the panel or, without one, from the study. Throws as
// ImputeFiles().
ImputeCounts PhaseFiles(const ImputeJob& job);

}  // namespace haplospin
