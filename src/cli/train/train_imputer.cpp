// haplospin train: trains the weights of the default imputer by meta-learning.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options/command_options.h"
#include "cli/options/training_options.h"
#include "cli/train/train_commands.h"
#include "core/log.h"
#include "core/provenance.h"
#include "haplospin/errors.h"
#include "imputer_training/imputer_trainer.h"

namespace haplospin {

int TrainImputerCommand(const Arguments& arguments) {
  ImputerTraining training;
  std::vector<std::string> data;
  std::string exclude, architecture = "imputer";
  TrainingArguments common(training);
  int64_t stretch = static_cast<int64_t>(training.episodes.stretch);
  CommandOptions options(
      "train",
      "Trains the imputer's weights by meta-learning: haplotypes of phased panels are imputed from the other "
      "haplotypes. Another "
      "architecture has options of its own: haplospin train --arch spin --help",
      "haplospin train --data panel=chr20.bcf,map=chr20.map,sites=array.txt --out imputer.safetensors");
  AddArchitecture(options, &architecture);
  options.Group("Input");
  options.Require("data", "FILES", &data,
                  "panel=FILE[,map=FILE][,sites=FILE]...: a phased panel, its genetic map, and site lists of arrays "
                  "(random arrays are used too)");
  options.Add("exclude-samples", "FILE", &exclude, "file of samples to exclude from training, a name per line");
  options.Add("start", "FILE", &training.start, "weights to start from, instead of the Li-Stephens model");
  options.Group("Training");
  common.DeclareTraining(options, "maximum learning rate of the cycle");
  options.Add("samples-per-step", "N", &training.samples_per_step, "samples imputed per step", {1, 4096});
  options.Add("stretches", "N", &training.stretches, "segments of each haplotype per step", {1, 1024});
  options.Add("stretch", "N", &stretch, "intervals of a segment", {1, 100000});
  options.Add("tasks", "N", &training.tasks, "number of tasks (sub-panels with arrays) in memory", {1, 1024});
  options.Add("task-steps", "N", &training.task_steps, "steps after which the oldest task is replaced", {1, 1000000});
  options.Add("copy-hidden", "N", &training.copy_hidden, "width of the attention network", {4, 128});
  options.Add("allele-hidden", "N", &training.allele_hidden, "width of the allele network", {4, 128});
  options.Add("squared-error-weight", "W", &training.squared_error_weight,
              "the loss is cross-entropy + W x squared error", {0, 1000});
  options.AddFlag(
      "relative-loss", &training.relative_loss,
      "measure the loss of each task relative to that of the Li-Stephens model, so that panels with few errors "
      "count as much as others");
  options.Add("clean-share", "SHARE", &training.episodes.clean_share,
              "fraction of the tasks whose targets have no wrong alleles and no switch errors", {0, 1});
  options.Group("Output");
  common.DeclareOutput(options, "weights (safetensors)");
  if (!options.Parse(arguments)) return 0;
  if (training.copy_hidden % 4 != 0 || training.allele_hidden % 4 != 0) {
    throw InputError("train: --copy-hidden and --allele-hidden must be multiples of 4");
  }
  common.Finish();
  std::vector<TrainingSource> sources;
  for (const std::string& text : data) sources.push_back(ParseTrainingSource(text));
  const std::unordered_set<std::string> excluded = ReadNames(exclude);

  training.episodes.stretch = static_cast<size_t>(stretch);
  training.provenance = MakeProvenance(arguments, fmt::format("{}", fmt::join(data, " ")), training.seed);
  std::vector<TrainingPanel> panels;
  panels.reserve(sources.size());
  for (const TrainingSource& source : sources) {
    panels.push_back(LoadTrainingPanel(source, excluded));
    LogInfo("{}: {} haplotypes, {} markers", source.panel, panels.back().panel.num_haplotypes(),
            panels.back().panel.num_markers());
  }
  if (TrainImputer(training, panels)) LogInfo("{}: written", training.out);
  return 0;
}

}  // namespace haplospin
