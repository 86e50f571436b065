#include "imputation/job/job_report.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_set>

#include "core/log.h"
#include "genomics/sites/contig_names.h"

namespace haplospin {
namespace {

// Arrays that are made for imputation have a higher mean DR2; too few typed sites, or a panel of other ancestry, a
// lower one.
constexpr double kLowDr2 = 0.5;
constexpr size_t kMinMarkersForDr2 = 100;

void WarnOfLowAccuracy(const ImputeJob& job, const ImputeCounts& counts) {
  const MeanDr2& dr2 = counts.mean_dr2;
  if (dr2.markers < kMinMarkersForDr2 || dr2.mean >= kLowDr2) return;
  LogWarning(
      "{}: the mean DR2 of {} imputed markers with a MAF of at least 1 % is {:.2f}, which is low: the study has too "
      "few typed sites ({} for {} panel markers), or the panel does not match its ancestry; filter by DR2",
      job.output.path, dr2.markers, dr2.mean, counts.typed, counts.typed + counts.imputed);
}

}  // namespace

void WarnOfSharedSamples(const ImputeJob& job, const StudyReader& study, const PanelReader& panel) {
  // A panel may have a hundred thousand times more samples than the study.
  const std::unordered_set<std::string_view> of_study(study.sample_names().begin(), study.sample_names().end());
  std::unordered_set<std::string_view> of_both;
  for (const std::string& name : panel.sample_names()) {
    if (of_study.contains(name)) of_both.insert(name);
  }
  if (of_both.empty()) return;
  std::vector<std::string> shared;
  std::ranges::copy_if(study.sample_names(), std::back_inserter(shared),
                       [&](const std::string& name) { return of_both.contains(name); });
  LogWarning(
      "{}: {} of {} study samples are also in the panel ({}); if they are the same people, their imputed genotypes are "
      "copied from the panel",
      job.study.path, shared.size(), study.sample_names().size(), JoinNames(shared, kSamplesShown));
}

void WarnOfErrors(const ImputeJob& job, const std::optional<TransmissionPhaser>& families) {
  if (!families || families->num_errors() == 0) return;
  LogWarning(
      "{}: {} Mendelian errors, the first of {}; the genotypes of the child and its parents were set missing there, "
      "and imputed",
      job.study.path, families->num_errors(), families->first_error());
}

void WarnOfPhaseSets(const ImputeJob& job, const ContigPhase& phase) {
  if (phase.num_interrupted() == 0) return;
  LogWarning(
      "{}: {} genotypes are in phase sets (PS) that overlap others, the first of {}; where sets overlap, only the one "
      "that starts first is kept",
      job.study.path, phase.num_interrupted(), phase.first_interrupted());
}

void WarnOfTotals(const ImputeJob& job, const StudyReader& study, const JobTotals& totals,
                  const std::vector<std::string>& absent) {
  if (totals.alignment.exchanged > 0) {
    LogInfo("{}: REF and ALT are those of the panel, not A2 and A1, at {} of {} sites; a .bed file does not record REF",
            job.study.path, totals.alignment.exchanged, totals.alignment.matched);
  }
  const std::string warning = AlignmentWarning(totals.alignment, {job.study.path, {}});
  if (!warning.empty()) LogWarning("{}", warning);
  if (totals.fit.IsOfAnotherPopulation()) {
    LogWarning(
        "{}: its haplotypes have {}; the panel {} seems to be from another population, or the study has many "
        "genotyping and phasing errors; expect lower accuracy, or give a panel that matches the study's ancestry",
        job.study.path, Describe(totals.fit), job.panel.path);
  }
  if (totals.phase_errors.errors > 0) {
    const auto errors = static_cast<double>(totals.phase_errors.errors);
    LogInfo(
        "{}: {} switch error{} corrected before imputation ({:.1f} per 1,000 typed heterozygotes); the output keeps "
        "the phase of the study",
        job.study.path, totals.phase_errors.errors, totals.phase_errors.errors == 1 ? "" : "s",
        1000 * errors / static_cast<double>(totals.phase_errors.hets));
  }
  WarnOfLowAccuracy(job, totals.counts);
  if (study.num_male_heterozygotes() > 0) {
    LogWarning(
        "{}: {} heterozygous genotypes of males outside the pseudo-autosomal regions of X are taken as missing; if "
        "there are many, check the sexes, or give the genome build with --par",
        job.study.path, study.num_male_heterozygotes());
  }
  if (job.study.options.excluded_markers) {
    if (study.num_excluded_markers() > 0) {
      LogInfo("{}: {} markers excluded", job.study.path, study.num_excluded_markers());
    } else {
      LogWarning("{}: has none of the markers of --exclude-markers; check their IDs, or contigs and positions",
                 job.study.path);
    }
  }
  if (!absent.empty()) {
    LogWarning("{}: left out, because the panel {} does not have them: contigs {}{}", job.study.path, job.panel.path,
               JoinNames(absent), RemedyForPlinkXY(absent));
  }
}

}  // namespace haplospin
