#include "genotypes/imputation/contig/contig_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "genotypes/imputation/checks/panel_overlap.h"
#include "genotypes/imputation/contig/window_memory.h"
#include "genotypes/imputation/contig/window_reader.h"

namespace haplospin {

void ContigChecks::NoteRead() {
  if (!job_.panel.map.empty()) map_comparison_.Add(buffer_.panel());
  CheckPanelMemory(buffer_.panel(), job_);
}

// For a contig without any shared site, the caller has a clearer error.
void ContigChecks::CheckSites() const {
  if (buffer_.alignment().matched == 0) return;
  CheckSiteShare(buffer_.overlap(), buffer_.alignment(), input_.files, job_.panel.min_ratio);
  CheckOrderOfAlleles(buffer_.overlap(), buffer_.alignment(), input_.files, job_.panel.min_ratio);
  CheckGenotypes(buffer_.signs(), input_.files, job_.panel.min_ratio, ReasonOfCalls());
}

// Genotypes without likelihoods are read as they were called, which few reads do not allow.
std::string ContigChecks::ReasonOfCalls() const {
  const AlignmentCounts& counts = buffer_.alignment();
  const bool has_calls =
      job_.study.options.likelihoods != LikelihoodField::kNone && 10 * counts.without_alt >= counts.matched;
  if (!has_calls) return "";
  return fmt::format(
      "{} of {} sites have no ALT, as bcftools call -C alleles writes sites where no read shows it, without "
      "likelihoods; "
      "call again with -A, which keeps both (bcftools call -m -A -C alleles -T sites.tsv.gz)",
      counts.without_alt, counts.matched);
}

void ContigChecks::CheckOverlap() const {
  if (buffer_.overlap().study_sites >= kManySites) CheckSites();
}

void ContigChecks::CheckWhole() const {
  CheckSites();
  if (buffer_.alignment().matched > 0 && !job_.windows.region && input_.part.IsWhole())
    CheckSpanShare(buffer_.overlap(), input_.files, job_.panel.min_ratio);
  if (job_.panel.map.empty()) return;
  CheckMapCoverage(input_.map, buffer_.overlap(), job_.panel.map, input_.files, input_.part);
  WarnOfShiftedMap(map_comparison_.FindShift(input_.map), job_.panel.map, input_.files);
}

// A site that is alone on its contig has no neighbors, however many windows there are.
void ContigChecks::NoteFewTyped(const Window& window, size_t typed) {
  const HaplotypePanel& panel = buffer_.panel();
  const std::string place = fmt::format("{}:{}-{}", input_.files.contig, window.core_begin_bp,
                                        std::min(window.core_end_bp, panel.marker(panel.num_markers() - 1).position));
  if (buffer_.NumTyped() >= kMinTyped) {
    few_typed_.Add(typed, place);
  } else if (lone_typed_.count == 0) {
    lone_typed_.Add(1, place);
  }
}

void ContigChecks::AddTo(ContigReport& report) const {
  report.alignment = buffer_.alignment();
  report.overlap = buffer_.overlap();
  report.few_typed = few_typed_;
  report.lone_typed = lone_typed_;
}

}  // namespace haplospin
