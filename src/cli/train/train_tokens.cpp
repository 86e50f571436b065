// haplospin train --arch spin|npt|set-transformer: trains a model of one window, or one for many.
#include <fmt/format.h>

#include "cli/options/training_options.h"
#include "cli/train/train_commands.h"
#include "core/log.h"
#include "core/provenance.h"
#include "core/threads.h"
#include "genomics/sites/site_list.h"
#include "haplospin/errors.h"
#include "imputer_training/training_data.h"
#include "nn/torch_threads.h"
#include "token_imputation/token_trainer.h"
#include "variant_io/reading/panel_reader.h"
#include "variant_io/site_list_file.h"

namespace haplospin {
namespace {

// The panel in the region without the excluded samples.
HaplotypePanel ReadPanel(const std::string& path, const std::string& region_text,
                         const std::unordered_set<std::string>& excluded) {
  const Region region = region_text.empty() ? Region{} : ParseRegion(region_text);
  const auto reader = OpenPanel(path);
  if (!region_text.empty()) reader->Seek(region);
  MutablePanel panel = reader->StartContig();
  reader->ReadUntil(region.end, panel);
  HaplotypePanel training = WithoutSamples(panel, path, excluded);
  if (training.num_markers() == 0) {
    throw InputError(path + ": no polymorphic markers; give another --region, or exclude fewer samples");
  }
  return training;
}

// What the command line says, in the types of the options.
struct TokenArguments {
  TokenTraining training;
  TrainingArguments common{training};
  std::string panel, sites, region, exclude, masking = "chunk";
  int64_t kmer = static_cast<int64_t>(training.network.shape.kmer);
  int64_t inputs = static_cast<int64_t>(training.network.shape.inputs);
  int64_t targets = static_cast<int64_t>(training.network.shape.targets);
  int64_t memory_mib = training.max_bytes >> 20;
};

void DeclareNetwork(CommandOptions& options, TokenArguments& arguments) {
  TokenNetworkOptions& network = arguments.training.network;
  AddArchitecture(options, &network.architecture);
  options.Add("kmer", "K", &arguments.kmer, "markers per token", {1, static_cast<int64_t>(kMaxModelKmer)});
  options.Add("width", "E", &network.width, "embedding width of a token (e)", {1, 4096});
  options.Add("depth", "N", &network.depth, "layers, half of them between haplotypes; even", {2, 256});
  options.Add("heads", "N", &network.heads, "attention heads", {1, 64});
  network.inducing_points = network.latent_attributes = 0;
  options.Add("inducing-points", "H", &network.inducing_points,
              "inducing points (h), not for npt (0: 10, or 512 for spin with many windows)", {0, 100000});
  options.Add("latent-attributes", "F", &network.latent_attributes,
              "latent attributes (f), not for npt (0: 10, or the number of tokens for spin with many windows)",
              {0, 4096});
  options.AddChoice("layers", &network.layers, {"all", "xabd", "xaba", "xaba-within-rows"},
                    "sublayers of SPIN's encoder; xaba-within-rows: the predictor too attends within a haplotype only");
}

void DeclareInput(CommandOptions& options, TokenArguments& arguments) {
  options.Group("Input");
  options.Require("panel", "FILE", &arguments.panel, "phased reference panel (VCF, BCF or a panel file)");
  options.Require("sites", "FILE", &arguments.sites, "sites of the array, a contig and a position per line");
  options.Add("region", "REGION", &arguments.region,
              "CONTIG or CONTIG:FROM-TO from which windows are taken [the first contig]");
  options.Add("exclude-samples", "FILE", &arguments.exclude,
              "file of samples to exclude from training, a name per line");
  options.Group("Windows");
  options.Add("windows", "N", &arguments.training.windows,
              "number of windows: 1 for a model of the window in the middle of the region, more for a shared model",
              {1, 100000});
  options.Add("targets", "N", &arguments.targets, "markers to impute per window", {1, 4096});
  options.Add("inputs", "N", &arguments.inputs, "array sites per window, nearest to the markers to impute", {1, 4096});
}

void DeclareTraining(CommandOptions& options, TokenArguments& arguments) {
  TokenTraining& training = arguments.training;
  options.Group("Training");
  arguments.common.DeclareTraining(options, "of LAMB, flat and then a cosine down to 0");
  options.ShowDefault("learning-rate", "0.005, or 0.002 for many windows");
  options.Add("rows", "N", &training.rows, "haplotypes per step (0: all)", {0, 10000000});
  options.AddChoice("mask", &arguments.masking, {"chunk", "token"},
                    "mask all targets of some haplotypes, or some targets of all haplotypes");
  options.Add("target-mask", "SHARE", &training.target_mask, "fraction of the haplotypes or targets that is masked",
              {0.001, 1});
  options.Add("attribute-mask", "SHARE", &training.attribute_mask, "fraction of the inputs that is masked", {0, 0.9});
  options.Add("tradeoff", "W", &training.tradeoff, "initial weight of the loss of masked inputs; decreases to 0",
              {0, 1});
  options.Add("flat-share", "SHARE", &training.flat_share, "fraction of the steps at the full learning rate",
              {0, 0.99});
  options.Add("clip", "LIMIT", &training.clip, "maximum absolute value of a gradient", {1e-6, 1e6});
  options.Add("dropout", "SHARE", &training.network.dropout, "dropout of attention weights and hidden layers",
              {0, 0.9});
  options.Add("validation-share", "SHARE", &training.validation_share, "fraction of the samples for validation",
              {0.001, 0.5});
  options.Add("memory", "MIB", &arguments.memory_mib, "maximum memory of a step; fewer haplotypes are used if needed",
              {16, int64_t{1} << 24});
  options.AddFlag("bf16", &training.mixed_precision, "matrix products in bfloat16");
}

void Finish(const CommandOptions& options, TokenArguments& arguments) {
  TokenTraining& training = arguments.training;
  TokenNetworkOptions& network = training.network;
  if (network.depth % 2 != 0) throw InputError("train: --depth must be even");
  if (network.width % network.heads != 0) throw InputError("train: --width must be a multiple of --heads");
  network.shape.kmer = static_cast<size_t>(arguments.kmer);
  network.shape.inputs = static_cast<size_t>(arguments.inputs);
  network.shape.targets = static_cast<size_t>(arguments.targets);
  arguments.common.Finish();
  if (training.windows > 1 && !options.IsGiven("learning-rate")) training.learning_rate = 0.002;
  training.masking = arguments.masking == "chunk" ? TokenMasking::kChunk : TokenMasking::kToken;
  training.max_bytes = arguments.memory_mib << 20;
}

}  // namespace

int TrainTokensCommand(const Arguments& command_line, const std::string& architecture) {
  TokenArguments arguments;
  TokenTraining& training = arguments.training;
  CommandOptions options(
      "train", "Trains SPIN, NPT or a Set Transformer to impute windows of a panel from the sites of an array.",
      "haplospin train --arch spin --panel chr20.bcf --sites array.txt --region 20:1000000-1020000 "
      "--out spin.safetensors");
  options.SetHelpCommand("train --arch " + architecture);
  DeclareNetwork(options, arguments);
  DeclareInput(options, arguments);
  DeclareTraining(options, arguments);
  options.Group("Output");
  arguments.common.DeclareOutput(options, "model (safetensors), the best by validation R2");
  options.AddFlag("encode", &training.encode,
                  "store SPIN's inducing points of the panel, so that imputation does not use its haplotypes");
  if (!options.Parse(command_line)) return 0;
  Finish(options, arguments);
  training.provenance =
      MakeProvenance(command_line, fmt::format("panel={},sites={}", arguments.panel, arguments.sites), training.seed);

  SetTorchThreads(Threads());
  const SiteList sites = LoadSiteList(arguments.sites);
  const HaplotypePanel panel = ReadPanel(arguments.panel, arguments.region, ReadNames(arguments.exclude));
  LogInfo("{}: {} haplotypes, {} markers", arguments.panel, panel.num_haplotypes(), panel.num_markers());
  const TokenTrainingResult result = TrainTokenNetwork(training, panel, sites);
  if (result.finished) {
    LogInfo("{}: written; validation R2 {:.4f} at step {}", training.out, result.validation_r2, result.best_step);
  }
  return 0;
}

}  // namespace haplospin
