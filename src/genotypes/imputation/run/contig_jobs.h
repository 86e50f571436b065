// The runs of a genome whose files are named by contig: panel.chr{contig}.hsp.
#pragma once

#include <string>
#include <vector>

#include "genotypes/imputation/run/impute_job.h"

namespace haplospin {

// What stands for a contig in the names of files.
inline constexpr char kContigPlace[] = "{contig}";

struct ContigJob {
  std::string contig;   // as the output is named
  double expected = 0;  // time, in a unit that all jobs of a genome share: bytes of a file, or bp of the contig
  ImputeJob job;
};

// Returns whether the job has a file for each contig.
bool IsByContig(const ImputeJob& job);

// Returns a job for each contig that panel and study have, those first that are expected to take longest: with the
// largest panel file or study or, where both are one file, the longest contig. Warns of contigs that only one of the
// two has. A study in one file is read by its index, or from its beginning for each contig. Throws InputError if a
// contig has no map, no file fits a name, or a name does not tell contigs apart.
std::vector<ContigJob> MakeContigJobs(const ImputeJob& job);

}  // namespace haplospin
