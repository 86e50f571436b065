// The findings of `haplospin check`: the problems of a study and their remedies.
#include <fmt/format.h>

#include <algorithm>

#include "cli/genotypes/check_report.h"
#include "core/group_digits.h"
#include "genomics/sites/contig_names.h"

namespace haplospin {
namespace {

constexpr double kMuchMissing = 0.05;
constexpr double kMinCorrelation = 0.9;

std::string Examples(const StudyCheck& check, SiteFit fit) {
  const std::vector<std::string>& examples = check.examples[static_cast<size_t>(fit)];
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
         "give the panel of these contigs, or rename them (bcftools annotate --rename-chrs)" +
             RemedyForPlinkXY(absent)});
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
                        "lift the study over to the panel's build (bcftools +liftover, Picard LiftoverVcf)"});
  }
}

void AddDuplicates(const StudyCheck& check, std::vector<CheckFinding>& findings) {
  const size_t count = check.Count(SiteFit::kDuplicate);
  if (count == 0) return;
  const std::string what =
      fmt::format("{} sites are duplicates{}", GroupDigits(count), Examples(check, SiteFit::kDuplicate));
  const bool has_panel = check.HasPanel();
  findings.push_back(
      {what, has_panel ? "--fix keeps the first" : "--fix keeps the first; it needs a panel (--ref)", has_panel});
}

// Adds the findings about sites of a study that is compared with a panel.
void AddSiteFindings(const StudyCheck& check, std::vector<CheckFinding>& findings) {
  const auto add = [&](SiteFit fit, const std::string& what, const std::string& remedy, bool is_fixed) {
    const size_t count = check.Count(fit);
    if (count == 0) return;
    findings.push_back({fmt::format("{} {}{}", GroupDigits(count), what, Examples(check, fit)), remedy, is_fixed});
  };
  add(SiteFit::kSwapped, "sites have REF and ALT swapped", "--fix exchanges them and recodes the genotypes", true);
  add(SiteFit::kFlipped, "sites are on the other strand", "--fix flips them", true);
  add(SiteFit::kFlippedAndSwapped, "sites are on the other strand with REF and ALT swapped",
      "--fix flips and exchanges them", true);
  add(SiteFit::kUndecided, "A/T or C/G sites whose strand cannot be determined",
      check.samples.size() < 20
          ? "at least 20 samples are needed to determine it; --fix removes the sites, or keeps them (--keep-ambiguous)"
          : "--fix removes them, or keeps them (--keep-ambiguous)",
      true);
  AddDuplicates(check, findings);
  add(SiteFit::kOtherAlleles, "sites have other alleles than the panel",
      "not used for imputation; if there are many, check the alleles (bcftools norm may correct indels)", false);
  if (check.SamePosition() > 0 && check.Count(SiteFit::kSame) == 0 && check.Misfits() == 0) {
    findings.push_back(
        {"no site has the alleles of the panel", "check that both files are coded as REF and ALT of the same genome"});
  }
}

void AddQualityFindings(const StudyCheck& check, std::vector<CheckFinding>& findings) {
  if (check.is_unphased) {
    findings.push_back({"genotypes are not phased", "haplospin impute phases them, also those of the corrected copy"});
  }
  const auto samples = std::ranges::count_if(
      check.samples, [](const SampleCheck& sample) { return sample.MissingShare() > kMuchMissing; });
  if (samples > 0) {
    findings.push_back({fmt::format("{} samples have more than 5 % missing genotypes", samples),
                        "consider removing them (bcftools view -s ^NAME)"});
  }
  const SiteQuality& quality = check.quality;
  if (quality.often_missing > 0) {
    findings.push_back(
        {fmt::format("{} sites have more than 10 % missing genotypes", GroupDigits(quality.often_missing)),
         "consider removing them (bcftools view -e 'F_MISSING>0.1')"});
  }
  if (quality.heterozygous > 0) {
    findings.push_back(
        {fmt::format("{} sites have more heterozygotes than Hardy-Weinberg equilibrium allows (p < 1e-6); "
                     "first: {}",
                     GroupDigits(quality.heterozygous), quality.first_heterozygous),
         "probably genotyping errors; consider removing them (bcftools +fill-tags -- -t ExcHet, then "
         "bcftools view -e 'ExcHet<1e-6')"});
  }
  if (check.male_heterozygotes > 0) {
    findings.push_back({fmt::format("{} genotypes of males outside the pseudo-autosomal regions of X are heterozygous",
                                    GroupDigits(check.male_heterozygotes)),
                        "they are taken as missing; check the sexes, and the genome build (--par)"});
  }
  if (check.IsOfAnotherPopulation()) {
    findings.push_back(
        {"the panel seems to be from another population: the study's haplotypes have " + check.panel_fit->text,
         "use a panel that matches the study's ancestry; many genotyping and phasing errors look the same"});
  }
  const FrequencyComparison& frequencies = check.frequencies;
  if (frequencies.num_outliers > 0) {
    const FrequencyOutlier& first = frequencies.outliers.front();
    findings.push_back({fmt::format("{} sites have a different allele frequency than the panel; first: {}, {:.3f} and "
                                    "{:.3f}",
                                    GroupDigits(frequencies.num_outliers), first.site, first.study, first.panel),
                        "check their genotype clusters, or remove them"});
  }
  if (frequencies.sites >= 20 && frequencies.correlation < kMinCorrelation) {
    findings.push_back(
        {fmt::format("the correlation of allele frequencies with the panel is only {:.3f}", frequencies.correlation),
         "use a panel of the study's ancestry, and check that alleles were not coded A/B"});
  }
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
