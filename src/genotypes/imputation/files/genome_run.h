// Imputes or phases the contigs of a genome, one after the other, whose files are different ones.
#pragma once

#include <functional>

#include "genotypes/imputation/contig/run_report.h"
#include "genotypes/imputation/plan/impute_job.h"

namespace haplospin {

// The header line ##KEY=... of an output says what it was made from.
inline constexpr char kInputsKey[] = "haplospin_inputs";

struct GenomeOptions {
  bool resumes = false;  // keep the outputs of an earlier run that are complete, and of the same inputs and settings
  std::string settings;  // what the output depends on beside its files
};

// Finds the families of the study (job_families.h), and calls run(job) for each contig (contig_jobs.h), or once if the
// contigs are not in different files. An output is renamed when it is complete, so that an interrupted run has left
// only whole ones; one output for all contigs is joined from theirs (joined_output.h). Throws InputError as
// MakeContigJobs() and `run`, and if a run is to be resumed whose outputs have no header.
void RunGenome(const ImputeJob& job, const GenomeOptions& options,
               const std::function<RunReport(const ImputeJob&)>& run);

}  // namespace haplospin
