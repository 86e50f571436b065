#include "genotypes/imputation/files/reads_input.h"

#include <algorithm>
#include <cstddef>

#include "core/provenance.h"
#include "genotypes/variant_io/alignments/alignment_lines.h"
#include "genotypes/variant_io/alignments/site_source.h"

namespace haplospin {
namespace {

constexpr size_t kShareOfMemory = 16;  // of --memory that reads may take, beside the windows

}  // namespace

StudyOptions OptionsWithReads(const ImputeJob& job) {
  StudyOptions options = job.study.options;
  if (!job.study.reads.people) return options;
  const auto sites = [list = job.study.reads.sites, panel = job.panel.path] {
    return list.empty() ? OpenPanelSites(panel) : OpenFileSites(list);
  };
  AlignmentPieces pieces{.counted = job.windows.region};
  if (job.memory.max_bytes > 0) pieces.max_bytes = std::min(pieces.max_bytes, job.memory.max_bytes / kShareOfMemory);
  options.lines = OpenAlignmentLines(job.study.path, job.study.reads.people, sites, pieces);
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
