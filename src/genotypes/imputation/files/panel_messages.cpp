#include "genotypes/imputation/files/panel_messages.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/imputation/files/run_checks.h"
#include "genotypes/imputation/models/copying/study_fit.h"
#include "genotypes/variant_io/file_kind.h"

namespace haplospin {
namespace {

void TellOfArray(const ImputeJob& job, const std::string& array, const ArrayAgreement& agreement) {
  if (agreement.markers == 0) {
    LogWarning(
        "{}: adapted to the array {}, which is not used with some of its samples only (--panel-samples), with "
        "likelihoods, or with a model of another architecture; the output has no R2P",
        job.panel.path, array);
    return;
  }
  const std::string sites =
      fmt::format("the study has {} of its {}, and {}", agreement.shared_sites, Counted(agreement.array_sites, "site"),
                  Counted(agreement.study_sites - agreement.shared_sites, "other typed site"));
  if (agreement.adapted == 0) {
    LogWarning(
        "{}: adapted to another array, {} ({}): imputed without it, and the output has no R2P; adapt the panel to this "
        "study (haplospin panel adapt)",
        job.panel.path, array, sites);
  } else {
    LogInfo("{}: {} imputed with what the panel has of the array {} ({})", job.output.path,
            Counted(agreement.adapted, "marker"), array, sites);
  }
}

// From so many samples on, adapting a panel costs, once, at most a few times what imputing the study does.
constexpr size_t kMinSamplesToAdviseAdapting = 2000;

void TellOfAdapting(const ImputeJob& job, const StudyFacts& facts, size_t samples) {
  const bool can_adapt = facts.may_be_adapted && job.panel.samples.empty();
  if (!can_adapt || samples < kMinSamplesToAdviseAdapting) return;
  LogInfo(
      "{}: not adapted to the array of the study; haplospin panel adapt does this once, in the time that imputing the "
      "panel's samples takes (at most 2,500), and makes imputation more accurate",
      job.panel.path);
}

void WarnOfAlleles(const ImputeJob& job, const AlignmentCounts& alignment) {
  if (alignment.exchanged > 0) {
    const bool is_bed = IsBed(job.study.path);
    LogInfo("{}: REF and ALT are those of the panel, not {}, at {} of {} sites; {}", job.study.path,
            is_bed ? "A2 and A1" : "those of the file", alignment.exchanged, alignment.matched,
            is_bed ? "a .bed file does not record REF"
                   : "its header says that REF is provisional (INFO/PR), as PLINK writes what was a .bed");
  }
  const std::string warning = AlignmentWarning(alignment, AlignedStudy(job.study, ""));
  if (!warning.empty()) LogWarning("{}", warning);
}

void WarnOfPopulation(const ImputeJob& job, const StudyFit& fit) {
  if (!fit.IsOfAnotherPopulation()) return;
  LogWarning(
      "{}: its haplotypes have {}; the panel {} seems to be from another population, or the study has many "
      "genotyping and phasing errors; expect lower accuracy, or give a panel that matches the study's ancestry",
      job.study.path, Describe(fit), job.panel.path);
}

void TellOfScaled(const ImputeJob& job, size_t windows) {
  if (windows == 0) return;
  LogInfo(
      "{}: its haplotypes are shared over tens of cM in {}, as those of a herd, a cross or inbred lines are: they are "
      "copied and phased as such{}",
      job.panel.path, Counted(windows, "window"),
      job.panel.map.empty() ? "; if they are people, 1 cM per Mb is too much here: give --map" : "");
}

void TellOfPhaseErrors(const ImputeJob& job, const PhaseErrorCounts& counts) {
  if (counts.errors == 0) return;
  LogInfo(
      "{}: {} switch error{} corrected before imputation ({:.1f} per 1,000 typed heterozygotes); the output keeps "
      "the phase of the study",
      job.study.path, counts.errors, counts.errors == 1 ? "" : "s",
      1000 * static_cast<double>(counts.errors) / static_cast<double>(counts.hets));
}

}  // namespace

void TellOfPanel(const ImputeJob& job, const StudyFacts& facts, const RunReport& report) {
  if (report.markers.imputed > 0 && report.array_name.empty()) TellOfAdapting(job, facts, report.samples);
  if (report.markers.imputed > 0 && !report.array_name.empty()) TellOfArray(job, report.array_name, report.array);
  WarnOfAlleles(job, report.alignment);
  WarnOfPopulation(job, report.windows.fit);
  TellOfScaled(job, report.windows.scaled);
  TellOfPhaseErrors(job, report.windows.phase_errors);
}

}  // namespace haplospin
