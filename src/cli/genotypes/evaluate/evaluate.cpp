// haplospin evaluate: accuracy of imputed files.
#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include "cli/genotypes/common_arguments.h"
#include "cli/genotypes/evaluate/evaluation_report.h"
#include "cli/options/command_options.h"
#include "cli/options/commands.h"
#include "cli/options/name_list.h"
#include "cli/options/output.h"
#include "core/log.h"
#include "core/output_file.h"
#include "core/parse_number.h"
#include "core/provenance.h"
#include "genotypes/assessment/evaluation.h"
#include "genotypes/assessment/sample_matching.h"
#include "genotypes/imputation/files/contig_files.h"
#include "genotypes/variant_io/reading/dosage_reader.h"
#include "genotypes/variant_io/reading/genotype_origin.h"
#include "genotypes/variant_io/sample_groups.h"
#include "genotypes/variant_io/variant_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

struct Inputs {
  std::string truth, reference, target, populations, samples;
  std::vector<std::pair<std::string, std::string>> imputed;  // name and path
  std::vector<MafGroup> bins;                                // those of --bins
  PloidyArguments ploidy;
  bool has_phase = false, has_repeats = false;
};

struct Outputs {
  std::string page, tsv, json, per_sample, per_site, multiqc;

  std::vector<std::string> Files() const { return {page, tsv, json, per_sample, per_site}; }
};

// Returns the bins between ascending limits: "0.001,0.01" is (0, 0.001], (0.001, 0.01] and (0.01, 0.5].
std::vector<MafGroup> ParseBins(const std::string& text) {
  std::vector<MafGroup> bins;
  double from = 0;
  const auto add = [&](double to) {
    bins.push_back({from, to, false});
    from = to;
  };
  for (const std::string& item : SplitLists({text})) {
    const auto limit = ParseNumber<double>(item);
    if (!limit || !(*limit > from) || *limit > 0.5) {
      throw InputError(
          fmt::format("evaluate: --bins {}: expected minor-allele frequencies above 0, ascending, up to 0.5, "
                      "separated by commas",
                      text));
    }
    add(*limit);
  }
  if (!bins.empty() && from < 0.5) add(0.5);
  return bins;
}

// Returns the file name without folder and extension.
std::string DefaultName(const std::string& path) {
  std::string name = std::filesystem::path(path).filename();
  for (const char* extension : {".gz", ".bgz", ".vcf", ".bcf", ".bgen"}) {
    if (name.ends_with(extension)) name.erase(name.size() - std::string(extension).size());
  }
  return name;
}

// "NAME=FILE", or a file alone, whose name may contain "=".
std::pair<std::string, std::string> SplitName(const std::string& argument) {
  const size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0 || std::filesystem::exists(argument)) {
    return {DefaultName(argument), argument};
  }
  return {argument.substr(0, equals), argument.substr(equals + 1)};
}

std::vector<std::pair<std::string, std::string>> SplitNames(const std::vector<std::string>& arguments) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const std::string& argument : arguments) {
    const auto file = SplitName(argument);
    if (std::ranges::any_of(files, [&](const auto& other) { return other.first == file.first; })) {
      throw InputError(fmt::format("evaluate: --imputed has two files named {}; name them as in --imputed first={}",
                                   file.first, file.second));
    }
    files.push_back(file);
  }
  return files;
}

// Returns the files that a path stands for.
InputFiles FindFiles(const std::string& option, const std::string& path) {
  if (!HasContigPlace(path)) return path;
  const ContigFiles found = ContigFiles::Named(option, path);
  std::vector<InputFiles::File> files;
  for (const std::string& contig : found.Names()) {
    files.push_back({contig, found.Find(contig)->path});
    ProtectFile(files.back().path);
  }
  return {path, std::move(files)};
}

// The phase is compared in a second reading.
void CheckReadableForPhase(const Inputs& inputs) {
  for (const auto& file : FindFiles("truth", inputs.truth).files) CheckReadableTwice(file.path);
  for (const auto& [name, path] : inputs.imputed) {
    for (const auto& file : FindFiles("imputed", path).files) CheckReadableTwice(file.path);
  }
}

std::vector<DosageReader> OpenImputed(const Inputs& inputs) {
  std::vector<DosageReader> readers;
  readers.reserve(inputs.imputed.size());
  for (const auto& [name, path] : inputs.imputed) readers.emplace_back(FindFiles("imputed", path));
  return readers;
}

std::vector<std::string> ChooseSamples(const Inputs& inputs, const DosageReader& truth,
                                       std::span<const DosageReader> imputed) {
  std::vector<FileSamples> files;
  for (const DosageReader& reader : imputed) files.push_back({reader.path(), reader.sample_names()});
  const auto chosen = inputs.samples.empty() ? std::vector<std::string>() : ReadSampleNames(inputs.samples);
  return SamplesToScore({truth.path(), truth.sample_names()}, files, chosen);
}

// Looks at the first genotypes of the samples to score. A file that cannot be read is told of later.
void WarnOfMissingRef(const Inputs& inputs, const std::vector<std::string>& samples) {
  const std::string path = FindFiles("truth", inputs.truth).files.front().path;
  GenotypeOrigin origin;
  try {
    origin = FindStudyOrigin(path, {.samples = samples}, inputs.ploidy.Regions());
  } catch (const InputError& error) {
    LogToFile(fmt::format("{}: the first genotypes were not looked at: {}", path, error.what()));
  }
  if (!origin.lacks_ref) return;
  LogWarning(
      "{}: no genotype is 0/0; if it was merged from files that list only where a sample differs, most of what is "
      "missing is REF, so that r2 and allele frequencies are wrong: merge them with bcftools merge -0",
      path);
}

// The files are read in parallel. Of several errors, that of the first file is reported.
std::vector<Evaluation> EvaluateAll(const TruthSet& truth, const Inputs& inputs, std::vector<DosageReader> imputed) {
  std::vector<Evaluation> evaluations(imputed.size());
  std::vector<std::exception_ptr> errors(imputed.size());
  tbb::parallel_for(size_t{0}, imputed.size(), [&](size_t i) {
    try {
      evaluations[i] = Evaluate(truth, inputs.imputed[i].first, std::move(imputed[i]), inputs.bins, inputs.has_repeats);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return evaluations;
}

// Evaluates the imputed files, after it has selected the sites to score.
EvaluationReport MakeReport(const Inputs& inputs, TruthSet& truth, std::vector<DosageReader> imputed) {
  EvaluationReport report{.truth = inputs.truth, .reference = inputs.reference, .target = inputs.target};
  report.own_bins = inputs.bins;
  if (!inputs.populations.empty()) report.populations = LoadSampleGroups(inputs.populations, truth.sample_names());
  if (!inputs.reference.empty()) report.num_not_in_reference = truth.UseFrequencies(FindFiles("ref", inputs.reference));
  if (!inputs.target.empty()) report.num_left_out = truth.LeaveOutTyped(FindFiles("target", inputs.target));
  report.num_samples = truth.sample_names().size();
  report.num_scored = truth.num_scored();
  if (report.num_scored == 0) {
    throw InputError(
        fmt::format("{}: no site is left to score: {} sites are not in the reference, {} are typed in the "
                    "target; check --ref and --target",
                    inputs.truth, report.num_not_in_reference, report.num_left_out));
  }
  report.imputed = EvaluateAll(truth, inputs, std::move(imputed));
  for (const auto& [name, path] : inputs.imputed) {
    report.paths.push_back(path);
    if (!inputs.has_phase) continue;
    report.phase.push_back(EvaluatePhase(FindFiles("truth", inputs.truth), name, FindFiles("imputed", path),
                                         truth.sample_names(), truth.regions()));
  }
  return report;
}

// The values of --imputed and --bins are still to be parsed.
void DeclareInput(CommandOptions& options, Inputs& inputs, std::vector<std::string>& imputed, std::string& bins) {
  options.Group("Input");
  options.Require(
      "truth", "FILE", &inputs.truth,
      "true genotypes, phased or not (VCF or BCF); truth.chr{contig}.bcf: a file for each contig, also in the other "
      "options");
  options.Require(
      "imputed", "[NAME=]FILE", &imputed,
      "imputed genotypes, VCF, BCF or BGEN: DS, or else HDS, AP1 and AP2, GP, or GT; several files are compared in one "
      "table");
  options.Add("samples", "FILE", &inputs.samples,
              "samples to score, a name per line [those that the truth and all imputed files have]");
  options.Add("ref", "FILE", &inputs.reference,
              "reference panel, for minor-allele frequencies; sites that are not in it are excluded [frequencies of "
              "the truth]");
  options.Add("target", "FILE", &inputs.target, "the typed study: its sites are excluded");
  inputs.ploidy.DeclareRegions(options);
  options.Add("populations", "FILE", &inputs.populations,
              "a sample and its population per line, for the accuracy of each population");
  options.AddFlag("phase", &inputs.has_phase,
                  "also compare the phase, where the truth is phased: switch errors, flips, Hamming errors, block N50");
  options.Add("bins", "MAF,MAF,...", &bins,
              "upper limits of further bins of minor-allele frequency, for --tsv and --json; the last one ends at 0.5");
}

void DeclareOutput(CommandOptions& options, Outputs& outputs) {
  options.Group("Output");
  options.Add("report", "FILE", &outputs.page,
              "HTML page with charts and tables: accuracy by allele frequency and along the chromosome, calibration of "
              "DR2, dosages and GP, populations and samples");
  options.Add("tsv", "FILE", &outputs.tsv, "measures per group of sites ('-': standard output, instead of the table)");
  options.Add("json", "FILE", &outputs.json, "all measures, per group and per sample ('-' as for --tsv)");
  options.Add("per-sample", "FILE", &outputs.per_sample, "measures per sample, tab-separated ('-' as for --tsv)");
  options.Add("per-site", "FILE", &outputs.per_site,
              "r2, squared error and DR2 per site, tab-separated ('-' as for --tsv)");
  options.Add(
      "multiqc", "PREFIX", &outputs.multiqc,
      "accuracy, r2 and DR2 by allele frequency for MultiQC, in PREFIX.accuracy_mqc.json, PREFIX.r2_mqc.json and "
      "PREFIX.dr2_mqc.json");
}

// Opens the outputs, evaluates, and writes them.
void EvaluateAndWrite(const Inputs& inputs, const Outputs& outputs, const Provenance& provenance) {
  OptionalOutput page(outputs.page), tsv(outputs.tsv), json(outputs.json), per_sample(outputs.per_sample);
  OptionalOutput per_site(outputs.per_site);
  OptionalOutput accuracy(MultiqcPath(outputs.multiqc, "accuracy")), r2(MultiqcPath(outputs.multiqc, "r2"));
  OptionalOutput dr2(MultiqcPath(outputs.multiqc, "dr2"));
  if (inputs.has_phase) CheckReadableForPhase(inputs);
  DosageReader truth_reader(FindFiles("truth", inputs.truth));
  std::vector<DosageReader> imputed = OpenImputed(inputs);
  const std::vector<std::string> samples = ChooseSamples(inputs, truth_reader, imputed);
  WarnOfMissingRef(inputs, samples);
  truth_reader.UseSamples(samples);
  TruthSet truth(std::move(truth_reader), inputs.ploidy.Regions());
  const EvaluationReport report = MakeReport(inputs, truth, std::move(imputed));
  if (page.IsWanted()) page.Write(EvaluationPage(report, truth, provenance));
  tsv.Write(EvaluationTsv(report));
  json.Write(EvaluationJson(report));
  accuracy.Write(MultiqcText(AccuracyMultiqc(report)));
  r2.Write(MultiqcText(R2Multiqc(report)));
  dr2.Write(MultiqcText(Dr2Multiqc(report)));
  per_sample.Write(PerSampleTsv(report));
  if (per_site.IsWanted()) per_site.Write(PerSiteTsv(report, truth));
  if (std::ranges::count(outputs.Files(), "-") == 0) PrintOutput(EvaluationTable(report));
}

}  // namespace

int EvaluateCommand(const Arguments& arguments) {
  Inputs inputs;
  Outputs outputs;
  std::vector<std::string> imputed;
  std::string bins, multiallelic = "split";
  CommandOptions options("evaluate",
                         "Compares imputed genotypes with the truth, per bin of allele frequency and per sample.",
                         "haplospin evaluate --truth truth.vcf.gz --imputed imputed.vcf.gz --ref panel.bcf "
                         "--target study.vcf.gz");
  DeclareInput(options, inputs, imputed, bins);
  options.AddChoice("multiallelic", &multiallelic, {"split", "keep"},
                    "records with several ALT alleles: split, each allele is scored, or keep, the lengths of repeats "
                    "are scored, too");
  DeclareOutput(options, outputs);
  if (!options.Parse(arguments)) return 0;
  inputs.bins = ParseBins(bins);
  inputs.has_repeats = multiallelic == "keep";
  if (!bins.empty() && outputs.tsv.empty() && outputs.json.empty()) {
    throw InputError("evaluate: --bins is for --tsv and --json; add one");
  }
  inputs.imputed = SplitNames(imputed);
  CheckDistinctOutputs("evaluate", "--report, --tsv, --json, --per-sample and --per-site", outputs.Files());
  EvaluateAndWrite(inputs, outputs, MakeProvenance(arguments));
  return 0;
}

}  // namespace haplospin
