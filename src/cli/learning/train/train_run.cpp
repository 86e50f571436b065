// The part of haplospin train that is in libhaplospin_torch.
#include "cli/learning/train/train_arguments.h"
#include "core/log.h"
#include "core/threads.h"
#include "genotypes/genomics/sites/site_list.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/site_list_file.h"
#include "haplospin/errors.h"
#include "learning/imputer_training/training_data.h"
#include "learning/nn/device.h"

namespace haplospin {
namespace {

// Reads the panel in the region without the excluded samples.
HaplotypePanel ReadPanel(const TrainTokensArguments& arguments) {
  const Region region = arguments.region.empty() ? Region{} : ParseRegion(arguments.region);
  const auto reader = OpenPanel(arguments.panel);
  if (!arguments.region.empty()) reader->Seek(region);
  MutablePanel panel = reader->StartContig();
  reader->ReadUntil(region.end, panel);
  HaplotypePanel training = WithoutSamples(panel, arguments.panel, arguments.excluded_samples);
  if (training.num_markers() == 0) {
    throw InputError(arguments.panel + ": no polymorphic markers; give another --region, or exclude fewer samples");
  }
  return training;
}

}  // namespace

void RunTrainImputer(TrainImputerArguments arguments) {
  PrepareTraining(arguments.training);
  std::vector<TrainingSource> sources;
  for (const std::string& text : arguments.data) sources.push_back(ParseTrainingSource(text));
  std::vector<TrainingPanel> panels;
  panels.reserve(sources.size());
  for (const TrainingSource& source : sources) {
    panels.push_back(LoadTrainingPanel(source, arguments.excluded_samples));
    LogInfo("{}: {} haplotypes, {} markers", source.panel, panels.back().panel.num_haplotypes(),
            panels.back().panel.num_markers());
  }
  if (TrainImputer(arguments.training, panels)) LogInfo("{}: written", arguments.training.out);
}

void RunTrainTokens(TrainTokensArguments arguments) {
  PrepareTraining(arguments.training);
  SetTorchThreads(Threads());
  const SiteList sites = LoadSiteList(arguments.sites);
  const HaplotypePanel panel = ReadPanel(arguments);
  LogInfo("{}: {} haplotypes, {} markers", arguments.panel, panel.num_haplotypes(), panel.num_markers());
  const TokenTrainingResult result = TrainTokenNetwork(arguments.training, panel, sites);
  if (!result.finished) return;
  LogInfo("{}: written; validation R2 {:.4f} at step {}", arguments.training.out, result.validation_r2,
          result.best_step);
}

}  // namespace haplospin
