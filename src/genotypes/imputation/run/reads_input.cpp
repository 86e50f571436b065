#include "genotypes/imputation/run/reads_input.h"

#include <fmt/format.h>

#include "core/provenance.h"
#include "genotypes/variant_io/alignments/alignment_lines.h"
#include "genotypes/variant_io/alignments/site_source.h"

namespace haplospin {

StudyOptions OptionsWithReads(const ImputeJob& job) {
  StudyOptions options = job.study.options;
  if (!job.study.reads.people) return options;
  const auto sites = [list = job.study.reads.sites, panel = job.panel.path] {
    return list.empty() ? OpenPanelSites(panel) : OpenFileSites(list);
  };
  options.lines = OpenAlignmentLines(job.study.path, job.study.reads.people, sites);
  return options;
}

std::string DescribeReads(const ReadsInput& reads) {
  std::string text;
  if (!reads.people) return text;
  for (const AlignedPerson& person : reads.people->people) {
    text += '\n' + person.name;
    for (const std::string& file : person.files) text += ' ' + FingerprintOfFile(file);
  }
  if (!reads.sites.empty()) text += "\n" + FingerprintOfFile(reads.sites);
  return text;
}

}  // namespace haplospin
