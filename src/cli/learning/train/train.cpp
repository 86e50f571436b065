// haplospin train: the options of each architecture.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/learning/torch/torch_library.h"
#include "cli/learning/train/train_arguments.h"
#include "cli/options/commands.h"
#include "cli/options/name_list.h"
#include "cli/options/training_options.h"
#include "core/provenance.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr char kImputer[] = "imputer";

// The imputer, and the networks for windows of tokens.
std::vector<std::string> TrainableNames() {
  std::vector<std::string> names = WindowArchitectureNames();
  names.insert(names.begin(), kImputer);
  return names;
}

// The value of --arch, before the options are parsed.
std::string RequestedArchitecture(const Arguments& arguments) {
  const std::string name = "--arch";
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == name && i + 1 < arguments.size()) return arguments[i + 1];
    if (arguments[i].starts_with(name + "=")) return arguments[i].substr(name.size() + 1);
  }
  return kImputer;
}

// The option by which TrainCommand() has chosen the other options.
void AddArchitecture(CommandOptions& options, std::string* architecture) {
  options.Group("Architecture");
  options.AddChoice("arch", architecture, TrainableNames(), "architecture to train; each has its own options");
}

void AddExcludedSamples(CommandOptions& options, std::string* path) {
  options.Add("exclude-samples", "FILE", path, "file of samples to exclude from training, a name per line");
}

std::unordered_set<std::string> ReadExcludedSamples(const std::string& path) {
  if (path.empty()) return {};
  const std::vector<std::string> names = ReadSampleNames(path);
  return {names.begin(), names.end()};
}

int TrainImputerCommand(const Arguments& command_line) {
  TrainImputerArguments arguments;
  ImputerTraining& training = arguments.training;
  std::string exclude, architecture = kImputer;
  CommandOptions options(
      "train",
      "Trains the imputer's weights by meta-learning: haplotypes of phased panels are imputed from the other "
      "haplotypes. Another "
      "architecture has options of its own: haplospin train --arch spin --help",
      "haplospin train --data panel=chr20.bcf,map=chr20.map,sites=array.txt --out imputer.safetensors");
  AddArchitecture(options, &architecture);
  options.Group("Input");
  options.Require("data", "FILES", &arguments.data,
                  "panel=FILE[,map=FILE][,sites=FILE]...: a phased panel, its genetic map, and site lists of arrays "
                  "(random arrays are used too)");
  AddExcludedSamples(options, &exclude);
  options.Add("start", "FILE", &training.start, "weights to start from, instead of the Li-Stephens model");
  options.Group("Training");
  DeclareTraining(options, training, "maximum learning rate of the cycle");
  options.Add("samples-per-step", "N", &training.samples_per_step, "samples imputed per step", {1, 4096});
  options.Add("stretches", "N", &training.stretches, "segments of each haplotype per step", {1, 1024});
  options.Add("tasks", "N", &training.tasks, "number of tasks (sub-panels with arrays) in memory", {1, 1024});
  options.Add("copy-hidden", "N", &training.copy_hidden, "width of the attention network", {4, 128});
  options.Add("squared-error-weight", "W", &training.squared_error_weight,
              "the loss is cross-entropy + W x squared error", {0, 1000});
  options.AddFlag(
      "relative-loss", &training.relative_loss,
      "measure the loss of each task relative to that of the Li-Stephens model, so that panels with few errors "
      "count as much as others");
  options.Add("clean-share", "SHARE", &training.episodes.clean_share,
              "fraction of the tasks whose targets have no wrong alleles and no switch errors", {0, 1});
  options.Group("Output");
  DeclareTrainingOutput(options, training, "weights (safetensors)");
  const TorchApi* torch = ParseAndLoad(options, command_line);
  if (torch == nullptr) return 0;
  if (training.copy_hidden % 4 != 0) throw InputError("train: --copy-hidden must be a multiple of 4");
  training.provenance = MakeProvenance(command_line, fmt::format("{}", fmt::join(arguments.data, " ")), training.seed);
  arguments.excluded_samples = ReadExcludedSamples(exclude);
  torch->train_imputer(std::move(arguments));
  return 0;
}

void DeclareNetwork(CommandOptions& options, TokenNetworkOptions& network) {
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

void DeclareTokenTraining(CommandOptions& options, TokenTraining& training, std::string* masking, int64_t* memory_mib) {
  options.Group("Training");
  DeclareTraining(options, training, "of LAMB, flat and then a cosine down to 0");
  options.ShowDefault("learning-rate", "0.005, or 0.002 for many windows");
  options.Add("rows", "N", &training.rows, "haplotypes per step (0: all)", {0, 10000000});
  options.AddChoice("mask", masking, {"chunk", "token"},
                    "mask all targets of some haplotypes, or some targets of all haplotypes");
  options.Add("target-mask", "SHARE", &training.target_mask, "fraction of the haplotypes or targets that is masked",
              {0.001, 1});
  options.Add("tradeoff", "W", &training.tradeoff, "initial weight of the loss of masked inputs; decreases to 0",
              {0, 1});
  options.Add("flat-share", "SHARE", &training.flat_share, "fraction of the steps at the full learning rate",
              {0, 0.99});
  options.Add("clip", "LIMIT", &training.clip, "maximum absolute value of a gradient", {1e-6, 1e6});
  options.Add("dropout", "SHARE", &training.network.dropout, "dropout of attention weights and hidden layers",
              {0, 0.9});
  options.Add("validation-share", "SHARE", &training.validation_share, "fraction of the samples for validation",
              {0.001, 0.5});
  options.Add("memory", "MIB", memory_mib, "maximum memory of a step; fewer haplotypes are used if needed",
              {16, int64_t{1} << 24});
  options.AddFlag("bf16", &training.mixed_precision, "matrix products in bfloat16");
}

int TrainTokensCommand(const Arguments& command_line, const std::string& architecture) {
  TrainTokensArguments arguments;
  TokenTraining& training = arguments.training;
  TokenShape& shape = training.network.shape;
  std::string exclude, masking = "chunk";
  int64_t memory_mib = training.max_bytes >> 20;
  CommandOptions options(
      "train", "Trains SPIN, NPT or a Set Transformer to impute windows of a panel from the sites of an array.",
      "haplospin train --arch spin --panel chr20.bcf --sites array.txt --region 20:1000000-1020000 "
      "--out spin.safetensors");
  options.SetHelpCommand("train --arch " + architecture);
  AddArchitecture(options, &training.network.architecture);
  options.Add("kmer", "K", &shape.kmer, "markers per token", {1, kMaxModelKmer});
  DeclareNetwork(options, training.network);
  options.Group("Input");
  options.Require("panel", "FILE", &arguments.panel, "phased reference panel (VCF, BCF or a panel file)");
  options.Require("sites", "FILE", &arguments.sites, "sites of the array, a contig and a position per line");
  options.Add("region", "REGION", &arguments.region,
              "CONTIG or CONTIG:FROM-TO from which windows are taken [the first contig]");
  AddExcludedSamples(options, &exclude);
  options.Group("Windows");
  options.Add("windows", "N", &training.windows,
              "number of windows: 1 for a model of the window in the middle of the region, more for a shared model",
              {1, 100000});
  options.Add("targets", "N", &shape.targets, "markers to impute per window", {1, 4096});
  options.Add("inputs", "N", &shape.inputs, "array sites per window, nearest to the markers to impute", {1, 4096});
  DeclareTokenTraining(options, training, &masking, &memory_mib);
  options.Group("Output");
  DeclareTrainingOutput(options, training, "model (safetensors), the best by validation R2");
  options.AddFlag("encode", &training.encode,
                  "store SPIN's inducing points of the panel, so that imputation does not use its haplotypes");
  const TorchApi* torch = ParseAndLoad(options, command_line);
  if (torch == nullptr) return 0;
  if (training.network.depth % 2 != 0) throw InputError("train: --depth must be even");
  if (training.network.width % training.network.heads != 0) {
    throw InputError("train: --width must be a multiple of --heads");
  }
  if (training.windows > 1 && !options.IsGiven("learning-rate")) training.learning_rate = 0.002;
  training.masking = masking == "chunk" ? TokenMasking::kChunk : TokenMasking::kToken;
  training.max_bytes = memory_mib << 20;
  training.provenance =
      MakeProvenance(command_line, fmt::format("panel={},sites={}", arguments.panel, arguments.sites), training.seed);
  arguments.excluded_samples = ReadExcludedSamples(exclude);
  torch->train_tokens(std::move(arguments));
  return 0;
}

}  // namespace

int TrainCommand(const Arguments& arguments) {
  const std::string architecture = RequestedArchitecture(arguments);
  const std::vector<std::string> names = TrainableNames();
  if (architecture == kImputer) return TrainImputerCommand(arguments);
  if (std::ranges::find(names, architecture) != names.end()) return TrainTokensCommand(arguments, architecture);
  throw InputError(fmt::format("train: --arch is '{}', but must be one of {} (see haplospin train --help)",
                               architecture, fmt::join(names, ", ")));
}

}  // namespace haplospin
