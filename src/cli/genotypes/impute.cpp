// haplospin impute: imputes the untyped genotypes of a study from a reference panel, or its missing ones from itself.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "cli/genotypes/common_arguments.h"
#include "cli/genotypes/self_test_page.h"
#include "cli/learning/torch/torch_library.h"
#include "cli/options/commands.h"
#include "cli/options/name_list.h"
#include "cli/options/output.h"
#include "core/counted.h"
#include "core/install_paths.h"
#include "core/log.h"
#include "core/model_header.h"
#include "core/provenance.h"
#include "core/safetensors.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/imputation/backends/gpu/opening_backend.h"
#include "genotypes/imputation/files/impute_files.h"
#include "genotypes/imputation/files/site_report.h"
#include "genotypes/imputation/plan/study_facts.h"
#include "genotypes/imputation/self_test/self_test.h"
#include "genotypes/variant_io/hla/hla_proteins_file.h"
#include "genotypes/variant_io/reading/pseudo_haploid.h"
#include "genotypes/variant_io/reading/wanted_sites_file.h"
#include "genotypes/variant_io/site_list_file.h"
#include "haplospin/errors.h"
#include "learning/token_imputation/token_network_options.h"

namespace haplospin {
namespace {

void ParseFields(const std::vector<std::string>& lists, OutputFields& fields) {
  const std::map<std::string, bool*> known{
      {"GP", &fields.gp}, {"HDS", &fields.hds}, {"AP", &fields.ap}, {"PPH", &fields.pp}, {"AD", &fields.ad}};
  for (const std::string& name : SplitLists(lists)) {
    const auto field = known.find(name);
    if (field == known.end()) {
      throw InputError(fmt::format(
          "impute: --format is '{}', but must be GP, HDS, AP, PPH or AD (GT and DS are always written)", name));
    }
    *field->second = true;
  }
}

BgenCompression ParseCompression(const std::string& name) {
  if (name == "zstd") return BgenCompression::kZstd;
  return name == "none" ? BgenCompression::kNone : BgenCompression::kZlib;
}

// The options for output as BGEN.
class BgenArguments {
 public:
  void Declare(CommandOptions& options) {
    options.Group("BGEN (--out FILE.bgen)");
    options.AddChoice("bgen-bits", &bits_, {"8", "16"}, "bits of a probability; regenie, SAIGE and BOLT-LMM read 8");
    options.AddChoice("bgen-compression", &compression_, {"zlib", "zstd", "none"},
                      "compression of the probabilities; zstd makes a BGEN 1.3 file, which some programs cannot read");
    options.AddFlag("bgen-phased", &has_haplotypes_, "write the probabilities of haplotypes instead of genotypes");
  }

  // Call it after parsing, with the other fields of `job` set. Throws InputError if one of these options is given for
  // another format, or if BGEN cannot store what is asked for.
  void Finish(const CommandOptions& options, ImputeJob& job) const {
    if (ResolveOutputType(job.output.path, job.output.type) != OutputType::kBgen) {
      return options.Refuse({"bgen-bits", "bgen-compression", "bgen-phased"},
                            "impute: --{} is for BGEN output, which {} is not; end its name with .bgen",
                            job.output.path);
    }
    if (job.output.fields.keeps_records) {
      throw InputError(
          "impute: --multiallelic keep needs VCF or BCF output; regenie, SAIGE and most others that read BGEN expect "
          "two "
          "alleles in each variant");
    }
    options.Refuse({"sites-only", "format", "empirical-dosages", "min-gp"},
                   "impute: --{} needs VCF or BCF output; BGEN has nothing but probabilities");
    job.output.fields.bgen = {bits_ == "8" ? 8 : 16, ParseCompression(compression_), has_haplotypes_};
  }

 private:
  std::string bits_ = "8", compression_ = "zlib";
  bool has_haplotypes_ = false;
};

// A model of either kind.
struct LoadedModel {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<const WindowModel> model;

  Imputer imputer() const { return {backend.get(), model.get()}; }
};

// Loads a model. With the default architecture, a limit that was given is also the limit of the job.
LoadedModel LoadModel(const std::string& path, const std::string& device, size_t max_bytes, bool is_given,
                      ImputeJob& job) {
  const Safetensors file = ReadSafetensors(path);
  if (ParseModelHeader(file, {kImputerModel, kTokenModel}).kind == kTokenModel) {
    return {nullptr, LoadTorchLibrary().make_window_model(file, device, static_cast<int64_t>(max_bytes))};
  }
  const size_t no_limit = std::numeric_limits<size_t>::max();
  LoadedModel loaded{OpenBackend(device, ParseImputerWeights(file), is_given ? max_bytes / 4 : no_limit), nullptr};
  if (is_given) {
    job.memory.max_bytes = max_bytes;
    job.memory.model_bytes = loaded.backend->HostBytes();
  }
  return loaded;
}

// The file name without its folder, quoted as in a command line, so that it has no line ends.
std::string QuotedName(const std::string& path) {
  const std::string command = CommandLineText({std::filesystem::path(path).filename()});
  return command.substr(command.find(' ') + 1);
}

// A model of one window imputes only that window.
void KeepToCoverage(const std::string& path, const WindowModel& model, ImputeJob& job) {
  const std::optional<Region>& covered = model.coverage();
  if (!covered) return;
  const std::string name = fmt::format("{}:{}-{}", covered->contig, covered->begin, covered->end);
  if (!job.windows.region) {
    LogInfo("{} is a model of {}: imputing that", path, name);
    job.windows.region = covered;
  } else if (!SameContig(job.windows.region->contig, covered->contig) || job.windows.region->begin < covered->begin ||
             job.windows.region->end > covered->end) {
    throw InputError(fmt::format(
        "impute: --region goes beyond {}, the only region that {} can impute; give a part of it", name, path));
  }
}

// Without a panel there are no untyped markers, and no network is needed.
void CheckWithoutPanel(const CommandOptions& options, const OutputFields& fields) {
  options.Refuse({"model", "device", "empirical-dosages", "min-r2", "no-study-only"},
                 "impute: --{} needs a panel; give --ref, or remove it");
  if (fields.pp) throw InputError("impute: --format PPH needs a panel; give --ref, or remove PPH");
}

void CheckTables(const CommandOptions& options) {
  if (options.IsGiven("hla-out") && !options.IsGiven("ref")) {
    throw InputError("impute: --hla-out needs a panel; give --ref, or remove --hla-out");
  }
  if (options.IsGiven("hla-amino-acids") && !(options.IsGiven("hla-out") && options.IsGiven("hla-proteins"))) {
    throw InputError(
        "impute: --hla-amino-acids is a second table beside --hla-out, and needs the proteins of the alleles; give "
        "--hla-out and --hla-proteins");
  }
  if (options.IsGiven("hla-proteins") && !options.IsGiven("hla-amino-acids")) {
    throw InputError("impute: --hla-proteins is for --hla-amino-acids; add that, or remove --hla-proteins");
  }
  if (options.IsGiven("resume")) {
    options.Refuse({"hla-out", "self-test", "self-test-html"},
                   "impute: --{} and --resume cannot be given together; remove one of them");
  }
}

// People without genotypes have nothing but what their relatives tell.
void CheckAnimals(const CommandOptions& options, const ImputeJob& job) {
  if (!options.IsGiven("all-animals")) return;
  if (job.study.pedigree.empty()) {
    throw InputError("impute: --all-animals writes the animals of a pedigree; give it with --pedigree");
  }
  options.Refuse({"sites-only", "model", "empirical-dosages"},
                 "impute: --all-animals and --{} cannot be given together; remove one of them");
}

// Each site of the list is to be written, and the list of those that were is known at the end of a whole run.
void CheckWantedSites(const CommandOptions& options) {
  if (options.IsGiven("sites-report") && !options.IsGiven("sites-out-only")) {
    throw InputError("impute: --sites-report is about the sites of --sites-out-only; give these");
  }
  if (!options.IsGiven("sites-out-only")) return;
  options.Refuse({"min-r2", "resume"},
                 "impute: --sites-out-only and --{} cannot be given together; remove one of them");
}

// The network imputes from alleles that are known, so it has no part where there are likelihoods instead.
void CheckWithLikelihoods(const CommandOptions& options, const OutputFields& fields) {
  options.Refuse({"model", "device", "empirical-dosages"},
                 "impute: --{} is for genotypes that are called; remove it, or --likelihoods");
  if (fields.pp)
    throw InputError("impute: --format PPH is for genotypes that are called; remove PPH, or --likelihoods");
}

// The options of `haplospin impute` that `haplospin phase` does not have.
class ImputeArguments {
 public:
  explicit ImputeArguments(ImputeJob& job) : job_(job), common_(job) {}

  void Declare(CommandOptions& options) {
    common_.DeclareInput(options, "missing genotypes are imputed from the study itself");
    options.Add("model", "FILE", &model_path_,
                "model made by 'haplospin train', of any architecture [the default imputer]");
    options.Add(
        "exclude-markers", "FILE", &exclude_markers_,
        "typed markers of the study to ignore, which are then imputed: an ID, CONTIG:POSITION, or a contig and a "
        "position per line");
    options.Add(
        "sites-out-only", "FILE", &wanted_sites_,
        "write only the sites of this file: a scoring file of the PGS Catalog, VCF or BCF (such as the positions of "
        "PharmCAT), BED, or an ID, or a contig and a position, per line");
    options.Add(
        "hla-proteins", "FILE", &hla_proteins_,
        "proteins of the HLA alleles for --hla-amino-acids: alignments of IPD-IMGT/HLA (A_prot.txt B_prot.txt), "
        "or an allele and its aligned protein per line");
    common_.DeclareReads(options);
    common_.DeclarePhasing(options);
    common_.DeclareOutput(options, "imputed study");
    DeclareFields(options);
    bgen_.Declare(options);
    common_.DeclareChecks(options);
    common_.DeclareWindows(
        options,
        "impute only CONTIG or CONTIG:FROM-TO; the dosages are those of a run over the whole contig, unless windows "
        "are shortened to the memory. Regions of an unphased study should overlap, to be joined by concat --ligate");
    DeclareComputing(options);
  }

  // Call it after parsing. Throws InputError if options contradict each other or a file cannot be used.
  void Finish(const CommandOptions& options) {
    OutputFields& fields = job_.output.fields;
    ParseFields(formats_, fields);
    if (fields.sites_only && (!formats_.empty() || fields.lds || fields.min_gp > 0)) {
      throw InputError(
          "impute: --sites-only writes no genotypes; remove it, or --format, --empirical-dosages and --min-gp");
    }
    common_.Finish(options, "impute");
    CheckDistinctOutputs(
        "impute", "--out, --sites-out, --sites-report, --self-test, --self-test-html, --hla-out and --hla-amino-acids",
        {job_.output.path, fields.sites_path, sites_report_, self_test_path_, self_test_page_,
         job_.output.hla.types_path, job_.output.hla.amino_acids_path});
    CheckTables(options);
    CheckAnimals(options, job_);
    CheckWantedSites(options);
    if (!wanted_sites_.empty()) {
      job_.output.sites = std::make_shared<WantedSites>(wanted_sites_, LoadWantedSites(wanted_sites_));
    }
    if (!hla_proteins_.empty()) {
      job_.output.hla.proteins = std::make_shared<HlaProteins>(LoadHlaProteins(hla_proteins_));
    }
    if (!self_test_path_.empty() || !self_test_page_.empty()) job_.output.self_test = std::make_shared<SelfTest>();
    if (!fields.sites_path.empty()) ResolveGenotypeType(fields.sites_path, OutputType::kByExtension);
    fields.doubles_haploids = male_dosage_ == "diploid";
    bgen_.Finish(options, job_);
    if (!exclude_markers_.empty()) job_.study.options.excluded_markers = LoadMarkerList(exclude_markers_);
  }

  void Run(const CommandOptions& options, const Arguments& arguments) {
    OptionalOutput report(sites_report_), table(self_test_path_), page(self_test_page_);
    RunModel(options, arguments);
    if (job_.output.sites) {
      TellOfWantedSites(*job_.output.sites);
      report.Write(WantedSitesTsv(*job_.output.sites));
    }
    if (job_.output.self_test) {
      const SelfTestFindings findings = job_.output.self_test->Find();
      table.Write(findings.Table());
      if (page.IsWanted()) {
        page.Write(SelfTestPage(findings, {{"imputed", job_.output.path}}, MakeProvenance(arguments)));
      }
      findings.Tell(self_test_path_.empty() ? self_test_page_ : self_test_path_);
    }
  }

 private:
  void DeclareFields(CommandOptions& options) {
    OutputFields& fields = job_.output.fields;
    options.Add(
        "format", "FIELDS", &formats_,
        "additional FORMAT fields, separated by commas: GP, HDS, AP, PPH (the probability of each heterozygote's "
        "phase), or AD (the reads of BAM files that show each allele)");
    options.AddFlag("empirical-dosages", &fields.lds,
                    "add FORMAT LDS to typed markers: leave-one-out dosages, as in Minimac4's empirical output");
    options.Add("min-r2", "R2", &fields.min_r2, "write only imputed markers of at least this DR2, and typed ones",
                {0, 1});
    options.Add("min-gp", "GP", &fields.min_gp,
                "write GT as missing where no genotype has this probability; DS and the other fields stay", {0, 1});
    options.AddFlag("no-study-only", &fields.leaves_out_study, "leave out study markers that are not in the panel");
    options.AddFlag("sites-only", &fields.sites_only, "write no genotypes");
    options.AddFlag(
        "all-animals", &job_.study.finds_animals,
        "also write the animals of --pedigree that have no genotypes, with what their relatives tell of them");
    options.Add("sites-out", "FILE", &fields.sites_path,
                "also write the sites alone, with INFO, to this VCF or BCF file");
    options.Add(
        "sites-report", "FILE", &sites_report_,
        "also write a table of the sites of --sites-out-only: the record of each, or the reason why it is absent");
    options.Add(
        "hla-out", "FILE", &job_.output.hla.types_path,
        "also write the HLA types to this table: the best pair of alleles of each person and gene, the next best, "
        "their probabilities, and how many fields are certain");
    options.Add("hla-amino-acids", "FILE", &job_.output.hla.amino_acids_path,
                "also write the amino acids of the HLA proteins to this table, at each position where alleles differ: "
                "the best pair, its probability, and dosages (with --hla-out and --hla-proteins)");
    options.Add(
        "self-test", "FILE", &self_test_path_,
        "also write how good the dosages of each person are, without the truth, to this table: what is known is "
        "imputed as if it were not, and compared");
    options.Add("self-test-html", "FILE", &self_test_page_,
                "also write the same as an HTML page, with charts of r2 by person");
    options.AddFlag("set-ids", &fields.sets_ids,
                    "name markers without ID CONTIG:POSITION:REF:ALT, as is always done in BGEN");
    options.AddChoice("male-dosage", &male_dosage_, {"haploid", "diploid"},
                      "haploid samples, such as males on chrX: haploid, with DS from 0 to 1, or diploid with two equal "
                      "haplotypes and DS from 0 to 2, as regenie and SAIGE count them");
  }

  void DeclareComputing(CommandOptions& options) {
    options.Group("Computing");
    options.AddDevice(&device_);
    options.AddMemory(
        "memory", &memory_,
        "maximum memory, such as 4G (without a unit: MiB): the panel must fit (estimated before the run), and windows "
        "are shortened for a large study; "
        "with a GPU, at most a quarter of it is for samples that are computed together; for a SPIN, NPT or Set "
        "Transformer model, the maximum for a window");
    options.ShowDefault(
        "memory", "no limit, 1G without a panel or with --likelihoods; 4G for a SPIN, NPT or Set Transformer model");
  }

  // Pseudo-haploid genotypes are taken as reads, unless an option says what they are, or needs calls.
  void RecognizePseudoHaploids(const CommandOptions& options) {
    const StudyInput& study = job_.study;
    const std::string& path = job_.genome.studies.empty() ? study.path : job_.genome.studies[0];
    const std::string& panel = job_.genome.panels.empty() ? job_.panel.path : job_.genome.panels[0];
    const bool is_called = HasGenotypeFiles(study) && !options.IsGiven("likelihoods") && study.pedigree.empty();
    if (!is_called || !std::filesystem::is_regular_file(path) || !std::filesystem::is_regular_file(panel)) return;
    PseudoHaploids found;
    try {
      found = FindPseudoHaploids(path, study.options, job_.panel.regions, panel, job_.panel.samples);
    } catch (const InputError&) {
      return;  // the run tells what is wrong
    }
    if (!found.samples.empty()) {
      LogWarning(
          "{}: {} without a heterozygote where the others have many ({}), as in pseudo-haploid genotypes, where one "
          "read is drawn at each site; many of their genotypes would be wrong: impute them apart (--samples FILE "
          "--likelihoods GT), and the others with --exclude-samples FILE; inbred lines are right as they are",
          path, Counted(found.samples.size(), "sample"), JoinNames(found.samples, kSamplesShown));
    }
    if (!found.is_whole_study) return;
    constexpr const char* kWhat =
        "no sample has a heterozygote, as in pseudo-haploid genotypes, where one read is drawn at each site";
    for (const char* name : {"model", "device", "empirical-dosages"}) {
      if (!options.IsGiven(name)) continue;
      LogWarning("{}: {}; they are taken as they were called because of --{}; remove it, and give --likelihoods GT",
                 path, kWhat, name);
      return;
    }
    LogWarning("{}: {}: each is taken as one read (--likelihoods GT); inbred lines need --likelihoods none", path,
               kWhat);
    job_.study.options.likelihoods = LikelihoodField::kGt;
  }

  void RunModel(const CommandOptions& options, const Arguments& arguments) {
    RecognizePseudoHaploids(options);
    const StudyFacts facts = MeasureFacts(job_, RunOutput::kDosages);
    if (job_.output.fields.ad && facts.evidence != Evidence::kReads) {
      throw InputError("impute: --format AD counts the reads of BAM, CRAM or SAM files; remove AD");
    }
    if (facts.IsImputedByNetwork()) return RunNetwork(options, arguments);
    facts.reference == Reference::kStudy ? CheckWithoutPanel(options, job_.output.fields)
                                         : CheckWithLikelihoods(options, job_.output.fields);
    job_.output.header_lines = common_.HeaderLines(arguments);
    if (options.IsGiven("memory")) job_.memory.max_bytes = static_cast<size_t>(memory_);
    common_.Run([](const ImputeJob& contig) { return ImputeFiles(contig, {}); });
  }

  void RunNetwork(const CommandOptions& options, const Arguments& arguments) {
    const std::string path = model_path_.empty() ? ModelsFolder() + "/imputer.safetensors" : model_path_;
    const LoadedModel loaded = LoadModel(path, device_, static_cast<size_t>(memory_), options.IsGiven("memory"), job_);
    if (loaded.model) KeepToCoverage(path, *loaded.model, job_);
    const std::string hash = Sha256OfFile(path);
    LogToFile(fmt::format("model: {}, sha256:{}", path, hash));
    job_.output.header_lines = common_.HeaderLines(arguments);
    job_.output.header_lines.push_back(fmt::format("##haplospin_model=sha256:{}", hash));
    job_.output.header_lines.push_back(fmt::format("##haplospin_model_file={}", QuotedName(path)));
    common_.Run([&](const ImputeJob& contig) { return ImputeFiles(contig, loaded.imputer()); });
  }

  ImputeJob& job_;
  JobArguments common_;
  BgenArguments bgen_;
  std::string wanted_sites_, sites_report_, self_test_path_, self_test_page_;
  std::vector<std::string> hla_proteins_;
  std::string male_dosage_ = "haploid", exclude_markers_, model_path_, device_ = "auto";
  int64_t memory_ = int64_t{4} << 30;
  std::vector<std::string> formats_;
};

}  // namespace

int ImputeCommand(const Arguments& arguments) {
  ImputeJob job;
  ImputeArguments impute(job);
  CommandOptions options("impute",
                         "Imputes the untyped genotypes of a study from a phased reference panel or, without one, "
                         "its missing genotypes from its other samples. A study that is not phased is phased as well.",
                         "haplospin impute --ref panel.bcf --target study.vcf.gz --map chr20.map --out imputed.vcf.gz");
  impute.Declare(options);
  if (!options.Parse(arguments)) return 0;
  impute.Finish(options);
  impute.Run(options, arguments);
  return 0;
}

}  // namespace haplospin
