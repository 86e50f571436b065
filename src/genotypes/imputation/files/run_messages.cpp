#include "genotypes/imputation/files/run_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/imputation/contig/study_only.h"
#include "genotypes/imputation/models/copying/study_fit.h"
#include "genotypes/variant_io/alignments/alignment_source.h"
#include "genotypes/variant_io/conversion_advice.h"
#include "genotypes/variant_io/file_kind.h"
#include "genotypes/variant_io/reading/call_certainty.h"
#include "genotypes/variant_io/reading/genotype_origin.h"
#include "genotypes/variant_io/reading/imputed_records.h"
#include "haplospin/errors.h"

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

void WarnOfIncomplete(const ImputeJob& job, const RunReport& report) {
  if (report.markers.incomplete == 0 || job.output.fields.leaves_out_study) return;
  const bool are_few = report.samples < kMinSamplesOfStudyOnly;
  LogWarning("{}: missing genotypes of {} that the panel lacks are left missing{}", job.output.path,
             Counted(report.markers.incomplete, "study marker"),
             are_few ? fmt::format("; at least {} samples impute them from each other", kMinSamplesOfStudyOnly) : "");
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

void WarnOfExcludedMarkers(const ImputeJob& job, const StudyReading& reading) {
  LogInfo("{}: {} excluded", job.study.path, Counted(reading.excluded_markers, "marker"));
  const std::vector<std::string>& unknown = reading.unknown_exclusions;
  if (unknown.empty()) return;
  LogWarning("{}: has no marker for {} of --exclude-markers: {}; check their IDs, or contigs and positions",
             job.study.path, Counted(unknown.size(), "line"), JoinNames(unknown));
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

void WarnOfAlleles(const ImputeJob& job, const AlignmentCounts& alignment) {
  if (alignment.exchanged > 0) {
    const bool is_bed = IsBed(job.study.path);
    LogInfo("{}: REF and ALT are those of the panel, not {}, at {} of {} sites; {}", job.study.path,
            is_bed ? "A2 and A1" : "those of the file", alignment.exchanged, alignment.matched,
            is_bed ? "a .bed file does not record REF"
                   : "its header says that REF is provisional (INFO/PR), as PLINK writes what was a .bed");
  }
  const std::string warning = AlignmentWarning(alignment, {job.study.path, {}});
  if (!warning.empty()) LogWarning("{}", warning);
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

void WarnOfUnmapped(const ImputeJob& job, const MarkerCounts& markers) {
  if (markers.not_in_panel == 0) return;
  LogWarning("{}: {} at position 0, as unmapped: written as {}, neither imputed nor used to impute others",
             job.study.path, Counted(markers.not_in_panel, "marker"), markers.not_in_panel == 1 ? "it is" : "they are");
}

// Genotypes that people of the sex that is given do not have.
void WarnOfSexes(const ImputeJob& job, const StudyReading& reading) {
  if (reading.male_heterozygotes > 0) {
    LogWarning(
        "{}: {} heterozygous genotypes of males outside the pseudo-autosomal regions of X are taken as missing; if "
        "there are many, check the sexes, or give the genome build with --par",
        job.study.path, reading.male_heterozygotes);
  }
  if (const size_t calls = reading.female_calls_on_y; calls > 0) {
    LogWarning("{}: {} of females on Y {} left out, as females have none; if there are many, check the sexes (--sex)",
               job.study.path, Counted(calls, "genotype"), calls == 1 ? "is" : "are");
  }
  if (const size_t females = reading.haploid_females; females > 0) {
    LogWarning(
        "{}: {} one allele on X outside its pseudo-autosomal regions, and {} imputed as haploid, with DS from 0 to 1; "
        "check the sexes (haplospin check --sex), or call their genotypes again with two alleles",
        job.study.path, females == 1 ? "1 female has" : fmt::format("{} females have", females),
        females == 1 ? "is" : "are");
  }
  if (const DiploidMales& males = reading.diploid_males; males.samples > 0) {
    LogWarning(
        "{}: {} on a sex chromosome {} two equal alleles throughout (first: {}), where {} one: their DS are from 0 to "
        "2, and those of the others from 0 to 1; if they are males, give the sexes with --sex",
        job.study.path, Counted(males.samples, "sample"), males.samples == 1 ? "has" : "have", males.first,
        males.haploid == 1 ? "1 other has" : fmt::format("{} others have", males.haploid));
  }
}

void WarnOfImputed(const ImputeJob& job, const StudyReading& reading) {
  if (reading.imputed == 0) return;
  LogWarning(
      "{}: {} of its {} marked as imputed (INFO/{}), but taken as typed, so that DR2 does not tell how uncertain they "
      "are; leave them out ({})",
      job.study.path, reading.imputed,
      reading.Records() == 1 ? "1 record is" : fmt::format("{} records are", reading.Records()),
      reading.imputation_flag, WithBcftools(job.study.path, LeaveOutImputed(reading.imputation_flag)));
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

void WarnOfReading(const ImputeJob& job, const StudyFacts& facts, const StudyReading& reading) {
  if (reading.has_map_positions) {
    LogInfo("{}: no position in bp; those of the .bim in cM are used, 1 Mb for 1 cM", job.study.path);
  }
  const auto tell_absent = [&](size_t absent, const char* contig, const char* sex) {
    if (absent == 0) return;
    LogInfo("{}: {} without genotypes on {}, as {}: written as missing there, and not counted", job.study.path,
            Counted(absent, "sample"), contig, sex);
  };
  tell_absent(reading.absent_females, "chrY", "females");
  tell_absent(reading.absent_males, "chrW", "males");
  WarnOfSexes(job, reading);
  if (reading.one_allele_of_two > 0) {
    LogInfo("{}: {} of one allele in the pseudo-autosomal regions of X {} read as homozygous, as plink2 writes males",
            job.study.path, Counted(reading.one_allele_of_two, "genotype"),
            reading.one_allele_of_two == 1 ? "is" : "are");
  }
  if (reading.failed > 0) {
    LogWarning("{}: {} in FILTER neither PASS nor nothing (first: {}); {}", job.study.path,
               reading.failed == 1 ? "1 record has" : fmt::format("{} records have", reading.failed),
               reading.first_failed,
               job.study.options.filters.empty() ? "they are used; --filter PASS,. leaves them out"
                                                 : fmt::format("--filter left out {}", reading.filtered));
  }
  WarnOfImputed(job, reading);
  if (reading.no_calls > 0) {
    LogWarning(
        "{}: {} of REF (0/0) {} no reads (DP is 0, or all PL are 0), as GATK, DeepVariant and GLnexus write what they "
        "have not called: taken as missing; if DP and PL are not of these genotypes, remove them ({})",
        job.study.path, Counted(reading.no_calls, "genotype"), reading.no_calls == 1 ? "has" : "have",
        WithBcftools(job.study.path, "annotate -x FORMAT/DP,FORMAT/PL"));
  }
  if (const FailedCalls& failed = reading.failed_calls; failed.genotypes > 0) {
    LogWarning("{}: {} in FT neither PASS nor nothing (first: {}); {} used; to make {} missing: {}", job.study.path,
               failed.genotypes == 1 ? "1 genotype has" : fmt::format("{} genotypes have", failed.genotypes),
               failed.first, failed.genotypes == 1 ? "it is" : "they are", failed.genotypes == 1 ? "it" : "them",
               WithBcftools(job.study.path, kRemoveFailedCalls));
  }
  if (const auto& names = reading.samples_without_genotypes; !names.empty()) {
    LogWarning("{}: {} without any genotype ({}); what is imputed for them is no more than the frequencies of {}",
               job.study.path, Counted(names.size(), "sample"), JoinNames(names, kSamplesShown),
               facts.reference == Reference::kStudy ? "the others" : "the panel");
  }
  if (reading.blocks > 0) {
    LogWarning(
        "{}: {} of a gVCF stand for several bases, of which only the first is used; write a record for each (bcftools "
        "convert --gvcf2vcf -f REF.fa)",
        job.study.path, Counted(reading.blocks, "record"));
  }
  if (job.study.options.excluded_markers) WarnOfExcludedMarkers(job, reading);
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

std::string RegionName(const Region& region) {
  return region.end == INT64_MAX ? fmt::format("{}:{}-", region.contig, region.begin)
                                 : fmt::format("{}:{}-{}", region.contig, region.begin, region.end);
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

constexpr size_t kMinSamplesWithoutPanel = 100;

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

void TellOfAccuracy(const ImputeJob& job, const RunReport& report) {
  if (report.mean_dr2.markers > 0) {
    LogInfo("{}: mean DR2 {:.3f} of {} imputed markers with a MAF of at least 1 %", job.output.path,
            report.mean_dr2.mean, report.mean_dr2.markers);
  }
  if (report.left_out > 0) {
    LogInfo("{}: {} not written, as requested", job.output.path, Counted(report.left_out, "marker"));
  }
}

// Without a panel, nothing but the study tells which of its missing genotypes are REF.
void CheckMissingRef(const ImputeJob& job) {
  if (job.panel.path.empty()) {
    throw InputError(job.study.path +
                     ": no genotype is 0/0, so that nothing tells which of the missing ones are; expected genotypes of "
                     "REF as well: merge files that list only where a sample differs with bcftools merge -0");
  }
  LogWarning(
      "{}: no genotype is 0/0; if it was merged from files that list only where a sample differs, most of what is "
      "missing is REF: merge them with bcftools merge -0",
      job.study.path);
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

}  // namespace

void TellOfFacts(const StudyFacts& facts) {
  if (facts.reference == Reference::kPanel || facts.output == RunOutput::kPhase) return;
  LogInfo("no --ref: missing genotypes are imputed from the study's own samples, and no markers are added");
}

void WarnOfUnusedLikelihoods(const ImputeJob& job) {
  const StudyInput& study = job.study;
  if (!HasGenotypeFiles(study) || study.options.likelihoods != LikelihoodField::kNone) return;
  std::optional<CallCertainty> certainty;
  try {
    certainty = MeasureCallCertainty(study.path, study.options, job.panel.regions);
  } catch (const InputError& error) {
    LogToFile(fmt::format("{}: likelihoods were not looked at: {}", study.path, error.what()));
  }
  if (!certainty || !certainty->AreFewReads()) return;
  const char* field = FieldName(certainty->field);
  LogWarning(
      "{}: {:.0f} % of its genotypes are uncertain by {}, as from few reads, but are taken as they were called; give "
      "--likelihoods {}",
      study.path, 100 * certainty->UncertainShare(), field, field);
}

void CheckOrigin(const ImputeJob& job) {
  GenotypeOrigin study, panel;
  try {
    if (HasGenotypeFiles(job.study)) study = FindStudyOrigin(job.study.path, job.study.options, job.panel.regions);
    if (!job.panel.path.empty()) panel = FindPanelOrigin(job.panel.path, job.panel.samples);
  } catch (const InputError& error) {
    LogToFile(fmt::format("{}: the first genotypes were not looked at: {}", job.study.path, error.what()));
  }
  if (study.lacks_ref) CheckMissingRef(job);
  if (study.is_sorted && !job.study.rephase) {
    LogWarning(
        "{}: all phased heterozygotes have their alleles in one order (0|1), as if / had been replaced by |; give "
        "--rephase, unless one parent of all samples is the reference strain",
        job.study.path);
  }
  if (study.phased_beside_unphased > 0 && !job.study.rephase) {
    LogWarning(
        "{}: {:.0f} % of the heterozygotes are phased (|) without a phase set (PS), beside unphased ones (/) of the "
        "same samples; each | is taken as phased with all others of its sample on the contig: give --rephase if reads "
        "told the phase (GATK, WhatsHap) and PS was lost",
        job.study.path, 100 * study.phased_beside_unphased);
  }
  if (panel.is_sorted) {
    LogWarning(
        "{}: all heterozygotes have their alleles in one order (0|1), so that the panel is phased in name alone; phase "
        "it first (haplospin phase --rephase), unless one parent of all samples is the reference strain",
        job.panel.path);
  }
}

void CheckNumSamples(const ImputeJob& job, const StudyFacts& facts, size_t samples) {
  if (facts.reference == Reference::kPanel || samples >= kMinSamplesWithoutPanel) return;
  if (samples == 1) {
    throw InputError(job.study.path +
                     ": a single sample cannot be phased without other haplotypes; give a panel (--ref)");
  }
  LogWarning(
      "{}: {} samples without a panel (--ref); fewer than {} carry few of the haplotypes of a population, so that what "
      "is phased and imputed from them is unreliable",
      job.study.path, samples, kMinSamplesWithoutPanel);
}

void WarnOfSharedSamples(const ImputeJob& job, const std::vector<std::string>& study,
                         const std::vector<std::string>& panel) {
  // The tables are of the study's names, as a panel may have a hundred thousand times more samples.
  const std::unordered_set<std::string_view> names(study.begin(), study.end());
  std::unordered_set<std::string_view> in_both;
  for (const std::string& name : panel) {
    if (names.contains(name)) in_both.insert(name);
  }
  if (in_both.empty()) return;
  std::vector<std::string> shared;
  std::ranges::copy_if(study, std::back_inserter(shared), [&](const auto& name) { return in_both.contains(name); });
  LogWarning(
      "{}: {} of {} study samples are also in the panel ({}); if they are the same people, their imputed genotypes are "
      "copied from the panel",
      job.study.path, shared.size(), study.size(), JoinNames(shared, kSamplesShown));
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
        NoSharedSiteMessage(report.alignment, {job.study.path, {contig}}, {job.panel.path, panel_contigs}));
  }
  CheckGiven(job, facts, report.overlap, contig);
  WarnOfContradicted(job, report.markers.agreement, contig);
}

void WarnOfUnknownSexes(const ImputeJob& job, const std::string& contig, const ContigPart& part) {
  if (job.study.reads.people == nullptr || !part.males_are_haploid || !job.study.options.males.empty()) return;
  LogWarning("{}: reads do not tell who is male, and --sex names none: all are imputed with two alleles on {}",
             job.study.path, NameOfPart(contig, part));
}

void WarnOfPhaseSets(const ImputeJob& job, const InterruptedSets& sets) {
  if (sets.genotypes == 0) return;
  LogWarning(
      "{}: {} in phase sets (PS) that overlap others, the first of {}; where sets overlap, only the one "
      "that starts first is kept",
      job.study.path, Counted(sets.genotypes, "genotype"), sets.first);
}

void CheckRun(const ImputeJob& job, const StudyFacts& facts, const RunReport& report, const std::string& last_contig,
              const std::vector<std::string>& panel_contigs) {
  if (job.windows.region && report.markers.imputed + report.markers.typed == 0) {
    throw InputError(
        fmt::format("{}: no markers in {}; give another region", job.panel.path, RegionName(*job.windows.region)));
  }
  if (report.alignment.matched == 0) {
    if (facts.reference == Reference::kStudy) {
      throw InputError(job.study.path + ": all markers are at position 0, as unmapped ones; give their positions");
    }
    throw InputError(
        NoSharedSiteMessage(report.alignment, {job.study.path, {last_contig}}, {job.panel.path, panel_contigs}));
  }
  if (facts.evidence != Evidence::kCalls) CheckLikelihoods(job, report.reading);
}

void WarnOfRun(const ImputeJob& job, const StudyFacts& facts, const RunReport& report) {
  if (report.markers.imputed > 0 && report.array_name.empty()) TellOfAdapting(job, facts, report.samples);
  if (report.markers.imputed > 0 && !report.array_name.empty()) TellOfArray(job, report.array_name, report.array);
  WarnOfAlleles(job, report.alignment);
  WarnOfPopulation(job, report.windows.fit);
  TellOfScaled(job, report.windows.scaled);
  TellOfPhaseErrors(job, report.windows.phase_errors);
  WarnOfLowAccuracy(job, facts, report);
  WarnOfFewSites(job, facts, report);
  WarnOfDr2(job, report);
  facts.reference == Reference::kStudy ? WarnOfUnmapped(job, report.markers) : WarnOfIncomplete(job, report);
  WarnOfFewTyped(job, facts, report);
  WarnOfOneAllele(job, report.one_allele);
  WarnOfReading(job, facts, report.reading);
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
  if (is_alone && report.markers.completed == 0 && is_phased) {
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
  TellOfAccuracy(job, report);
}

}  // namespace haplospin
