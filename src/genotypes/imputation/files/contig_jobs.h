// The runs of a genome whose contigs are in different files: panel.chr{contig}.hsp, or several files of one option.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "genotypes/imputation/plan/impute_job.h"

namespace haplospin {

struct ContigJob {
  std::string contig;   // as the output is named
  size_t place = 0;     // among the contigs of the study
  double expected = 0;  // time, in a unit that all jobs of a genome share: bytes of a file, or bp of the contig
  ImputeJob job;
};

// Returns whether contigs are in different files.
bool IsByContig(const ImputeJob& job);

// Returns a job for each contig that panel and study have, those first that are expected to take longest: with the
// largest panel file or study or, where both are one file, the longest contig. Warns of contigs that only one of the
// two has. A study in one file is read by its index, or from its beginning for each contig; of several files without an
// index, each is read once before, to find its contigs. An output whose name has no place for the contig is that of all
// jobs (joined_output.h). Throws InputError if a contig has no map, no file fits a name, or two files have a contig.
std::vector<ContigJob> MakeContigJobs(const ImputeJob& job);

}  // namespace haplospin
