// haplospin check: examines a study before imputation, alone or beside a panel, and writes a corrected copy of the
// study.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/genotypes/check_report.h"
#include "cli/genotypes/common_arguments.h"
#include "cli/genotypes/contig_loop.h"
#include "cli/genotypes/reads_check_report.h"
#include "cli/options/command_options.h"
#include "cli/options/commands.h"
#include "cli/options/output.h"
#include "core/log.h"
#include "core/output_file.h"
#include "core/provenance.h"
#include "genotypes/assessment/checking/checked_sites.h"
#include "genotypes/assessment/checking/reads_check.h"
#include "genotypes/assessment/checking/sex_check.h"
#include "genotypes/assessment/checking/study_check.h"
#include "genotypes/assessment/checking/study_fix.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/imputation/contig/panel_fit.h"
#include "genotypes/imputation/files/contig_files.h"
#include "genotypes/imputation/models/pedigree/family_search.h"
#include "genotypes/imputation/models/pedigree/identical_samples.h"
#include "genotypes/imputation/models/pedigree/open_parents.h"
#include "genotypes/imputation/models/pedigree/study_families.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/variant_io/fam_file.h"
#include "genotypes/variant_io/reading/pseudo_haploid.h"
#include "genotypes/variant_io/reading/study_file.h"
#include "genotypes/variant_io/variant_file.h"
#include "haplospin/errors.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

constexpr size_t kMaxShareToFix = 50;  // a site in so many

constexpr int kDoNotImputeExitCode = 3;  // documented in docs/check.md, for pipelines

std::optional<PanelFit> MeasureFit(const StudyCheck& check) {
  const StudyCheckOptions& study = check.options;
  // Alleles that are to be fixed would be taken for those of another population.
  const bool is_compared = check.HasPanel() && !check.HasFewReads() && !check.is_pseudo_haploid &&
                           kMaxShareToFix * check.NumToFix() <= check.Count(SiteRelation::kSame) &&
                           (study.reading.open || std::filesystem::is_regular_file(study.study));
  if (!is_compared) return std::nullopt;
  const auto fit = MeasurePanelFit({.panel = study.panel,
                                    .study = study.study,
                                    .contig = study.contig,
                                    .regions = check.regions,
                                    .filters = study.reading.filters,
                                    .males = study.reading.males,
                                    .females = study.reading.females,
                                    .open = study.reading.open});
  if (!fit) return std::nullopt;
  return PanelFit{.switches = fit->SwitchRatio(),
                  .mismatches = fit->MismatchRatio(),
                  .unmatched = fit->unmatched / fit->typed,
                  .panel_unmatched = fit->panel_unmatched / fit->typed,
                  .is_of_another_population = fit->IsOfAnotherPopulation(),
                  .text = Describe(*fit)};
}

// One person's file is read as it is: it has no likelihoods, and is no data of ancient DNA.
void MeasureCalls(StudyCheck& check) {
  const StudyCheckOptions& study = check.options;
  if (study.reading.open) return;
  check.certainty = MeasureCallCertainty(study.study, study.reading, check.regions);
  check.study_origin = FindStudyOrigin(study.study, study.reading, check.regions);
  if (!check.HasPanel()) return;
  check.panel_origin = FindPanelOrigin(study.panel, {});
  if (check.HasFewReads()) return;
  PseudoHaploids found = FindPseudoHaploids(study.study, study.reading, check.regions, study.panel, {});
  check.is_pseudo_haploid = found.is_whole_study;
  check.pseudo_haploids = std::move(found.samples);
}

// Duplicates are told by the first contigs of this length, and each sample is compared with each other one.
constexpr double kSpanForDuplicates = 500;  // cM
constexpr size_t kMaxPeopleCompared = 20000;
constexpr double kMinSpanForFamilies = 400;  // cM

// Finds samples with the same genotypes, and parents and children unless there is a panel: then nothing depends on
// these. `found` has the pedigree of these. Does nothing if the study cannot be read again.
void FindRelatives(bool seeks_families, StudyCheck& check, Pedigree& found) {
  const StudyCheckOptions& study = check.options;
  const bool is_sought = study.contig.empty() && CanBeReadTwice(study.study) && !check.HasFewReads();
  if (!is_sought || check.samples.size() < 2) return;
  const bool seeks_duplicates = check.samples.size() <= kMaxPeopleCompared;
  if (!seeks_families && !seeks_duplicates) return;
  const double max_span = seeks_families ? std::numeric_limits<double>::infinity() : kSpanForDuplicates;
  const auto genotypes = ReadSpacedGenotypes(
      std::span(&study.study, 1), study.reading, [](const std::string&) { return std::string(); }, max_span);
  const double span = genotypes->Span();
  if (seeks_duplicates) {
    check.duplicates =
        FoundDuplicates{.pairs = {}, .centimorgans = span, .is_too_short = AreTooShortForIdentical(*genotypes)};
    for (const auto& [a, b, agreement] : FindIdenticalSamples(*genotypes)) {
      check.duplicates->pairs.push_back({check.samples[a].name, check.samples[b].name, agreement});
    }
  }
  if (!seeks_families) return;
  check.relatives = FoundRelatives{.centimorgans = span, .is_too_short = true};
  if (check.contigs.size() < 2) return;
  const FoundFamilies families = FindFamilies(*genotypes);
  check.relatives = {families.trios, families.duos, families.undecided, span, span < kMinSpanForFamilies};
  found = families.pedigree;
}

// Returns the parents that the genotypes tell beside those of the file `known`, and the sexes.
std::string FamOfRelatives(const StudyCheck& check, const Pedigree& found, const std::string& known,
                           const SampleSexes* sexes) {
  std::vector<std::string> samples;
  for (const SampleCheck& sample : check.samples) samples.push_back(sample.name);
  const SampleSexes given = sexes == nullptr ? SampleSexes() : *sexes;
  Pedigree pedigree{.num_people = samples.size()};
  if (!known.empty()) pedigree = LoadPedigree(known, samples);
  return FamText(FillOpenParents(pedigree, found, OpenParents::kAll, samples, given), samples, given);
}

// Compares the sexes that are given with those that X tells.
std::optional<SexCheck> CheckGivenSexes(const StudyCheck& check, const SampleSexes* sexes) {
  const StudyCheckOptions& study = check.options;
  if (sexes == nullptr || study.reading.open || !CanBeReadTwice(study.study) || check.HasFewReads())
    return std::nullopt;
  std::vector<std::string> contigs;
  for (const ContigCheck& contig : check.contigs) contigs.push_back(contig.name);
  return CheckSexes({.study = study.study,
                     .contigs = std::move(contigs),
                     .regions = check.regions,
                     .filters = study.reading.filters,
                     .sexes = *sexes});
}

struct CheckArguments {
  StudyCheckOptions study;
  StudyFixOptions fix;
  TargetArguments target;
  PloidyArguments ploidy;
  FilterArgument filter;
  std::string region, json, html, sites, multiqc, pedigree;
  double min_ratio = kDefaultMinRatio;

  std::vector<std::string> Outputs() const { return {json, html, sites, fix.path, pedigree}; }
};

void DeclareInput(CommandOptions& options, CheckArguments& a) {
  options.Group("Input");
  options.Add(
      "ref,r", "FILE", &a.study.panel,
      "phased reference panel (VCF, BCF or panel file) [none: samples, sites and genotypes of the study alone]");
  a.target.Declare(options);
  options.Add("contig", "NAME", &a.study.contig, "check, and write with --fix, only this contig [all]");
  options.Add("arrays", "FILE", &a.study.arrays,
              "sites of an array, a contig and a position per line; the array that the study was typed on is "
              "named");
  options.Add(
      "min-ratio", "RATIO", &a.min_ratio,
      "the verdict is not to impute if less than this fraction of the sites within the panel match it, or if those "
      "that match span less than this fraction of the panel",
      {0, 1});
  a.filter.Declare(options);
  a.ploidy.Declare(options);
  a.target.DeclareFilter(options);
  options.Add("region", "REGION", &a.region, "look only at reads in CONTIG or CONTIG:FROM-TO");
}

void DeclareOutput(CommandOptions& options, CheckArguments& a) {
  options.Group("Output");
  options.Add("json", "FILE", &a.json, "all results as JSON ('-': standard output, instead of the report)");
  options.Add("html", "FILE", &a.html, "the report as an HTML page ('-' as for --json)");
  options.Add(
      "sites", "FILE", &a.sites,
      "each site that is dropped, changed, or typed only in the study, with the reason, tab-separated ('-' as for "
      "--json)");
  options.Add("multiqc", "PREFIX", &a.multiqc, "a row for MultiQC in PREFIX.check_mqc.json, named as the file PREFIX");
  options.Add(
      "fix", "FILE", &a.fix.path,
      "corrected copy of the study: swapped and inverted alleles exchanged, strands flipped, duplicates and A/T "
      "or C/G sites of unknown strand removed, contigs renamed as in the panel; keeps GT and PS only ('-' as for "
      "--json)");
  options.Add(
      "pedigree-out", "FILE", &a.pedigree,
      "a .fam file of the samples with the parents that the genotypes tell, beside parents and sexes of --sex or the "
      ".fam of a .bed, for --pedigree of impute and phase ('-' as for --json)");
  options.AddFlag("keep-ambiguous", &a.fix.keep_ambiguous,
                  "--fix keeps A/T and C/G sites of unknown strand, taken to be on the strand of the panel");
}

void CheckCombinations(const CommandOptions& options, const CheckArguments& a) {
  if (a.study.panel.empty()) options.Refuse({"fix", "min-ratio", "sites"}, "check: --{} needs --ref");
  if (!a.pedigree.empty() && !a.study.contig.empty()) {
    throw InputError("check: --pedigree-out is for all contigs, whose genotypes tell parents; remove --contig");
  }
  if (a.fix.keep_ambiguous && a.fix.path.empty()) throw InputError("check: --keep-ambiguous needs --fix");
  CheckDistinctOutputs("check", "--json, --html, --sites, --fix and --pedigree-out", a.Outputs());
}

// The report of a check in its four forms.
struct CheckReport {
  CheckConclusion conclusion;
  std::string text, json, page;
  MultiqcSection row;
};

// The files of the report, which are opened before any work.
class ReportFiles {
 public:
  explicit ReportFiles(const CheckArguments& a)
      : json_(a.json),
        html_(a.html),
        multiqc_(MultiqcPath(a.multiqc, "check")),
        is_on_terminal_(!Contains(a.Outputs(), "-")) {}

  void Write(const CheckReport& report) {
    LogToFile("verdict: " + report.conclusion.text);
    json_.Write(report.json);
    html_.Write(report.page);
    multiqc_.Write(MultiqcText(report.row));
    if (is_on_terminal_) PrintOutput(report.text);
  }

 private:
  static bool Contains(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  }

  OptionalOutput json_, html_, multiqc_;
  bool is_on_terminal_;
};

std::string StudyName(const CheckArguments& a) { return std::filesystem::path(a.multiqc).filename(); }

int CheckAligned(const CommandOptions& options, const CheckArguments& a, std::shared_ptr<const AlignmentStudy> people,
                 const Provenance& provenance) {
  options.Refuse({"fix", "sites", "arrays", "filter", "min-ratio", "pedigree-out"},
                 "check: --{} is not for reads; remove it");
  std::optional<Region> region;
  if (!a.region.empty()) region = ParseRegion(a.region);
  ReportFiles files(a);
  const ReadsCheck check = CheckReads({.study = a.study.study,
                                       .people = std::move(people),
                                       .panel = a.study.panel,
                                       .contig = region ? region->contig : a.study.contig,
                                       .region = region,
                                       .regions = a.ploidy.Regions(),
                                       .males = a.ploidy.Males()});
  const CheckConclusion conclusion = ConcludeReadsCheck(check);
  files.Write({.conclusion = conclusion,
               .text = ReadsCheckText(check, conclusion),
               .json = ReadsCheckJson(check, conclusion),
               .page = ReadsCheckPage(check, conclusion, provenance),
               .row = ReadsCheckMultiqc(check, conclusion, StudyName(a))});
  if (conclusion.verdict == CheckVerdict::kReady) return 0;
  LogError("{}: {}", a.study.study, conclusion.text);
  return kDoNotImputeExitCode;
}

int CheckGenotypes(CheckArguments a, const std::shared_ptr<const PersonalStudy>& people, const Provenance& provenance) {
  if (!a.region.empty()) throw InputError("check: --region is for reads; give --contig");
  StudyCheckOptions& study = a.study;
  if (!a.fix.path.empty() || !a.sites.empty() || !a.pedigree.empty()) CheckReadableTwice(study.study);
  study.regions = a.ploidy.Regions();
  study.reading.males = a.ploidy.Males();
  study.reading.females = a.ploidy.Females();
  study.reading.filters = a.filter.Values();
  if (people) study.reading.open = PersonalRecords(study.study, people, study.panel);
  a.fix.header_lines = {fmt::format("##source=haplospin {} check --fix", kVersion)};

  ReportFiles files(a);
  OptionalOutput sites(a.sites), pedigree(a.pedigree);
  StudyCheck check = CheckStudy(study);
  MeasureCalls(check);
  const bool is_refused = ConcludeCheck(check, a.min_ratio).verdict == CheckVerdict::kDoNotImpute;
  if (!is_refused) check.panel_fit = MeasureFit(check);
  const auto sexes = a.ploidy.Sexes(study.study);
  check.sexes = CheckGivenSexes(check, sexes.get());
  Pedigree found;
  FindRelatives(study.panel.empty() || pedigree.IsWanted(), check, found);
  const bool is_fixed = !a.fix.path.empty() && (!is_refused || check.AreInverted());
  if (is_fixed) FixStudy(check, a.fix);
  if (sites.IsWanted()) sites.Write(CheckedSitesTsv(check));
  if (pedigree.IsWanted()) pedigree.Write(FamOfRelatives(check, found, a.ploidy.SexFile(study.study), sexes.get()));
  const CheckConclusion conclusion = ConcludeCheck(check, a.min_ratio);
  files.Write({.conclusion = conclusion,
               .text = CheckText(check, conclusion),
               .json = CheckJson(check, conclusion),
               .page = CheckPage(check, conclusion, provenance),
               .row = CheckMultiqc(check, conclusion, StudyName(a))});
  if (!is_refused) return 0;
  const bool is_lacking = !a.fix.path.empty() && !is_fixed;
  LogError("{}: {}{}", study.study, conclusion.text, is_lacking ? "; --fix writes no copy of it" : "");
  return kDoNotImputeExitCode;
}

// Checks the study at once, or contig by contig where panel or study are files of contigs.
int CheckEachContig(const CommandOptions& options, CheckArguments& a, const StudyInput& study,
                    const Provenance& provenance) {
  const std::shared_ptr<const AlignmentStudy>& reads = study.reads.people;
  const bool is_whole = !HasContigPlace(a.study.study);  // one study of all contigs
  if (!a.pedigree.empty() && (!is_whole || HasContigPlace(a.study.panel))) {
    throw InputError("check: --pedigree-out is for all contigs, whose genotypes tell parents; give them in one file");
  }
  const auto list = [&]() -> std::vector<std::string> {
    if (reads) return NamesOfContigs(reads->contigs);
    if (study.people) return study.people->Contigs();
    if (!is_whole) return {};
    return StudyFile(a.study.study, {}).Contigs();
  };
  const auto run = [&](const std::string& contig) {
    CheckArguments part = a;
    if (is_whole && !contig.empty()) part.study.contig = contig;
    return reads ? CheckAligned(options, part, reads, provenance)
                 : CheckGenotypes(std::move(part), study.people, provenance);
  };
  return ForEachContigOfFiles(
      "check", {{"ref", &a.study.panel}, {"target", &a.study.study}},
      {{"json", &a.json}, {"html", &a.html}, {"sites", &a.sites}, {"multiqc", &a.multiqc}, {"fix", &a.fix.path}}, list,
      run);
}

}  // namespace

int CheckCommand(const Arguments& arguments) {
  CheckArguments a;
  CommandOptions options(
      "check",
      "Reports on a study before imputation: its samples, sites and genotypes, how well it matches a reference panel "
      "(alleles, strand, contigs, frequencies), and what to fix. Writes a corrected copy of the study. Of aligned "
      "reads: depth at the panel's sites, sex by X and Y, and reads that belong elsewhere.",
      "haplospin check --ref panel.bcf --target study.vcf.gz --html check.html --fix fixed.vcf.gz");
  DeclareInput(options, a);
  DeclareOutput(options, a);
  if (!options.Parse(arguments)) return 0;
  CheckCombinations(options, a);
  ImputeJob job;
  job.panel.path = a.study.panel;
  a.target.Finish(options, "check", job);
  if (!job.genome.studies.empty()) {
    throw InputError("check: --target is given several files with genotypes; check each of them");
  }
  a.study.study = job.study.path;
  return CheckEachContig(options, a, job.study, MakeProvenance(arguments));
}

}  // namespace haplospin
