// What `haplospin check` finds in a study, and what to do about it.
#include <fmt/format.h>

#include <algorithm>

#include "cli/genotypes/check_report.h"
#include "core/counted.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/variant_io/conversion_advice.h"
#include "genotypes/variant_io/reading/imputed_records.h"

namespace haplospin {
namespace {

constexpr double kMuchMissing = 0.05;
constexpr double kMinCorrelation = 0.9;

// "1 site has", "2 sites have"; or "is" and "are".
std::string Sites(size_t count, const char* one = "has", const char* several = "have") {
  return CountedInGroups(count, "site") + " " + (count == 1 ? one : several);
}

std::string Examples(const StudyCheck& check, SiteRelation relation) {
  const std::vector<std::string>& examples = check.examples[static_cast<size_t>(relation)];
  return examples.empty() ? "" : "; first: " + examples.front();
}

void AddContigFindings(const StudyCheck& check, std::vector<CheckFinding>& findings) {
  std::vector<std::string> absent, renamed;
  for (const ContigCheck& contig : check.contigs) {
    if (contig.panel_name.empty()) {
      absent.push_back(contig.name);
    } else if (contig.panel_name != contig.name) {
      renamed.push_back(fmt::format("{} is {}", contig.name, contig.panel_name));
    }
  }
  if (!absent.empty()) {
    findings.push_back(
        {fmt::format("contigs not in the panel: {} (it has {})", JoinNames(absent), JoinNames(check.panel_contigs)),
         fmt::format("give the panel of these contigs, or rename them ({}){}",
                     WithBcftools(check.options.study, "annotate --rename-chrs"), RemedyForPlinkXY(absent))});
  }
  if (!renamed.empty()) {
    findings.push_back({fmt::format("contigs have other names in the panel: {}", JoinNames(renamed)),
                        "haplospin impute accepts them; --fix renames them", true});
  }
  const bool builds_differ =
      !check.study_build.empty() && !check.panel_build.empty() && check.study_build != check.panel_build;
  if (builds_differ || check.PositionsDisagree()) {
    findings.push_back({builds_differ
                            ? fmt::format("the study's contig lengths are those of {}, the panel's those of {}",
                                          check.study_build, check.panel_build)
                            : fmt::format("only {} of {} positions are in the panel: probably another genome build",
                                          GroupDigits(check.SamePosition()), GroupDigits(check.WithinPanel())),
                        "lift the study over to the panel's build (as VCF, with CrossMap vcf, bcftools +liftover, "
                        "Picard LiftoverVcf)"});
  }
}

void AddDuplicates(const StudyCheck& check, std::vector<CheckFinding>& findings) {
  const size_t count = check.Count(SiteRelation::kDuplicate);
  if (count == 0) return;
  const std::string what = fmt::format("{} {}{}", Sites(count, "is", "are"), count == 1 ? "a duplicate" : "duplicates",
                                       Examples(check, SiteRelation::kDuplicate));
  const bool has_panel = check.HasPanel();
  findings.push_back({what,
                      has_panel ? "--fix keeps the first with genotypes"
                                : "--fix keeps the first with genotypes; it needs a panel (--ref)",
                      has_panel});
}

// Adds the findings about sites of a study that is compared with a panel.
void AddSiteFindings(const StudyCheck& check, std::vector<CheckFinding>& findings) {
  const auto add = [&](SiteRelation relation, const std::string& what, const std::string& remedy, bool is_fixed) {
    if (check.Count(relation) > 0) findings.push_back({what + Examples(check, relation), remedy, is_fixed});
  };
  const auto have = [&](SiteRelation relation) { return Sites(check.Count(relation)); };
  const auto are = [&](SiteRelation relation) { return Sites(check.Count(relation), "is", "are"); };
  const bool are_all_swapped = check.Count(SiteRelation::kSwapped) > 1 && check.Count(SiteRelation::kSame) == 0;
  add(SiteRelation::kSwapped, have(SiteRelation::kSwapped) + " REF and ALT swapped",
      are_all_swapped
          ? "all of them, so one of the files has ALT first, as plink2 --export haps, hapslegend and bgen-1.2 "
            "write them without ref-first; if it is the panel, export it again, otherwise --fix exchanges "
            "them and recodes the genotypes"
          : "--fix exchanges them and recodes the genotypes",
      true);
  add(SiteRelation::kFlipped, are(SiteRelation::kFlipped) + " on the other strand", "--fix flips them", true);
  add(SiteRelation::kFlippedAndSwapped,
      are(SiteRelation::kFlippedAndSwapped) + " on the other strand with REF and ALT swapped",
      "--fix flips and exchanges them", true);
  add(SiteRelation::kInverted, have(SiteRelation::kInverted) + " inverted genotypes: 0 is the panel's ALT",
      "--fix exchanges 0 and 1", true);
  const bool has_inverted = check.Count(SiteRelation::kInverted) > 0;
  add(SiteRelation::kUndecided,
      CountedInGroups(check.Count(SiteRelation::kUndecided), "site") +
          (has_inverted ? " may be inverted or of the other strand"
                        : " whose strand, or REF of an indel, cannot be determined"),
      !check.HasFrequencies()
          ? "at least 20 samples are needed to determine it; --fix removes the sites, or keeps them (--keep-ambiguous)"
          : "--fix removes them, or keeps them (--keep-ambiguous)",
      true);
  if (!check.coded_indels.empty()) {
    findings.push_back(
        {Sites(check.coded_indels.size(), "is", "are") + " coded as I, D or -, each at an indel of the panel",
         "--fix writes the panel's alleles; impute takes them as such"});
  }
  AddDuplicates(check, findings);
  if (check.Count(SiteRelation::kSame) > 0 && check.SitesPerMegabase() < kMinSitesPerMegabase) {
    findings.push_back({fmt::format("only {:.1f} sites per Mb match the panel", check.SitesPerMegabase()),
                        "accuracy will be low; an array has 50 and more per Mb"});
  }
  add(SiteRelation::kOtherAlleles, have(SiteRelation::kOtherAlleles) + " other alleles than the panel",
      "not used for imputation; if there are many, check the alleles", false);
  if (check.several_snvs.count > 0) {
    findings.push_back({fmt::format("{} of several bases where the panel has SNVs; first: {}",
                                    Sites(check.several_snvs.count, "is", "are"), check.several_snvs.first),
                        fmt::format("not used for imputation: write each SNV apart ({})",
                                    WithBcftools(check.options.study, kSplitSnvs))});
  }
  if (check.without_ref.count > 0) {
    findings.push_back(
        {fmt::format("{} N or . as REF; first: {}", Sites(check.without_ref.count), check.without_ref.first),
         fmt::format("not used for imputation: write that of the reference ({})",
                     WithBcftools(check.options.study, kSetRef))});
  }
  if (check.perhaps_shifted > 0) {
    findings.push_back(
        {fmt::format("{} not in the panel, which has the same inserted or deleted bases close by; first: {}",
                     check.perhaps_shifted == 1 ? "1 indel is" : GroupDigits(check.perhaps_shifted) + " indels are",
                     check.first_shifted),
         fmt::format("if the study is not left-aligned, use {}", WithBcftools(check.options.study, "norm -f REF.fa"))});
  }
  if (check.SamePosition() > 0 && check.Count(SiteRelation::kSame) == 0 && check.NumToFix() == 0) {
    findings.push_back(
        {"no site has the alleles of the panel", "check that both files are coded as REF and ALT of the same genome"});
  }
}

void AddMissing(const StudyCheck& check, std::vector<CheckFinding>& findings) {
  const auto samples = std::ranges::count_if(check.samples, [](const SampleCheck& sample) {
    return sample.MissingShare() > kMuchMissing && sample.missing < sample.alleles;
  });
  if (samples > 0) {
    findings.push_back(
        {fmt::format("{} more than 5 % missing genotypes",
                     samples == 1 ? "1 sample has" : fmt::format("{} samples have", samples)),
         fmt::format("consider removing them ({})", WithBcftools(check.options.study, "view -s ^NAME"))});
  }
  if (const SiteQuality& quality = check.quality; quality.often_missing > 0) {
    findings.push_back(
        {fmt::format("{} more than 10 % missing genotypes", Sites(quality.often_missing)),
         check.HasPanel()
             ? fmt::format("consider removing them ({})", WithBcftools(check.options.study, "view -e 'F_MISSING>0.1'"))
             : "without a panel, 'haplospin impute' imputes what is missing from the other samples"});
  }
}

void AddFewReads(const StudyCheck& check, std::vector<CheckFinding>& findings) {
  const std::string field = FieldName(check.certainty->field);
  findings.push_back(
      {fmt::format("{:.0f} % of the genotypes are uncertain by their {}: they were called from few reads",
                   100 * check.certainty->UncertainShare(), field),
       fmt::format(
           "'haplospin impute --likelihoods {}' uses what the reads tell; missing genotypes, allele frequencies "
           "and haplotypes are not judged here",
           field)});
}

void AddFrequencyFindings(const StudyCheck& check, std::vector<CheckFinding>& findings) {
  const FrequencyComparison& frequencies = check.frequencies;
  if (frequencies.num_outliers > 0 && check.HasFrequencies()) {
    const FrequencyOutlier& first = frequencies.outliers.front();
    findings.push_back({fmt::format("{} a different allele frequency than the panel; first: {}, {:.3f} and {:.3f}",
                                    Sites(frequencies.num_outliers), first.site, first.study, first.panel),
                        "check their genotype clusters, or remove them"});
  }
  if (frequencies.sites >= 20 && frequencies.correlation < kMinCorrelation && check.HasFrequencies()) {
    findings.push_back(
        {fmt::format("the correlation of allele frequencies with the panel is only {:.3f}", frequencies.correlation),
         "use a panel of the study's ancestry, and check that alleles were not coded A/B"});
  }
}

// Joins the first texts, and says how many more there are.
template <typename Items, typename Text>
std::string JoinFirst(const Items& items, const Text& text) {
  std::vector<std::string> texts;
  for (const auto& item : items) texts.push_back(text(item));
  return JoinNames(texts);
}

void AddPeopleFindings(const StudyCheck& check, std::vector<CheckFinding>& findings) {
  if (check.duplicates && !check.duplicates->pairs.empty()) {
    const auto& pairs = check.duplicates->pairs;
    const auto text = [](const FoundDuplicates::Pair& pair) {
      return fmt::format("{} and {} ({:.1f} %)", pair.a, pair.b, 100 * pair.agreement);
    };
    findings.push_back({fmt::format("{} of samples {} the same genotypes: {}", CountedInGroups(pairs.size(), "pair"),
                                    pairs.size() == 1 ? "has" : "have", JoinFirst(pairs, text)),
                        "one person twice, twins or clones: of a person who is there twice, leave one out"});
  }
  if (check.sexes && !check.sexes->contradictions.empty()) {
    const auto& people = check.sexes->contradictions;
    const auto text = [](const SexContradiction& person) {
      return fmt::format("{} ({}, F {:.2f})", person.sample, person.is_given_male ? "male" : "female",
                         person.inbreeding);
    };
    findings.push_back({fmt::format("{} another sex on X than the given one: {}",
                                    people.size() == 1 ? "1 sample has" : fmt::format("{} samples have", people.size()),
                                    JoinFirst(people, text)),
                        "check whether samples were exchanged, the sexes (--sex, .fam), and the genome build (--par)"});
  }
}

// Adds the findings about genotypes that people of the sex that is given do not have.
void AddSexFindings(const StudyReading& reading, std::vector<CheckFinding>& findings) {
  if (reading.male_heterozygotes > 0) {
    findings.push_back({fmt::format("{} of males outside the pseudo-autosomal regions of X {} heterozygous",
                                    CountedInGroups(reading.male_heterozygotes, "genotype"),
                                    reading.male_heterozygotes == 1 ? "is" : "are"),
                        "they are taken as missing; check the sexes, and the genome build (--par), or how many "
                        "autosomes there are (--autosomes)"});
  }
  if (reading.female_calls_on_y > 0) {
    findings.push_back({CountedInGroups(reading.female_calls_on_y, "genotype") + " of females on Y",
                        "they are left out, here and in impute; if there are many, check the sexes (--sex)"});
  }
  if (reading.haploid_females > 0) {
    findings.push_back(
        {fmt::format(
             "{} one allele on X outside its pseudo-autosomal regions",
             reading.haploid_females == 1 ? "1 female has" : fmt::format("{} females have", reading.haploid_females)),
         "they are imputed as haploid, with DS from 0 to 1: check the sexes (--sex), or call their "
         "genotypes again with two alleles"});
  }
  if (const DiploidMales& males = reading.diploid_males; males.samples > 0) {
    findings.push_back(
        {fmt::format("{} on a sex chromosome {} two equal alleles throughout, where {} one; first: {}",
                     CountedInGroups(males.samples, "sample"), males.samples == 1 ? "has" : "have",
                     males.haploid == 1 ? "1 other has" : fmt::format("{} others have", males.haploid), males.first),
         "their DS are from 0 to 2, and those of the others from 0 to 1; if they are males, give the sexes with --sex, "
         "here and to impute, which makes all of them haploid"});
  }
}

void AddOneAllele(const StudyCheck& check, std::vector<CheckFinding>& findings) {
  const OneAlleleSamples& found = check.one_allele;
  if (found.samples == 0) return;
  findings.push_back(
      {fmt::format("{} of {} one allele on {}, where the samples of the panel have two; first: {}", found.samples,
                   found.of == 1 ? "1 sample has" : fmt::format("{} samples have", GroupDigits(found.of)), found.contig,
                   found.first),
       fmt::format("they are imputed as haploid, with DS from 0 to 1; if they are diploid, call them again with two "
                   "alleles, or, if homozygotes alone are written so, {}",
                   WithBcftools(check.options.study, kTwoAlleles))});
}

void AddOriginFindings(const StudyCheck& check, std::vector<CheckFinding>& findings) {
  if (check.study_origin.lacks_ref) {
    findings.push_back(
        {"no genotype is 0/0, as where files that list only where a sample differs were merged",
         "most of what is missing is REF then: merge them with bcftools merge -0 (--missing-to-ref). Without a panel, "
         "impute and phase refuse this study"});
  }
  if (check.study_origin.is_sorted) {
    findings.push_back(
        {"all phased heterozygotes have their alleles in one order (0|1), as if / had been replaced by |",
         "give --rephase, unless one parent of all samples is the reference strain"});
  }
  if (check.study_origin.phased_beside_unphased > 0) {
    findings.push_back(
        {fmt::format(
             "{:.0f} % of the heterozygotes are phased (|) without a phase set (PS), beside unphased ones (/) of "
             "the same samples",
             100 * check.study_origin.phased_beside_unphased),
         "impute takes each | as phased with all others of its sample on the contig: give --rephase if reads told the "
         "phase (GATK, WhatsHap) and PS was lost"});
  }
  if (check.panel_origin.is_sorted) {
    findings.push_back({"all heterozygotes of the panel have their alleles in one order (0|1)",
                        "it is phased in name alone: phase it first (haplospin phase --rephase), unless one parent of "
                        "all samples is the reference strain"});
  }
}

void AddQualityFindings(const StudyCheck& check, std::vector<CheckFinding>& findings) {
  if (check.is_unphased) {
    findings.push_back({"genotypes are not phased", "haplospin impute phases them, also those of the corrected copy"});
  }
  if (check.reading.failed > 0) {
    findings.push_back({fmt::format("{} have in FILTER neither PASS nor nothing; first: {}",
                                    Counted(check.reading.failed, "record"), check.reading.first_failed),
                        check.options.reading.filters.empty()
                            ? "they are used; --filter PASS,. leaves them out, here and in impute"
                            : "those that --filter does not name are left out"});
  }
  if (check.reading.imputed > 0) {
    findings.push_back(
        {fmt::format("{} of {} marked as imputed (INFO/{})", GroupDigits(check.reading.imputed),
                     Sites(check.reading.Records(), "is", "are"), check.reading.imputation_flag),
         fmt::format("impute takes them as typed; leave them out ({})",
                     WithBcftools(check.options.study, LeaveOutImputed(check.reading.imputation_flag)))});
  }
  if (check.reading.no_calls > 0) {
    findings.push_back({fmt::format("{} of REF (0/0) without reads: DP is 0, or all PL are 0",
                                    CountedInGroups(check.reading.no_calls, "genotype")),
                        "they are taken as missing, here and in impute: GATK, DeepVariant and GLnexus write so what "
                        "they have not called"});
  }
  if (const FailedCalls& failed = check.reading.failed_calls; failed.genotypes > 0) {
    findings.push_back(
        {fmt::format("{} {} in FT neither PASS nor nothing; first: {}", CountedInGroups(failed.genotypes, "genotype"),
                     failed.genotypes == 1 ? "has" : "have", failed.first),
         fmt::format("they are used; make them missing ({})", WithBcftools(check.options.study, kRemoveFailedCalls))});
  }
  if (!check.reading.samples_without_genotypes.empty()) {
    findings.push_back(
        {fmt::format("{} without any genotype: {}", Counted(check.reading.samples_without_genotypes.size(), "sample"),
                     JoinNames(check.reading.samples_without_genotypes, kSamplesShown)),
         "leave them out (--exclude-samples): what is imputed for them is the panel's frequencies"});
  }
  if (check.reading.blocks > 0) {
    findings.push_back(
        {fmt::format("{} of the records of a gVCF are blocks of several bases", GroupDigits(check.reading.blocks)),
         "only their first base is used; write a record for each (bcftools convert --gvcf2vcf -f REF.fa)"});
  }
  check.HasFewReads() ? AddFewReads(check, findings) : AddMissing(check, findings);
  const SiteQuality& quality = check.quality;
  if (quality.heterozygous > 0) {
    findings.push_back(
        {fmt::format("{} more heterozygotes than Hardy-Weinberg equilibrium allows (p < 1e-6); first: {}",
                     Sites(quality.heterozygous), quality.first_heterozygous),
         fmt::format("probably genotyping errors; consider removing them ({}, then bcftools view -e 'ExcHet<1e-6')",
                     WithBcftools(check.options.study, "+fill-tags -- -t ExcHet"))});
  }
  AddPeopleFindings(check, findings);
  AddSexFindings(check.reading, findings);
  AddOneAllele(check, findings);
  if (check.reading.one_allele_of_two > 0) {
    findings.push_back({fmt::format("{} of one allele in the pseudo-autosomal regions of X",
                                    CountedInGroups(check.reading.one_allele_of_two, "genotype")),
                        "they are read as homozygous, as plink2 writes males after --merge-par; genotypes that were "
                        "called with one allele there have lost their heterozygotes"});
  }
  AddOriginFindings(check, findings);
  if (check.is_pseudo_haploid) {
    findings.push_back(
        {"no sample has a heterozygote, as in pseudo-haploid genotypes, where one read is drawn at each "
         "site (1240k, AADR)",
         "impute takes each as one read; the BAM files tell more. Inbred lines need --likelihoods none"});
  }
  if (!check.pseudo_haploids.empty()) {
    findings.push_back(
        {fmt::format("{} without a heterozygote, where the others have many, as in pseudo-haploid "
                     "genotypes, where one read is drawn at each site: {}",
                     Counted(check.pseudo_haploids.size(), "sample"), JoinNames(check.pseudo_haploids, kSamplesShown)),
         "impute them apart (--samples FILE --likelihoods GT), and the others with --exclude-samples "
         "FILE; inbred lines are right as they are"});
  }
  if (check.IsOfAnotherPopulation()) {
    findings.push_back(
        {"the panel seems to be from another population: the study's haplotypes have " + check.panel_fit->text,
         "use a panel that matches the study's ancestry; many genotyping and phasing errors look the same"});
  }
  if (!check.HasFewReads()) AddFrequencyFindings(check, findings);
}

}  // namespace

std::vector<CheckFinding> CheckFindings(const StudyCheck& check) {
  std::vector<CheckFinding> findings;
  if (check.HasPanel()) {
    AddContigFindings(check, findings);
    AddSiteFindings(check, findings);
  } else {
    AddDuplicates(check, findings);
  }
  AddQualityFindings(check, findings);
  return findings;
}

}  // namespace haplospin
