#include "genotypes/imputation/files/accuracy_messages.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/panel_alignment.h"

namespace haplospin {
namespace {

// A mean DR2 that is lower than with any array made for imputation: the study has too few typed sites, or the panel is
// of another ancestry.
constexpr double kLowDr2 = 0.5;
constexpr size_t kMinMarkersForDr2 = 100;

void WarnOfLowAccuracy(const ImputeJob& job, const StudyFacts& facts, const RunReport& report) {
  const MeanDr2& dr2 = report.mean_dr2;
  if (dr2.markers < kMinMarkersForDr2 || dr2.mean >= kLowDr2) return;
  const std::string reason = facts.evidence != Evidence::kCalls
                                 ? "the study has too few reads"
                                 : fmt::format("the study has too few typed sites ({} for {} panel markers)",
                                               report.markers.typed, report.markers.typed + report.markers.imputed);
  const char* panel = facts.reference == Reference::kPanel ? ", or the panel does not match its ancestry" : "";
  LogWarning(
      "{}: the mean DR2 of {} imputed markers with a MAF of at least 1 % is {:.2f}, which is low: {}{}; filter by "
      "DR2",
      job.output.path, dr2.markers, dr2.mean, reason, panel);
}

void WarnOfFewSites(const ImputeJob& job, const StudyFacts& facts, const RunReport& report) {
  if (facts.evidence == Evidence::kReads) return;
  const double per_megabase = 1e6 * static_cast<double>(report.typed_sites) / static_cast<double>(report.covered);
  const bool is_known = report.mean_dr2.markers >= kMinMarkersForDr2;
  if (is_known || report.markers.imputed < kMinMarkersForDr2 || per_megabase >= kMinSitesPerMegabase) return;
  LogWarning("{}: only {} for {} ({:.1f} per Mb), so accuracy is low; an array has 50 and more per Mb", job.study.path,
             Counted(report.markers.typed, "typed site"),
             Counted(report.markers.typed + report.markers.imputed, "panel marker"), per_megabase);
}

// The DR2 of few people is a matter of chance: a marker where one person is homozygous for ALT has a low one.
void WarnOfDr2(const ImputeJob& job, const RunReport& report) {
  if (report.markers.imputed == 0 || report.samples >= kMinSamplesForDr2) return;
  if (job.output.fields.min_r2 > 0) {
    LogWarning(
        "{}: --min-r2 with {}: DR2 does not tell the accuracy of a marker, and leaves out ALT alleles that are "
        "right; write all markers{}, or impute at least {} samples together",
        job.output.path, Counted(report.samples, "sample"),
        report.array.adapted > 0 ? " and filter by R2P"
                                 : " (R2P, by which they can be filtered, is of panels that are adapted to an array: "
                                   "haplospin panel adapt)",
        kMinSamplesForDr2);
  } else {
    LogInfo("{}: DR2 of {} does not tell the accuracy of a marker; {}", job.output.path,
            Counted(report.samples, "sample"), report.array.adapted > 0 ? "filter by R2P" : "do not filter by it");
  }
}

}  // namespace

void WarnOfAccuracy(const ImputeJob& job, const StudyFacts& facts, const RunReport& report) {
  WarnOfLowAccuracy(job, facts, report);
  WarnOfFewSites(job, facts, report);
  WarnOfDr2(job, report);
}

void TellOfAccuracy(const ImputeJob& job, const MeanDr2& dr2) {
  if (dr2.markers == 0) return;
  LogInfo("{}: mean DR2 {:.3f} of {} imputed markers with a MAF of at least 1 %", job.output.path, dr2.mean,
          dr2.markers);
}

}  // namespace haplospin
