#include "genotypes/imputation/files/reads_input.h"

#include <algorithm>
#include <cstddef>

#include "core/provenance.h"
#include "genotypes/variant_io/alignments/alignment_source.h"

namespace haplospin {
namespace {

constexpr size_t kShareOfMemory = 16;  // of --memory that reads may take, beside the windows

}  // namespace

StudyOptions OptionsWithReads(const ImputeJob& job) {
  StudyOptions options = job.study.options;
  if (!job.study.reads.people) return options;
  const std::string& sites = job.study.reads.sites.empty() ? job.panel.path : job.study.reads.sites;
  AlignmentPieces pieces{.counted = job.windows.region};
  if (job.memory.max_bytes > 0) pieces.max_bytes = std::min(pieces.max_bytes, job.memory.max_bytes / kShareOfMemory);
  options.open = AlignmentRecords(job.study.path, job.study.reads.people, sites, pieces);
  return options;
}

std::string DescribeReads(const ReadsInput& reads) {
  std::string text;
  if (!reads.people) return text;
  for (const AlignedPerson& person : reads.people->people) {
    text += '\n' + person.name;
    for (const std::string& file : person.files) text += ' ' + FingerprintOfFile(file);
  }
  return text;
}

}  // namespace haplospin
