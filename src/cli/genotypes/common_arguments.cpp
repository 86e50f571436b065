#include "cli/genotypes/common_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/options/name_list.h"
#include "cli/options/output.h"
#include "core/counted.h"
#include "core/log.h"
#include "core/output_file.h"
#include "core/provenance.h"
#include "genotypes/imputation/files/genome_run.h"
#include "genotypes/variant_io/alignments/alignment_file.h"
#include "genotypes/variant_io/conversion_advice.h"
#include "genotypes/variant_io/fam_file.h"
#include "genotypes/variant_io/oxford_samples.h"
#include "genotypes/variant_io/reading/study_regions.h"
#include "genotypes/variant_io/variant_file.h"
#include "genotypes/variant_io/zip_file.h"
#include "haplospin/errors.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

LikelihoodField ParseLikelihoodField(const std::string& name) {
  return name == "PL"   ? LikelihoodField::kPl
         : name == "GL" ? LikelihoodField::kGl
         : name == "AD" ? LikelihoodField::kAd
         : name == "GT" ? LikelihoodField::kGt
                        : LikelihoodField::kNone;
}

// Returns the only file, or what stands for several in messages, which are `several` then.
std::string TakeFiles(const std::vector<std::string>& files, std::vector<std::string>& several) {
  if (files.size() > 1) several = files;
  return files.size() > 1 ? fmt::format("{} and {} more", files[0], files.size() - 1) : files.empty() ? "" : files[0];
}

// Returns the arguments that the output depends on. So a run that goes on, maybe with fewer threads, gives the bytes of
// one that was not interrupted.
Arguments WithoutRunOptions(const Arguments& arguments) {
  Arguments kept;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string name = arguments[i].substr(0, arguments[i].find('='));
    if (name == "--threads" || name == "--log") {
      if (name == arguments[i]) ++i;  // the value
    } else if (name != "--resume" && name != "--quiet" && name != "-q") {
      kept.push_back(arguments[i]);
    }
  }
  return kept;
}

}  // namespace

void CheckPanelFileName(const std::string& path) {
  for (const char* ending : {".vcf", ".vcf.gz", ".bcf"}) {
    if (path.ends_with(ending)) {
      throw InputError(fmt::format("{}: a panel file is not a {} file; end its name with .hsp", path, ending));
    }
  }
}

void JobArguments::DeclareInput(CommandOptions& options, const std::string& without_panel) {
  options.Group("Input");
  options.Add("ref,r", "FILE", &panels_,
              "phased reference panel without missing genotypes (VCF, BCF or a panel file; also .bref3, .msav, "
              ".m3vcf.gz, .hap); several files of different contigs, or panel.chr{contig}.hsp for a file of each "
              "contig, also in the names of --target, --map and --out [" +
                  without_panel + "]");
  target_.Declare(options);
  options.Add("map,m", "FILE", &maps_,
              "genetic map, PLINK or SHAPEIT format; several files of different contigs [1 cM per Mb]");
  options.Add("panel-samples", "FILE", &panel_samples_, "samples of the panel to use, a name per line [all]");
  options.Add("samples", "FILE", &samples_, "samples of the study to use, a name per line [all]");
  options.Add("exclude-samples", "FILE", &exclude_samples_, "samples of the study to leave out, a name per line");
  options.AddChoice("likelihoods", &likelihoods_, {"PL", "GL", "AD", "GT", "none"},
                    "use this FORMAT field of the study instead of its genotypes, whatever their phase: likelihoods of "
                    "genotypes (PL, GL), numbers of reads (AD), which give them, or GT with one read of each allele, "
                    "as pseudo-haploid genotypes are; none: genotypes are taken as they were called [GT where impute "
                    "with a panel finds pseudo-haploid genotypes, otherwise none]");
  filter_.Declare(options);
  ploidy_.Declare(options);
}

void JobArguments::DeclareReads(CommandOptions& options) { target_.DeclareReads(options); }

void JobArguments::DeclarePhasing(CommandOptions& options) {
  options.Group("Phasing (of genotypes that are not phased)");
  options.Add(
      "pedigree", "FILE", &job_.study.pedigree,
      "families of the study (PLINK .fam, or animal, sire and dam), whose parents may be in the panel: "
      "children inherit their haplotypes; none: without families [without a panel, those found by the genotypes "
      "of all contigs in the file]");
  options.AddFlag("rephase", &job_.study.rephase, "find the phase of all genotypes, also of those that are phased");
  options.AddSeed(&job_.seed);
}

void JobArguments::DeclareOutput(CommandOptions& options, const std::string& out_help) {
  options.Group("Output");
  options.Require("out,o", "FILE", &job_.output.path, out_help + " ('-' is standard output)");
  AddOutputType(options, &output_type_);
  AddMultiallelic(options, &multiallelic_);
  index_.Declare(options);
  options.AddFlag(
      "resume", &resumes_,
      "keep what an earlier run of the same command with --resume has completed: contigs in different files, and "
      "windows of a contig");
}

void JobArguments::DeclareChecks(CommandOptions& options) {
  options.Group("Checks");
  options.Add(
      "min-ratio", "RATIO", &job_.panel.min_ratio,
      "stop if less than this fraction of the study's sites is in the panel (as with another genome build), or if "
      "the typed sites span less than this fraction of the panel",
      {0, 1});
}

void JobArguments::DeclareWindows(CommandOptions& options, const std::string& region_help) {
  options.Group("Windows");
  options.Add("region", "REGION", &region_, region_help);
  options.Add("window", "CM", &window_, "length of a window in cM", {0.1, 1000});
  options.Add("overlap", "CM", &overlap_, "overlap of neighboring windows on either side, in cM", {0, 100});
  options.ShowDefault("window", "20, longer where the study has few markers");
  options.ShowDefault("overlap", "2, longer where the study has few markers");
}

// Without --sex, the sexes of a pedigree are those of the study. A pipe can be read once.
void JobArguments::TakeSexesOfPedigree() {
  const std::string& path = job_.study.pedigree;
  if (path.empty() || !std::filesystem::is_regular_file(path)) return;
  const SampleSexes sexes = LoadPedigreeSexes(path);
  job_.study.options.males.assign(sexes.males.begin(), sexes.males.end());
  job_.study.options.females.assign(sexes.females.begin(), sexes.females.end());
  if (sexes.males.empty() && sexes.females.empty()) return;
  LogInfo("{}: its column of sex tells who is male and female on X and Y (--sex FILE gives others)", path);
}

void JobArguments::Finish(const CommandOptions& options, const std::string& command) {
  if (options.IsGiven("window")) job_.windows.core = window_;
  if (options.IsGiven("overlap")) job_.windows.flank = overlap_;
  job_.panel.path = TakeFiles(panels_, job_.genome.panels);
  job_.panel.map = TakeFiles(maps_, job_.genome.maps);
  if (!panel_samples_.empty() && job_.panel.path.empty()) {
    throw InputError("--panel-samples needs a panel; give --ref");
  }
  if (!panel_samples_.empty()) job_.panel.samples = ReadSampleNames(panel_samples_);
  if (!samples_.empty()) job_.study.options.samples = ReadSampleNames(samples_);
  if (!exclude_samples_.empty()) job_.study.options.excluded_samples = ReadSampleNames(exclude_samples_);
  job_.panel.regions = ploidy_.Regions();
  job_.study.options.males = ploidy_.Males();
  job_.study.options.females = ploidy_.Females();
  job_.study.options.filters = filter_.Values();
  job_.study.options.likelihoods = ParseLikelihoodField(likelihoods_);
  target_.Finish(options, command, job_);
  if (job_.output.type == OutputType::kBgen || job_.output.path.ends_with(".bgen")) {
    job_.output.fields.sexes = ploidy_.Sexes(job_.study.path);
  }
  job_.study.seeks_families = job_.study.pedigree != "none";
  if (job_.study.pedigree == "none") job_.study.pedigree.clear();
  if (job_.study.options.likelihoods != LikelihoodField::kNone && !job_.study.pedigree.empty()) {
    throw InputError(command + ": --pedigree phases genotypes that are called; remove it" +
                     (job_.study.reads.people ? ", as reads are used by their likelihoods" : ", or --likelihoods"));
  }
  if (!ploidy_.IsSexGiven()) TakeSexesOfPedigree();
  if (!region_.empty()) job_.windows.region = ParseRegion(region_);
  // The others are of contigs, or of people (imputation/files/genome_run.h).
  constexpr std::string_view kData[] = {"ref", "target", "target-list", "map", "sites"};
  files_ = options.InputFiles(kData);
  job_.output.type = ParseOutputType(output_type_);
  job_.output.fields.keeps_records = multiallelic_ == "keep";
  job_.output.index = index_.Type(command, job_.output.path, job_.output.type);
}

std::vector<std::string> JobArguments::HeaderLines(const Arguments& command_line) const {
  std::vector<std::string> lines{
      fmt::format("##source=haplospin {}", kVersion),
      fmt::format("##haplospin_command={}", CommandLineText(WithoutRunOptions(command_line)))};
  if (!region_.empty()) lines.push_back(fmt::format("##{}={}", kRegionKey, region_));
  return lines;
}

void JobArguments::Run(const std::function<RunReport(const ImputeJob&)>& run) const {
  std::string settings = fmt::format("{}", fmt::join(job_.output.header_lines, "\n"));
  for (const std::string& file : files_) settings += "\n" + FingerprintOfFile(file);
  RunGenome(job_, {.resumes = resumes_, .settings = settings}, run);
}

void TargetArguments::Declare(CommandOptions& options) {
  options.Add(
      "target,t", "FILE", &targets_,
      "study, phased or not (VCF, BCF, BGEN or PLINK .bed; '-' is standard input), several files of different contigs, "
      "or a file for each person: aligned reads (BAM, CRAM or SAM), or genotypes of 23andMe, AncestryDNA, MyHeritage "
      "and others as they are downloaded (.txt, .csv, .zip)");
  options.Add(
      "target-list", "FILE", &list_,
      "files of a person each: one per line, and optionally the person's name [that of @RG SM in aligned reads, "
      "otherwise that of the file]");
}

void TargetArguments::DeclareReads(CommandOptions& options) {
  DeclareFilter(options);
  options.Add("sites", "FILE", &sites_, "look at the sites of this VCF or BCF file [those of the panel]");
  options.AddChoice("ploidy", &ploidy_, {"panel", "1", "2"},
                    "alleles of a sample, but for sex chromosomes: as many as the samples of the panel have, which may "
                    "be haploid (mitochondria, yeast, drones), 1, or 2");
  options.AddFlag("no-error-model", &filter_.trusts_qualities,
                  "take bases to be as certain as their qualities tell, without damage of ancient DNA and more errors, "
                  "where the reads of a person show these");
}

void TargetArguments::DeclareFilter(CommandOptions& options) {
  options.Group("Reads (BAM, CRAM or SAM)");
  options.Add(
      "fasta", "FILE", &fasta_,
      "reference of the reads, with its .fai: needed for CRAM, checked against the sites, and the ends of reads beside "
      "indels are compared with it");
  options.AddFlag("keep-duplicates", &filter_.keeps_duplicates,
                  "count reads that are marked as duplicates, as those of GBS, RAD-seq and amplicons are by nature");
  options.Add("min-mapq", "PHRED", &filter_.min_mapq, "least mapping quality of a read", {0, 254});
  options.Add("min-baseq", "PHRED", &filter_.min_baseq, "least quality of a base", {0, 60});
  options.Add("max-depth", "READS", &filter_.max_depth, "reads of a person at a site that count", {1, 1000000});
  options.Add("ignore-ends", "BASES", &filter_.ignored_ends, "bases at either end of a read that do not count",
              {0, 1000});
  options.AddFlag("ignore-transitions", &filter_.ignores_transitions,
                  "do not look at reads where REF and ALT are A and G, or C and T");
}

// Returns the files of the study, perhaps with the names of people.
std::vector<AlignmentTarget> TargetArguments::Given(const std::string& command) const {
  if (targets_.empty() && list_.empty()) {
    throw InputError(fmt::format("{0}: --target is missing (see haplospin {0} --help)", command));
  }
  if (!targets_.empty() && !list_.empty()) {
    throw InputError("--target and --target-list cannot be combined; put all files into the list");
  }
  if (!list_.empty()) return ReadAlignmentList(list_);
  std::vector<AlignmentTarget> given;
  for (const std::string& path : targets_) given.push_back(ParseAlignmentPath(path));
  return given;
}

void TargetArguments::RefuseOptionsOfReads(const CommandOptions& options, const std::string& study) const {
  const auto refuse = [&](std::initializer_list<const char*> names) {
    options.Refuse(names, "--{} is for reads (BAM, CRAM or SAM), and {} has genotypes; remove it", study);
  };
  refuse({"fasta", "keep-duplicates", "min-mapq", "min-baseq", "max-depth", "ignore-ends", "ignore-transitions"});
  if (!sites_.empty()) refuse({"sites"});
  if (ploidy_ != "panel") refuse({"ploidy"});
  if (filter_.trusts_qualities) refuse({"no-error-model"});
}

void TargetArguments::Finish(const CommandOptions& options, const std::string& command, ImputeJob& job) const {
  const std::vector<AlignmentTarget> given = Given(command);
  const auto count = [&](bool (*is_kind)(const std::string&)) {
    return static_cast<size_t>(std::ranges::count_if(given, is_kind, &AlignmentTarget::path));
  };
  const size_t people = count(IsPersonalFile),
               alignments = list_.empty() ? count(IsAlignmentFile) : given.size() - people;
  const auto check_all = [&](size_t kind, bool (*is_kind)(const std::string&), const char* what) {
    if (kind == given.size()) return;
    const auto other = std::ranges::find_if_not(given, is_kind, &AlignmentTarget::path);
    throw InputError(fmt::format("{} has {} {}, and {} with other genotypes (first: {}); give the ones or the others",
                                 list_.empty() ? "--target" : "--target-list", Counted(kind, "file"), what,
                                 given.size() - kind, other->path));
  };
  std::vector<std::string> several;  // reads and people are of the same contigs, so that no job is made for each file
  job.study.path = list_.empty() ? TakeFiles(targets_, people + alignments > 0 ? several : job.genome.studies) : list_;
  for (const AlignmentTarget& target : given) {
    if (people + alignments > 0) ProtectFile(target.path);  // a list may name outputs
    if (!IsPersonalFile(target.path) && IsZip(target.path)) RefuseOtherFormat(target.path);
  }
  if (people + alignments == 0) {
    RefuseOptionsOfReads(options, job.study.path);
  } else if (people > 0) {
    check_all(people, IsPersonalFile, "of one person each");
    FinishPeople(options, given, job);
  } else {
    check_all(alignments, IsAlignmentFile, "with aligned reads");
    FinishReads(given, job);
  }
}

void TargetArguments::FinishPeople(const CommandOptions& options, std::span<const AlignmentTarget> people,
                                   ImputeJob& job) const {
  RefuseOptionsOfReads(options, job.study.path);
  if (job.panel.path.empty()) {
    throw InputError(job.study.path + ": one person's genotypes, whose alleles a panel tells; give it with --ref");
  }
  CheckReadableTwice(job.panel.path);
  PersonalStudy study;
  for (const AlignmentTarget& person : people) study.people.push_back(ReadPersonalFile(person.path, person.name));
  TellOfPeople(study);
  job.study.people = std::make_shared<const PersonalStudy>(std::move(study));
}

void TargetArguments::FinishReads(std::span<const AlignmentTarget> alignments, ImputeJob& job) const {
  if (job.study.options.likelihoods != LikelihoodField::kNone) {
    throw InputError("--likelihoods is for genotypes of a caller; remove it: those of reads are always used");
  }
  if (sites_.empty() && job.panel.path.empty()) {
    throw InputError("reads need the sites to look at; give a panel (--ref) or --sites");
  }
  CheckReadableTwice(sites_.empty() ? job.panel.path : sites_);
  job.study.options.likelihoods = LikelihoodField::kPl;
  AlignmentStudy study = OpenAlignmentStudy(alignments, fasta_, filter_);
  study.KeepPeople(job.study.options.samples, job.study.options.excluded_samples);
  job.study.reads.people = std::make_shared<const AlignmentStudy>(std::move(study));
  job.study.reads.sites = sites_;
  job.study.reads.ploidy = ploidy_ == "panel" ? 0 : ploidy_ == "1" ? 1 : 2;
}

void FilterArgument::Declare(CommandOptions& options) {
  options.Add("filter", "VALUES", &values_,
              "use only records of the study with one of these in FILTER, separated by commas, such as PASS,. ('.' is "
              "none) [all]");
}

std::vector<std::string> FilterArgument::Values() const {
  std::vector<std::string> values = SplitLists(values_);
  if (std::ranges::find(values, "") != values.end()) throw InputError("--filter has an empty value; remove the comma");
  return values;
}

void PloidyArguments::DeclareRegions(CommandOptions& options) {
  options.Add("par", "BUILD|FILE", &par_,
              "pseudo-autosomal regions, between which ploidy may change: GRCh37, GRCh38 or T2T-CHM13, a file with a "
              "contig, a first and a last position per line, or none; auto: by the contig lengths of panel or study");
}

void PloidyArguments::Declare(CommandOptions& options) {
  DeclareRegions(options);
  options.Add("autosomes", "PAIRS", &autosomes_,
              "pairs of autosomes of the genome, 22 of a human and 29 of cattle; the next two numbers are X and Y, as "
              "PLINK has it [##chrSet; otherwise 23 and 24 are X and Y, unless other contigs are not those of a human]",
              {0, 95});
  options.Add("sex", "FILE", &sex_,
              "PLINK .fam file: males are haploid on X outside the pseudo-autosomal regions, and on Y, also where they "
              "have two equal alleles, and females have no Y [the .fam of a .bed, and the sexes of --pedigree]");
}

std::optional<PloidyRegions> PloidyArguments::Regions() const {
  if (par_ == "auto" && autosomes_ == 0) return std::nullopt;
  PloidyRegions regions = PloidyRegions::ForBuild(par_);
  const bool is_file = regions.empty() && par_ != "auto" && par_ != "none";
  if (is_file) regions = LoadPloidyRegions(par_);
  if (par_ == "none") regions.KeepAllAutosomes();
  if (autosomes_ > 0) regions.SetAutosomes(autosomes_);
  return regions;
}

namespace {

// Returns the names that people of one sex may have in a study.
std::vector<std::string> NamesOf(const std::string& path, std::vector<bool> FamFile::*is_of_sex) {
  if (path.empty()) return {};
  const FamFile fam = LoadFamFile(path);
  std::vector<std::string> names;
  for (size_t s = 0; s < fam.samples.size(); ++s) {
    if ((fam.*is_of_sex)[s]) names.insert(names.end(), {fam.samples[s], fam.families[s] + "_" + fam.samples[s]});
  }
  return names;
}

}  // namespace

std::vector<std::string> PloidyArguments::Males() const { return NamesOf(sex_, &FamFile::is_male); }

std::vector<std::string> PloidyArguments::Females() const { return NamesOf(sex_, &FamFile::is_female); }

std::string PloidyArguments::SexFile(const std::string& study) const {
  const bool is_bed = study.ends_with(".bed") && std::filesystem::exists(study);
  return sex_.empty() && is_bed ? study.substr(0, study.size() - 4) + ".fam" : sex_;
}

std::shared_ptr<const SampleSexes> PloidyArguments::Sexes(const std::string& study) const {
  const std::string path = SexFile(study);
  if (path.empty()) return nullptr;
  const FamFile fam = LoadFamFile(path);
  SampleSexes sexes;
  for (size_t s = 0; s < fam.samples.size(); ++s) {
    const std::string& name = fam.samples[s];
    if (fam.is_male[s]) sexes.males.insert({name, fam.families[s] + "_" + name});
    if (fam.is_female[s]) sexes.females.insert({name, fam.families[s] + "_" + name});
  }
  return std::make_shared<const SampleSexes>(std::move(sexes));
}

}  // namespace haplospin
