#include "genotypes/imputation/files/run_checks.h"

#include <fmt/format.h>

#include <cstdint>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/variant_io/alignments/alignment_source.h"
#include "genotypes/variant_io/conversion_advice.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

std::string RegionName(const Region& region) {
  return region.end == INT64_MAX ? fmt::format("{}:{}-", region.contig, region.begin)
                                 : fmt::format("{}:{}-{}", region.contig, region.begin, region.end);
}

// Warns of what nobody tells, without a panel, of the one sample that has the contig.
void WarnOfLoneSample(const ImputeJob& job, const ContigReport& report, const std::string& contig) {
  LogWarning(
      "{}: {} alone has contig {}, so that nothing tells a genotype that is missing or unphased: {} written as {}; "
      "give a panel (--ref)",
      job.study.path, report.lone_sample, contig, Counted(report.markers.as_given, "marker"),
      report.markers.as_given == 1 ? "it is" : "they are");
}

// Warns of genotypes that the whole contig does not have.
void CheckGiven(const ImputeJob& job, const StudyFacts& facts, const PanelOverlap& overlap, const std::string& contig) {
  if (!overlap.has_alleles && facts.reference == Reference::kStudy) {
    throw InputError(fmt::format(
        "{}: all genotypes of contig {} are missing, so there is nothing to impute them from; give a panel (--ref)",
        job.study.path, contig));
  }
  if (overlap.empty > 0 && facts.reference == Reference::kStudy) {
    LogWarning("{}: {} without any genotype, the first at {}:{}; imputed as REF, with DR2 0; remove {} ({})",
               job.study.path, Counted(overlap.empty, "marker"), contig, overlap.first_empty,
               overlap.empty == 1 ? "it" : "them", WithBcftools(job.study.path, "view -e 'F_MISSING=1'"));
  }
  if (!overlap.has_alleles) {
    LogWarning("{}: all genotypes of contig {} are missing; what is imputed is no more than the panel's frequencies",
               job.study.path, contig);
  }
}

// What is imputed at these markers is kept; the others around them are imputed less accurately because of them.
void WarnOfContradicted(const ImputeJob& job, const TypedAgreement& agreement, const std::string& contig) {
  const size_t count = agreement.NumContradicted();
  if (count == 0) return;
  LogWarning(
      "{}: {} on contig {} (first: {}) {} what those around tell: INFO/ER2 is next to 0, or the allele frequency is "
      "another, as where 0 and 1 are exchanged, genotypes are those of other samples, or a probe fails; leave {} out "
      "(--exclude-markers)",
      job.study.path, Counted(count, "typed marker"), contig, agreement.FirstContradicted(),
      count == 1 ? "contradicts" : "contradict", count == 1 ? "it" : "them");
}

void WarnOfWeighedCalls(const ImputeJob& job, const WeighedCalls& weighed) {
  constexpr const char* kBases[] = {"by DP", "by GQ", "by the likelihoods that other calls of the file have"};
  std::string text;
  for (size_t basis = 0; basis < weighed.size(); ++basis) {
    if (weighed[basis] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", weighed[basis], kBases[basis]);
  }
  if (text.empty()) return;
  LogWarning("{}: genotypes were called without {}; they are not taken as certain, but weighed: {}", job.study.path,
             FieldName(job.study.options.likelihoods), text);
}

// Throws InputError if no record had the field of --likelihoods.
void CheckLikelihoods(const ImputeJob& job, const StudyReading& reading) {
  const char* field = FieldName(job.study.options.likelihoods);
  if (reading.with_likelihoods == 0) {
    throw InputError(
        fmt::format("{}: no record has FORMAT {}; give another field (bcftools +tag2tag -- --LXX-to-XX makes PL "
                    "and AD of LPL and LAD), or remove --likelihoods to use the genotypes that were called",
                    job.study.path, field));
  }
  WarnOfWeighedCalls(job, reading.weighed);
  if (reading.without_likelihoods == 0) return;
  LogWarning(
      "{}: {} without FORMAT {}; their genotypes are taken as they were called, which is wrong where reads are few; "
      "bcftools call keeps it with -A where no read shows ALT",
      job.study.path, Counted(reading.without_likelihoods, "record"), field);
}

}  // namespace

AlignedFile AlignedStudy(const StudyInput& study, const std::string& contig) {
  const bool is_site_list = !study.reads.sites.empty();
  return {is_site_list ? study.reads.sites : study.path, {contig}, is_site_list};
}

void FailNoSharedContig(const ImputeJob& job, const std::vector<std::string>& absent,
                        const std::vector<std::string>& panel_contigs) {
  if (const auto& people = job.study.reads.people; absent.empty() && people) {
    const std::string& sites = job.study.reads.sites.empty() ? job.panel.path : job.study.reads.sites;
    throw InputError(job.study.path + ": " + NoReadsReason(*people, sites));
  }
  if (absent.empty()) throw InputError(job.study.path + ": no records; give a study with typed sites");
  throw InputError(fmt::format(
      "{}: none of its contigs ({}) is in the panel {}, which has {}; give the panel of these contigs, or rename them "
      "({}){}",
      job.study.path, JoinNames(absent), job.panel.path, JoinNames(panel_contigs),
      WithBcftools(job.study.path, "annotate --rename-chrs"), RemedyForPlinkXY(absent)));
}

void CheckContig(const ImputeJob& job, const StudyFacts& facts, const ContigReport& report, const std::string& contig,
                 size_t num_filtered, const std::vector<std::string>& panel_contigs) {
  if (report.alignment.study_markers == 0 && num_filtered > 0) {
    throw InputError(fmt::format("{}: none of its {} on contig {} is in --filter; give the values of its FILTER column",
                                 job.study.path, Counted(num_filtered, "record"), contig));
  }
  if (report.alignment.matched == 0) {
    if (facts.reference == Reference::kStudy) return;  // an unmapped contig
    throw InputError(
        NoSharedSiteMessage(report.alignment, AlignedStudy(job.study, contig), {job.panel.path, panel_contigs}));
  }
  if (!report.has_samples) return;  // WarnOfRun() tells why
  if (report.lone_sample.empty()) {
    CheckGiven(job, facts, report.overlap, contig);
  } else {
    WarnOfLoneSample(job, report, contig);
  }
  WarnOfContradicted(job, report.markers.agreement, contig);
}

void CheckRun(const ImputeJob& job, const StudyFacts& facts, const RunReport& report, const std::string& last_contig,
              const std::vector<std::string>& panel_contigs) {
  if (job.windows.region && report.markers.imputed + report.markers.typed + report.markers.as_given == 0) {
    throw InputError(
        fmt::format("{}: no markers in {}; give another region", job.panel.path, RegionName(*job.windows.region)));
  }
  if (report.alignment.matched == 0) {
    if (facts.reference == Reference::kStudy) {
      throw InputError(job.study.path + ": all markers are at position 0, as unmapped ones; give their positions");
    }
    throw InputError(
        NoSharedSiteMessage(report.alignment, AlignedStudy(job.study, last_contig), {job.panel.path, panel_contigs}));
  }
  if (facts.evidence != Evidence::kCalls) CheckLikelihoods(job, report.reading);
}

}  // namespace haplospin
