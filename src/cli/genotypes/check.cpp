// haplospin check: examines a study before imputation, alone or beside a panel, and writes a corrected copy of the
// study.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/genotypes/check_report.h"
#include "cli/genotypes/common_arguments.h"
#include "cli/genotypes/reads_check_report.h"
#include "cli/options/command_options.h"
#include "cli/options/commands.h"
#include "cli/options/output.h"
#include "core/log.h"
#include "core/output_file.h"
#include "core/provenance.h"
#include "genotypes/assessment/checking/call_certainty.h"
#include "genotypes/assessment/checking/checked_sites.h"
#include "genotypes/assessment/checking/reads_check.h"
#include "genotypes/assessment/checking/study_check.h"
#include "genotypes/assessment/checking/study_fix.h"
#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/imputation/contig/panel_fit.h"
#include "genotypes/imputation/models/pedigree/study_families.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/variant_io/fam_file.h"
#include "genotypes/variant_io/variant_file.h"
#include "haplospin/errors.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

constexpr int kDoNotImputeExitCode = 3;  // documented in docs/check.md, for pipelines

std::optional<PanelFit> MeasureFit(const StudyCheck& check, const StudyCheckOptions& study) {
  const bool is_compared =
      !study.panel.empty() && std::filesystem::is_regular_file(study.study) && !check.HasFewReads();
  if (!is_compared) return std::nullopt;
  const auto fit = MeasurePanelFit({.panel = study.panel,
                                    .study = study.study,
                                    .contig = study.contig,
                                    .regions = check.regions,
                                    .filters = check.filters,
                                    .males = check.males});
  if (!fit) return std::nullopt;
  return PanelFit{.switches = fit->SwitchRatio(),
                  .mismatches = fit->MismatchRatio(),
                  .unmatched = fit->unmatched / fit->typed,
                  .panel_unmatched = fit->panel_unmatched / fit->typed,
                  .is_of_another_population = fit->IsOfAnotherPopulation(),
                  .text = Describe(*fit)};
}

// Finds parents and children in a study that can be read again. With a panel, nothing depends on them.
std::optional<FoundFamilies> FindRelatives(const StudyCheck& check, const StudyCheckOptions& study, bool is_wanted) {
  const bool is_sought = (is_wanted || study.panel.empty()) && study.contig.empty() && CanBeReadTwice(study.study);
  if (!is_sought || check.contigs.size() < 2 || check.HasFewReads()) return std::nullopt;
  const StudyOptions options{.unphased = Unphased::kAccept, .filters = study.filters, .males = study.males};
  return FindStudyFamilies(std::span(&study.study, 1), options, [](const std::string&) { return std::string(); });
}

std::string FamOfRelatives(const StudyCheck& check, const FoundFamilies& found) {
  std::vector<std::string> samples;
  for (const SampleCheck& sample : check.samples) samples.push_back(sample.name);
  return FamText(found.pedigree, samples);
}

struct ReadsCheckOutputs {
  std::string json, html, multiqc;
};

int CheckOfReads(const ReadsCheckOptions& options, const ReadsCheckOutputs& outputs, const Provenance& provenance) {
  OptionalOutput json(outputs.json), html(outputs.html);
  MultiqcFile multiqc(outputs.multiqc, "check");
  const ReadsCheck check = CheckReads(options);
  const CheckConclusion conclusion = ConcludeReadsCheck(check);
  LogToFile("verdict: " + conclusion.text);
  json.Write(ReadsCheckJson(check, conclusion));
  html.Write(ReadsCheckPage(check, conclusion, provenance));
  if (multiqc.IsWanted()) {
    multiqc.Write(ReadsCheckMultiqc(check, conclusion, std::filesystem::path(outputs.multiqc).filename()));
  }
  if (outputs.json != "-" && outputs.html != "-") PrintOutput(ReadsCheckText(check, conclusion));
  if (conclusion.verdict == CheckVerdict::kReady) return 0;
  LogError("{}: {}", options.study, conclusion.text);
  return kDoNotImputeExitCode;
}

}  // namespace

int CheckCommand(const Arguments& arguments) {
  StudyCheckOptions study;
  StudyFixOptions fix;
  TargetArguments target;
  PloidyArguments ploidy;
  FilterArgument filter;
  std::string json, html, sites, multiqc, pedigree;
  double min_ratio = kDefaultMinRatio;
  CommandOptions options(
      "check",
      "Reports on a study before imputation: its samples, sites and genotypes, how well it matches a reference panel "
      "(alleles, strand, contigs, frequencies), and what to fix. Writes a corrected copy of the study. Of aligned "
      "reads: depth at the panel's sites, sex by X and Y, and reads that belong elsewhere.",
      "haplospin check --ref panel.bcf --target study.vcf.gz --html check.html --fix fixed.vcf.gz");
  options.Group("Input");
  options.Add(
      "ref,r", "FILE", &study.panel,
      "phased reference panel (VCF, BCF or panel file) [none: samples, sites and genotypes of the study alone]");
  target.Declare(options);
  options.Add("contig", "NAME", &study.contig, "check, and write with --fix, only this contig [all]");
  options.Add("arrays", "FILE", &study.arrays,
              "sites of an array, a contig and a position per line; the array that the study was typed on is "
              "named");
  options.Add(
      "min-ratio", "RATIO", &min_ratio,
      "the verdict is not to impute if less than this fraction of the sites within the panel match it, or if those "
      "that match span less than this fraction of the panel",
      {0, 1});
  filter.Declare(options);
  ploidy.Declare(options);
  target.DeclareFilter(options);
  options.Group("Output");
  options.Add("json", "FILE", &json, "all results as JSON ('-': standard output, instead of the report)");
  options.Add("html", "FILE", &html, "the report as an HTML page ('-' as for --json)");
  options.Add(
      "sites", "FILE", &sites,
      "each site that is dropped, changed, or typed only in the study, with the reason, tab-separated ('-' as for "
      "--json)");
  options.Add("multiqc", "PREFIX", &multiqc, "a row for MultiQC in PREFIX.check_mqc.json, named as the file PREFIX");
  options.Add(
      "fix", "FILE", &fix.path,
      "corrected copy of the study: swapped and inverted alleles exchanged, strands flipped, duplicates and A/T "
      "or C/G sites of unknown strand removed, contigs renamed as in the panel; keeps GT only ('-' as for --json)");
  options.Add("pedigree-out", "FILE", &pedigree,
              "a .fam file of the samples with the parents that the genotypes tell, for --pedigree of impute and phase "
              "('-' as for --json)");
  options.AddFlag("keep-ambiguous", &fix.keep_ambiguous,
                  "--fix keeps A/T and C/G sites of unknown strand, taken to be on the strand of the panel");
  if (!options.Parse(arguments)) return 0;
  for (const char* name : {"fix", "min-ratio", "sites"}) {
    if (study.panel.empty() && options.IsGiven(name)) throw InputError(fmt::format("check: --{} needs --ref", name));
  }
  if (!pedigree.empty() && !study.contig.empty()) {
    throw InputError("check: --pedigree-out is for all contigs, whose genotypes tell parents; remove --contig");
  }
  if (fix.keep_ambiguous && fix.path.empty()) throw InputError("check: --keep-ambiguous needs --fix");
  CheckDistinctOutputs("check", "--json, --html, --sites, --fix and --pedigree-out",
                       {json, html, sites, fix.path, pedigree});
  ImputeJob job;
  job.panel.path = study.panel;
  target.Finish(options, "check", job);
  if (!job.genome.studies.empty()) {
    throw InputError("check: --target is given several files with genotypes; check each of them");
  }
  study.study = job.study.path;
  if (job.study.reads.people) {
    for (const char* name : {"fix", "sites", "arrays", "filter", "min-ratio", "pedigree-out"}) {
      if (options.IsGiven(name)) throw InputError(fmt::format("check: --{} is not for reads; remove it", name));
    }
    const ReadsCheckOptions reads{.study = study.study,
                                  .people = job.study.reads.people,
                                  .panel = study.panel,
                                  .contig = study.contig,
                                  .regions = ploidy.Regions(),
                                  .males = ploidy.Males()};
    return CheckOfReads(reads, {.json = json, .html = html, .multiqc = multiqc}, MakeProvenance(arguments));
  }
  if (!fix.path.empty() || !sites.empty() || !pedigree.empty()) CheckReadableTwice(study.study);
  study.regions = ploidy.Regions();
  study.males = ploidy.Males();
  study.filters = filter.Values();
  fix.header_lines = {fmt::format("##source=haplospin {} check --fix", kVersion)};

  OptionalOutput json_file(json), html_file(html), sites_file(sites), pedigree_file(pedigree);
  MultiqcFile multiqc_file(multiqc, "check");
  StudyCheck check = CheckStudy(study);
  study.regions = check.regions;
  check.certainty = MeasureCallCertainty(study);
  const bool is_refused = ConcludeCheck(check, min_ratio).verdict == CheckVerdict::kDoNotImpute;
  if (!is_refused) check.panel_fit = MeasureFit(check, study);
  const auto found = FindRelatives(check, study, pedigree_file.IsWanted());
  if (found) check.relatives = FoundRelatives{found->trios, found->duos, found->undecided};
  const CheckConclusion conclusion = ConcludeCheck(check, min_ratio);
  const bool is_fixed = !fix.path.empty() && (!is_refused || check.AreInverted());
  if (is_fixed) FixStudy(check, fix);
  LogToFile("verdict: " + conclusion.text);
  json_file.Write(CheckJson(check, conclusion));
  html_file.Write(CheckPage(check, conclusion, MakeProvenance(arguments)));
  if (multiqc_file.IsWanted()) {
    multiqc_file.Write(CheckMultiqc(check, conclusion, std::filesystem::path(multiqc).filename()));
  }
  if (sites_file.IsWanted()) sites_file.Write(CheckedSitesTsv(check));
  if (pedigree_file.IsWanted()) pedigree_file.Write(FamOfRelatives(check, found.value_or(FoundFamilies())));
  const std::vector<std::string> outputs{json, html, sites, fix.path, pedigree};
  if (std::ranges::find(outputs, "-") == outputs.end()) PrintOutput(CheckText(check, conclusion));
  if (!is_refused) return 0;
  const bool is_lacking = !fix.path.empty() && !is_fixed;
  LogError("{}: {}{}", study.study, conclusion.text, is_lacking ? "; --fix writes no copy of it" : "");
  return kDoNotImputeExitCode;
}

}  // namespace haplospin
