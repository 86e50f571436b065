#include "genotypes/imputation/files/reading_messages.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/conversion_advice.h"
#include "genotypes/variant_io/reading/imputed_records.h"

namespace haplospin {
namespace {

void WarnOfExcludedMarkers(const ImputeJob& job, const StudyReading& reading) {
  LogInfo("{}: {} excluded", job.study.path, Counted(reading.excluded_markers, "marker"));
  const std::vector<std::string>& unknown = reading.unknown_exclusions;
  if (unknown.empty()) return;
  LogWarning("{}: has no marker for {} of --exclude-markers: {}; check their IDs, or contigs and positions",
             job.study.path, Counted(unknown.size(), "line"), JoinNames(unknown));
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

// Tells of samples that a sex chromosome lacks, which is all of them in a study of one sex.
void TellOfAbsent(const ImputeJob& job, size_t absent, size_t samples, const char* contig, const char* sex) {
  if (absent == 0) return;
  if (absent < samples) {
    LogInfo("{}: {} without genotypes on {}, as {}: written as missing there, and not counted", job.study.path,
            Counted(absent, "sample"), contig, sex);
  } else {
    LogWarning("{}: all samples are {}, who have no {}: written as missing there; leave it out ({})", job.study.path,
               sex, contig, WithBcftools(job.study.path, fmt::format("view -t ^{}", contig)));
  }
}

}  // namespace

void WarnOfPhaseSets(const ImputeJob& job, const InterruptedSets& sets) {
  if (sets.genotypes == 0) return;
  LogWarning(
      "{}: {} in phase sets (PS or PID) that overlap others, the first of {}; where sets overlap, only the one "
      "that starts first is kept",
      job.study.path, Counted(sets.genotypes, "genotype"), sets.first);
}

void WarnOfReading(const ImputeJob& job, const StudyFacts& facts, const StudyReading& reading, size_t samples) {
  if (reading.has_map_positions) {
    LogInfo("{}: no position in bp; those of the .bim in cM are used, 1 Mb for 1 cM", job.study.path);
  }
  if (reading.sets_of_ids > 0) {
    LogInfo("{}: no PS: the phase sets of {} are those of PID, as GATK writes them", job.study.path,
            Counted(reading.sets_of_ids, "genotype"));
  }
  TellOfAbsent(job, reading.absent_females, samples, "chrY", "females");
  TellOfAbsent(job, reading.absent_males, samples, "chrW", "males");
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

}  // namespace haplospin
