// Imputes or phases a study from a reference panel, window by window, from two files to one.
#pragma once

#include "genotypes/imputation/imputing/window_model.h"
#include "genotypes/imputation/run/impute_job.h"
#include "genotypes/imputation/run/window_writer.h"

namespace haplospin {

// Writes every panel marker of the study's contigs, and the study markers that are not in the panel. Throws InputError
// as listed in docs/errors.md; then no file is left at the path of the output.
ImputeCounts ImputeFiles(const ImputeJob& job, const WindowModel& model);

// The same by the haplotypes that phasing finds, without a network. Without a panel, every marker of the study is
// written: genotypes as they are given, and missing ones imputed from the other samples of the study, whether it is
// phased or not. With a panel, the study must have likelihoods. Throws as ImputeFiles().
ImputeCounts ImputeByPhasing(const ImputeJob& job);

// Writes the study's markers with their phase, found from the panel or, without one, from the study. Throws as
// ImputeFiles().
ImputeCounts PhaseFiles(const ImputeJob& job);

}  // namespace haplospin
