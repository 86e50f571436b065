#include "genotypes/imputation/files/run_messages.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/imputation/files/accuracy_messages.h"
#include "genotypes/imputation/files/panel_messages.h"
#include "genotypes/imputation/files/reading_messages.h"
#include "genotypes/imputation/files/typed_messages.h"

namespace haplospin {
namespace {

constexpr size_t kMinTypedOfExchanged = 100;  // typed markers of a region

void TellOfImputed(const ImputeJob& job, const RunReport& report, const std::string& samples) {
  const MarkerCounts& markers = report.markers;
  if (markers.imputed == 0 && markers.completed == 0) {
    // A region may have so few markers that all are typed.
    const bool are_few = job.windows.region && markers.typed < kMinTypedOfExchanged;
    LogWarning("{}: has every marker of the panel {}{}, so nothing was imputed{}", job.study.path, job.panel.path,
               job.windows.region ? " in --region" : "",
               are_few ? "" : "; check that --ref and --target are not exchanged");
  }
  LogInfo(
      "{}, {} imputed, {} typed{}, {} not in the panel{}", samples, Counted(markers.imputed, "marker"), markers.typed,
      markers.completed == 0 ? "" : fmt::format(" ({} with missing genotypes, imputed as well)", markers.completed),
      Counted(markers.not_in_panel, "study marker"),
      markers.misaligned == 0 ? "" : fmt::format(", {} swapped, on the other strand or undecided", markers.misaligned));
  if (markers.unphased > 0 && !job.output.fields.leaves_out_study) {
    LogInfo(
        "{}: unphased genotypes (0/1) are kept at {} that the panel lacks, in a file that is phased otherwise; "
        "--no-study-only leaves them out",
        job.output.path, Counted(markers.unphased, "study marker"));
  }
}

}  // namespace

void TellOfFacts(const StudyFacts& facts) {
  if (facts.reference == Reference::kPanel || facts.output == RunOutput::kPhase) return;
  LogInfo("no --ref: missing genotypes are imputed from the study's own samples, and no markers are added");
}

void WarnOfRun(const ImputeJob& job, const StudyFacts& facts, const RunReport& report) {
  TellOfPanel(job, facts, report);
  WarnOfAccuracy(job, facts, report);
  WarnOfTyped(job, facts, report);
  WarnOfReading(job, facts, report.reading, report.samples);
  if (!report.absent.empty()) {
    LogWarning("{}: left out, because the panel {} does not have them: contigs {}{}", job.study.path, job.panel.path,
               JoinNames(report.absent), RemedyForPlinkXY(report.absent));
  }
  if (report.mendelian_errors == 0) return;
  LogWarning(
      "{}: {} Mendelian errors, the first of {}; the genotypes of the child and its parents were set missing there, "
      "and imputed",
      job.study.path, report.mendelian_errors, report.first_mendelian_error);
}

void TellOfOutput(const ImputeJob& job, const StudyFacts& facts, const RunReport& report) {
  const std::string samples = fmt::format("{}: {}", job.output.path, Counted(report.samples, "sample"));
  const std::string not_in_panel = Counted(report.markers.not_in_panel, "study marker") + " not in the panel";
  const bool is_alone = facts.reference == Reference::kStudy;
  const bool is_phased = !report.reading.has_unphased && !job.study.rephase;
  if (is_alone && report.markers.completed + report.markers.as_given == 0 && is_phased) {
    LogInfo("{}, all genotypes of which are phased and known: there was nothing to impute or phase", samples);
  } else if (facts.output == RunOutput::kPhase) {
    LogInfo("{}, {} phased{}", samples, Counted(report.markers.typed, "marker"), is_alone ? "" : ", " + not_in_panel);
  } else if (facts.IsImputedByNetwork()) {
    TellOfImputed(job, report, samples);
  } else if (is_alone) {
    LogInfo("{}, missing genotypes of {} imputed from the other samples", samples,
            Counted(report.markers.completed, "marker"));
  } else {
    LogInfo("{}, {} imputed from the likelihoods of {}, {}", samples,
            Counted(report.markers.imputed + report.markers.typed, "marker"),
            report.markers.typed + report.markers.with_likelihoods, not_in_panel);
  }
  TellOfAccuracy(job, report.mean_dr2);
  if (report.left_out > 0) {
    LogInfo("{}: {} not written, as requested", job.output.path, Counted(report.left_out, "marker"));
  }
}

}  // namespace haplospin
