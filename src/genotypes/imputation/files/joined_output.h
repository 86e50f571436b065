// One output for the contigs of a genome. Each is written to a file of its own in the folder OUT.parts, and all are
// joined at the end, so that a run that is interrupted keeps those that are complete.
#pragma once

#include <span>
#include <string>

#include "genotypes/imputation/files/contig_jobs.h"
#include "genotypes/imputation/plan/impute_job.h"

namespace haplospin {

class JoinedOutput {
 public:
  // Gives each of `contigs` its own output, whose header is that of the whole. `job` is that of the genome, and must
  // outlive the object. Throws InputError if its output cannot be joined or written, another process writes it, or the
  // studies have different samples.
  JoinedOutput(const ImputeJob& job, std::span<ContigJob> contigs);
  ~JoinedOutput();
  JoinedOutput(const JoinedOutput&) = delete;
  JoinedOutput& operator=(const JoinedOutput&) = delete;

  // Joins the outputs in the order of the study's contigs, and removes them. Throws InputError if it cannot be written.
  void Join(std::span<const ContigJob> contigs) const;

 private:
  const ImputeJob& job_;
  int lock_ = -1;  // descriptor of the folder
};

// Removes what a run has left that ended after its output was joined.
void RemoveParts(const ImputeJob& job, std::span<const ContigJob> contigs);

}  // namespace haplospin
