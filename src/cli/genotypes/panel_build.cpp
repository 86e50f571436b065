// haplospin panel build: a phased panel as a panel file, with HLA types of its people if there are any.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/genotypes/common_arguments.h"
#include "cli/genotypes/contig_loop.h"
#include "cli/options/command.h"
#include "cli/options/command_options.h"
#include "cli/options/commands.h"
#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/hla/hla_genes.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/imputation/files/contig_files.h"
#include "genotypes/imputation/files/typed_phasing.h"
#include "genotypes/imputation/hla/hla_panel.h"
#include "genotypes/imputation/models/phase_errors/corrected_panel.h"
#include "genotypes/variant_io/genetic_map_file.h"
#include "genotypes/variant_io/hla/hla_types.h"
#include "genotypes/variant_io/reading/completed_panel.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/study_file.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_file.h"
#include "genotypes/variant_io/writing/panel_file_builder.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

void ReportCorrections(const std::string& panel, const PhaseErrorCounts& counts) {
  LogInfo("{}: {} switch error{} corrected ({:.2f} per 1,000 common heterozygotes)", panel, counts.errors,
          counts.errors == 1 ? " was" : "s were",
          1000 * static_cast<double>(counts.errors) / static_cast<double>(std::max<size_t>(counts.hets, 1)));
}

struct HlaTable {
  HlaTypes types;
  HlaGenes places;
};

// The options of --hla.
class HlaArguments {
 public:
  void Declare(CommandOptions& options) {
    options.Group("HLA types");
    options.Add("hla", "FILE", &types_,
                "HLA types of people of the panel, which become a record for each gene: rows with sample, gene and two "
                "alleles, or a sample and all its alleles, or SNP2HLA's .hped");
    options.Add("hla-fields", "N", &fields_, "fields of the alleles that are kept; two of them name a protein", {1, 4});
    options.AddChoice(
        "hla-build", &build_, {"auto", "GRCh36", "GRCh37", "GRCh38", "hg18", "hg19", "hg38"},
        "genome build of the panel, which tells where the genes are; auto: by the length of chromosome 6");
    options.Add("hla-genes", "FILE", &genes_, "a gene and its position per line, for other builds or genes");
  }

  // Call it after parsing. Throws InputError if one of the options is given without --hla.
  void Check(const CommandOptions& options) const {
    if (!IsGiven()) {
      options.Refuse({"hla-fields", "hla-build", "hla-genes"},
                     "panel build: --{0} is for --hla; add that, or remove --{0}");
    }
    if (!genes_.empty() && options.IsGiven("hla-build")) {
      throw InputError("panel build: --hla-genes and --hla-build both say where the genes are; remove one of them");
    }
  }

  bool IsGiven() const { return !types_.empty(); }

  // Reads the table for the people of a panel. Throws InputError for invalid files, and where the places of the genes
  // are not known.
  HlaTable Load(const std::vector<std::string>& samples, const ContigTable& contigs) const {
    if (samples.size() < 2) {
      throw InputError(
          "panel build: --hla needs several samples, which tell each other's haplotypes; give a larger panel");
    }
    HlaGenes places = Places(contigs);
    HlaTypes types = LoadHlaTypes(types_, samples, fields_, places);
    if (types.people_not_in_panel > 0) {
      LogInfo("{}: {} of the table {} not in the panel", types_, Counted(types.people_not_in_panel, "sample"),
              types.people_not_in_panel == 1 ? "is" : "are");
    }
    if (!types.unplaced.empty()) {
      LogWarning("{}: left out, as the positions of these genes are not known: {}; give them as --hla-genes", types_,
                 JoinNames(types.unplaced));
    }
    return {std::move(types), std::move(places)};
  }

 private:
  HlaGenes Places(const ContigTable& contigs) const {
    if (!genes_.empty()) return LoadHlaGenes(genes_);
    const std::string declared = HlaBuild(contigs), build = build_ == "auto" ? declared : build_;
    if (!declared.empty() && HlaGenesOfBuild(declared) != HlaGenesOfBuild(build)) {
      throw InputError(fmt::format(
          "panel build: --hla-build is {}, but chromosome 6 has the length of {}; remove the option", build, declared));
    }
    HlaGenes places = HlaGenesOfBuild(build);
    if (!places.empty()) return places;
    if (build.empty()) {
      throw InputError(
          "panel build: the panel's header does not tell the genome build by the length of chromosome 6; give "
          "--hla-build, or --hla-genes with the positions of the genes");
    }
    throw InputError(
        fmt::format("panel build: the places of the HLA genes in {} are not known; give them as --hla-genes", build));
  }

  std::string types_, build_ = "auto", genes_;
  size_t fields_ = 2;
};

struct BuildInput {
  std::string panel, contig, map;
  bool correct_phase = false, impute_missing = false;
};

void ReportGenes(const HlaPanel& panel) {
  for (const AddedGene& gene : panel.added()) {
    LogInfo("HLA-{}: {}; the types of {} of {} are given, the others imputed", gene.gene,
            Counted(gene.alleles, "allele"), gene.typed, Counted(panel.sample_names().size(), "sample"));
  }
}

void ReportImputed(const std::string& panel, const CompletedPanel::Counts& counts) {
  LogInfo("{}: {} ({:.2g} %) at {}, imputed from the haplotypes that match around", panel,
          Counted(counts.missing, "missing allele"), PercentageOf(counts.missing, counts.alleles),
          Counted(counts.markers, "marker"));
}

// The panel that is converted, and the files and readers that it is made of.
class BuiltPanel {
 public:
  BuiltPanel(std::string path, std::string contig, std::string map)
      : path_(std::move(path)), contig_(std::move(contig)), map_(std::move(map)) {}

  void Open(bool impute_missing) { Start(path_, impute_missing); }

  // An unphased panel is phased first. Whether it is, is told by reading its beginning.
  void OpenWithTypes(const HlaArguments& hla, const BuildInput& input, const std::string& out) {
    CheckReadableTwice(path_);
    std::optional<HlaTable> table;
    if (IsUnphasedPanel(path_)) {
      const StudyReader study(path_);
      table = hla.Load(study.sample_names(), StudyFile(path_, {}).KnownContigs());
      LogInfo("{} is not phased: it is phased together with the types", path_);
      phased_ = PhaseWithTypes(path_, table->types, table->places, map_, out);
      Start(phased_->path(), /*impute_missing=*/false);
    } else {
      Start(path_, input.impute_missing);
      table = hla.Load(reader_->sample_names(), reader_->header_contigs());
    }
    if (input.correct_phase) CorrectPhase();
    auto with_genes = std::make_unique<HlaPanel>(std::move(reader_), std::move(table->types), table->places, map_);
    with_genes_ = with_genes.get();
    reader_ = std::move(with_genes);
  }

  void CorrectPhase() {
    auto corrected = std::make_unique<CorrectedPanel>(std::move(reader_), map_);
    corrected_ = corrected.get();
    reader_ = std::move(corrected);
  }

  void Report() const {
    if (completed_ != nullptr) ReportImputed(path_, completed_->counts());
    if (corrected_ != nullptr) ReportCorrections(path_, corrected_->counts());
    if (with_genes_ != nullptr) ReportGenes(*with_genes_);
  }

  PanelReader& reader() { return *reader_; }

 private:
  void Start(const std::string& path, bool impute_missing) {
    if (impute_missing) {
      auto completed = std::make_unique<CompletedPanel>(OpenPanel(path, PanelHaplotypes::kReadMissing));
      completed_ = completed.get();
      reader_ = std::move(completed);
    } else {
      reader_ = OpenPanel(path);
    }
    if (!contig_.empty()) reader_->Seek({.contig = contig_});
    if (map_.empty()) return;
    CheckMapContigs(map_, contig_.empty() ? reader_->Contigs() : std::vector{*reader_->NextContig()});
  }

  const std::string path_, contig_, map_;
  std::unique_ptr<TemporaryCopy> phased_;
  std::unique_ptr<PanelReader> reader_;
  const CompletedPanel* completed_ = nullptr;
  const CorrectedPanel* corrected_ = nullptr;
  const HlaPanel* with_genes_ = nullptr;
};

int Build(const BuildInput& input, const HlaArguments& hla, const PanelBuildOptions& options, const std::string& out) {
  BuiltPanel built(input.panel, input.contig, input.map);
  if (hla.IsGiven()) {
    built.OpenWithTypes(hla, input, out);
  } else {
    built.Open(input.impute_missing);
    if (input.correct_phase) built.CorrectPhase();
  }
  const PanelFileSummary summary = BuildPanelFile(built.reader(), input.panel, out, options);
  built.Report();
  size_t markers = 0;
  for (const auto& contig : summary.contigs) markers += contig.markers;
  LogInfo("{}: {} of {}, {} bytes", out, Counted(markers, "marker"), Counted(summary.samples, "sample"), summary.bytes);
  return 0;
}

}  // namespace

int PanelBuildCommand(const Arguments& arguments) {
  BuildInput input;
  std::string out;
  HlaArguments hla;
  PanelBuildOptions build;
  CommandOptions options("panel build",
                         "Converts a phased panel to a panel file, which is smaller and loads many times faster; "
                         "all commands that read a panel accept it. A record with several ALT alleles becomes one "
                         "marker per ALT allele. Records without ALT, QUAL, FILTER, and INFO and header that do not "
                         "describe contigs and records (such as SVTYPE and END) are not kept.",
                         "haplospin panel build --panel panel.bcf --out panel.hsp");
  options.Group("Input");
  options.Require(
      "panel", "FILE", &input.panel,
      "phased panel without missing genotypes (VCF, BCF or a panel file; also .bref3, .msav, .m3vcf.gz, .hap); with "
      "--hla also an unphased one (also .bed); panel.chr{contig}.bcf: a panel file for each contig");
  options.AddFlag("impute-missing", &input.impute_missing,
                  "impute the missing alleles of a panel that has a few, each as most of the haplotypes have it that "
                  "match longest around it");
  options.Add("contig", "NAME", &input.contig, "convert only this contig [all]");
  PloidyArguments ploidy;
  ploidy.DeclareRegions(options);
  options.Group("Phase");
  options.AddFlag("correct-phase", &input.correct_phase,
                  "correct switch errors: places from which on the haplotypes of a sample fit those of the other "
                  "samples far better if they are exchanged. Imputation becomes more accurate; the conversion takes "
                  "many times longer");
  options.Add("map,m", "FILE", &input.map,
              "genetic map for --correct-phase and --hla, PLINK or SHAPEIT format [1 cM per Mb]");
  hla.Declare(options);
  options.Group("Output");
  options.Require("out,o", "FILE", &out, "panel file, usually with the extension .hsp");
  options.Add("level", "N", &build.level, "compression level; higher is smaller and slower to build", {1, 19});
  if (!options.Parse(arguments)) return 0;
  CheckPanelFileName(out);
  hla.Check(options);
  if (!input.map.empty() && !input.correct_phase && !hla.IsGiven()) {
    throw InputError("panel build: --map is for --correct-phase and --hla; add one of them, or remove --map");
  }
  if (hla.IsGiven() && HasContigPlace(input.panel)) {
    throw InputError("panel build: --hla is for the panel of chromosome 6; give that file alone");
  }
  build.regions = ploidy.Regions();
  CheckMainHasPlace("panel build", {"panel", &input.panel}, {{"map", &input.map}});
  return ForEachContigOfFiles(
      "panel build", {{"panel", &input.panel}, {"map", &input.map}}, {{"out", &out}},
      [] { return std::vector<std::string>(); }, [&](const std::string&) { return Build(input, hla, build, out); });
}

}  // namespace haplospin
