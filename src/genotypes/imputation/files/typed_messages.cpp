#include "genotypes/imputation/files/typed_messages.h"

#include <fmt/format.h>

#include <cstddef>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/one_allele.h"
#include "genotypes/imputation/contig/study_only.h"
#include "genotypes/variant_io/conversion_advice.h"

namespace haplospin {
namespace {

void WarnOfUnmapped(const ImputeJob& job, const MarkerCounts& markers) {
  if (markers.not_in_panel == 0) return;
  LogWarning("{}: {} at position 0, as unmapped: written as {}, neither imputed nor used to impute others",
             job.study.path, Counted(markers.not_in_panel, "marker"), markers.not_in_panel == 1 ? "it is" : "they are");
}

void WarnOfIncomplete(const ImputeJob& job, const RunReport& report) {
  if (report.markers.incomplete == 0 || job.output.fields.leaves_out_study) return;
  const bool are_few = report.samples < kMinSamplesOfStudyOnly;
  LogWarning("{}: missing genotypes of {} that the panel lacks are left missing{}", job.output.path,
             Counted(report.markers.incomplete, "study marker"),
             are_few ? fmt::format("; at least {} samples impute them from each other", kMinSamplesOfStudyOnly) : "");
}

void WarnOfFewTyped(const ImputeJob& job, const StudyFacts& facts, const RunReport& report) {
  const bool has_panel = facts.reference == Reference::kPanel;
  const auto sites = [&](size_t count) {
    return has_panel ? Counted(count, "typed site") + " of the panel" : Counted(count, "marker");
  };
  if (const FewTyped& few = report.few_typed; few.count == 1) {
    LogWarning("{}: {} in {}; imputed from neighboring sites", job.study.path, sites(few.typed), few.first);
  } else if (few.count > 1) {
    LogWarning("{}: {} windows have fewer than 2 {} (the first: {} in {}); imputed from neighboring sites",
               job.study.path, few.count, has_panel ? "typed sites" : "markers", sites(few.typed), few.first);
  }
  const FewTyped& lone = report.lone_typed;
  if (lone.count == 0) return;
  LogWarning("{}: {} with {} (the first: {}); {}", job.study.path, Counted(lone.count, "contig"), sites(1), lone.first,
             has_panel ? "imputed from that site alone" : "missing genotypes there are imputed by allele frequency");
}

void WarnOfOneAllele(const ImputeJob& job, const OneAlleleSamples& found) {
  if (found.samples == 0 || job.study.reads.ploidy == 1) return;
  LogWarning(
      "{}: {} of {} one allele on {} (first: {}), where the samples of the panel have two: imputed as haploid, with DS "
      "from 0 to 1; if {} diploid, call {} again with two alleles, or, if homozygotes alone are written so, {}",
      job.study.path, found.samples, found.of == 1 ? "1 sample has" : fmt::format("{} samples have", found.of),
      found.contig, found.first, found.samples == 1 ? "it is" : "they are", found.samples == 1 ? "it" : "them",
      WithBcftools(job.study.path, kTwoAlleles));
}

}  // namespace

void WarnOfTyped(const ImputeJob& job, const StudyFacts& facts, const RunReport& report) {
  facts.reference == Reference::kStudy ? WarnOfUnmapped(job, report.markers) : WarnOfIncomplete(job, report);
  WarnOfFewTyped(job, facts, report);
  WarnOfOneAllele(job, report.one_allele);
}

}  // namespace haplospin
