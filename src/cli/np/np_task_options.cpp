#include "cli/np/np_task_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/log.h"
#include "haplospin/errors.h"
#include "processes/csv_tasks.h"
#include "processes/gp_tasks.h"
#include "processes/image_files.h"
#include "processes/image_tasks.h"
#include "processes/kolmogorov_tasks.h"

namespace haplospin {
namespace {

// The share of a flow's trajectories that is trained on; the others are tested on.
constexpr double kTrainingTrajectories = 0.8;

struct OptionOfTasks {
  const char* option;
  std::vector<std::string> tasks;
};

const std::vector<OptionOfTasks>& OptionsOfTasks() {
  static const std::vector<OptionOfTasks> options = {{"setting", {"gp"}},
                                                     {"kernels", {"gp"}},
                                                     {"lengthscale", {"gp"}},
                                                     {"scale", {"gp"}},
                                                     {"gp-noise", {"gp"}},
                                                     {"inputs", {"gp"}},
                                                     {"standardize", {"gp"}},
                                                     {"shift", {"gp"}},
                                                     {"bimodal", {"gp"}},
                                                     {"context-x", {"gp"}},
                                                     {"target-x", {"gp"}},
                                                     {"targets-per-task", {"gp"}},
                                                     {"context-points", {"gp", "kolmogorov"}},
                                                     {"images", {"image"}},
                                                     {"downsample", {"image"}},
                                                     {"no-translation", {"image"}},
                                                     {"flow", {"kolmogorov"}},
                                                     {"region", {"kolmogorov"}},
                                                     {"max-targets", {"image", "kolmogorov"}},
                                                     {"context-share", {"image", "csv"}},
                                                     {"data", {"csv"}},
                                                     {"x", {"csv"}},
                                                     {"y", {"csv"}},
                                                     {"group", {"csv"}},
                                                     {"hold-out", {"csv"}},
                                                     {"max-points", {"csv"}}};
  return options;
}

GpTaskOptions GpOptions(const TaskArguments& a) {
  GpTaskOptions gp = a.setting == "ipnp" ? GpTaskOptions::Ipnp() : GpTaskOptions();
  if (!a.kernels.empty()) {
    gp.kernels.clear();
    for (const std::string& name : SplitList(a.kernels)) gp.kernels.push_back(ParseGpKernel(name));
  }
  if (!a.lengthscale.empty()) gp.lengthscale = ParseRealRange(a.lengthscale, "lengthscale");
  if (!a.scale.empty()) gp.scale = ParseRealRange(a.scale, "scale");
  if (!a.noise.empty()) gp.noise = ParseRealRange(a.noise, "gp-noise");
  if (!a.context.empty()) gp.context = ParseIntegerRange(a.context, "context-points");
  if (!a.targets.empty()) gp.targets = ParseIntegerRange(a.targets, "targets-per-task");
  if (!a.context_x.empty()) gp.context_x = ParseRealRange(a.context_x, "context-x");
  if (!a.target_x.empty()) gp.target_x = ParseRealRange(a.target_x, "target-x");
  gp.inputs = a.inputs;
  gp.bimodal = a.bimodal;
  gp.standardize = a.standardize;
  gp.shift = a.shift;
  return gp;
}

torch::Tensor ReadAllImages(const std::string& list) {
  std::vector<torch::Tensor> images;
  for (const std::string& path : SplitList(list)) {
    images.push_back(ReadImages(path));
    if (images.back().sizes().slice(1) != images.front().sizes().slice(1)) {
      throw InputError(path + ": its images have a different size from those before");
    }
  }
  return torch::cat(images);
}

// The first 80 % of the images are trained on, the rest tested on.
torch::Tensor PartOfImages(const torch::Tensor& images, bool for_training) {
  const int64_t count = images.size(0);
  const auto split = static_cast<int64_t>(std::llround(kTrainingTrajectories * static_cast<double>(count)));
  const torch::Tensor part = for_training ? images.narrow(0, 0, split) : images.narrow(0, split, count - split);
  if (part.size(0) == 0) throw InputError(fmt::format("{} images are not enough: a fifth is kept for testing", count));
  return part;
}

void Require(const std::string& value, const char* option, const std::string& task) {
  if (value.empty()) throw InputError(fmt::format("--task {} needs --{}", task, option));
}

}  // namespace

void TaskArguments::Declare(CommandOptions& options, bool for_training) {
  options.Group("Tasks");
  options.AddChoice("task", &task, {"gp", "image", "kolmogorov", "csv"},
                    "functions from Gaussian processes, image completion, velocities of a flow, or a table");
  DeclareGp(options);
  DeclareImage(options);
  options.Group("--task kolmogorov");
  options.Add("flow", "FILE", &flow, "trajectories (haplospin np simulate); the last fifth is for testing");
  options.Add("region", "N", &region, "points of a task along time and along each side", {2, 256});
  options.Add("max-targets", "N", &max_targets, "maximum number of targets of a task, also with --task image (0: all)",
              {0, 100000000});
  options.Group("--task csv");
  options.Add("data", "FILE", &data, "table (CSV or TSV, plain or gzipped)");
  columns.Declare(options, for_training);
  options.Add("hold-out", "SHARE", &hold_out, "fraction of the groups kept for evaluate; the same groups in each run",
              {0, 0.9});
  options.Add("max-points", "N", &max_points, "maximum number of rows of a group in a task (0: all)", {0, 100000000});
}

void TaskArguments::DeclareGp(CommandOptions& options) {
  options.Group("--task gp");
  options.AddChoice("setting", &setting, {"te-tnp", "ipnp"}, "published setting; the options below override it");
  options.Add("kernels", "NAMES", &kernels, "kernels (se, periodic, matern52, linear), separated by commas");
  options.Add("lengthscale", "LOW,HIGH", &lengthscale, "lengthscales; of the periodic kernel, periods");
  options.Add("scale", "LOW,HIGH", &scale, "standard deviations of the functions");
  options.Add("gp-noise", "LOW,HIGH", &noise, "standard deviations of the observation noise");
  options.Add("inputs", "N", &inputs, "number of inputs", {1, 64});
  options.Add("context-x", "LOW,HIGH", &context_x, "range of the context inputs");
  options.Add("target-x", "LOW,HIGH", &target_x, "range of the target inputs");
  options.Add("targets-per-task", "LOW,HIGH", &targets, "numbers of targets");
  options.Add("shift", "DELTA", &shift, "shift added to all inputs", {-1e6, 1e6});
  options.AddFlag("bimodal", &bimodal, "inputs from -4 to -1 and from 1 to 4 instead");
  options.AddFlag("standardize", &standardize,
                  "scale each task as np predict does: context outputs to mean 0 and standard deviation 1");
  options.Add("context-points", "LOW,HIGH", &context, "numbers of context points; also with --task kolmogorov");
}

void TaskArguments::DeclareImage(CommandOptions& options) {
  options.Group("--task image");
  options.Add("images", "PATHS", &images,
              "idx files or folders of PNG files, separated by commas; the last fifth of the images is for testing");
  options.Add("downsample", "N", &downsample, "downsampling: means over squares of N x N pixels", {1, 64});
  options.AddFlag("no-translation", &no_translation, "no random translation on a canvas of twice the size");
  options.Add("context-share", "LOW,HIGH", &share,
              "fraction of the pixels, or of the rows of a group with --task csv, that is context");
}

void TaskArguments::CheckGiven(const CommandOptions& options) const {
  for (const OptionOfTasks& entry : OptionsOfTasks()) {
    if (!options.IsGiven(entry.option)) continue;
    if (std::ranges::find(entry.tasks, task) == entry.tasks.end()) {
      throw InputError(
          fmt::format("--{} belongs to --task {}, not to --task {}", entry.option, entry.tasks.front(), task));
    }
  }
}

std::unique_ptr<TaskSource> TaskArguments::MakeSource(const CommandOptions& options, bool for_training,
                                                      const ProcessModel* model) const {
  CheckGiven(options);
  if (task == "gp") return std::make_unique<GpTasks>(GpOptions(*this));
  if (task == "image") return MakeImageTasks(for_training);
  if (task == "kolmogorov") return MakeKolmogorovTasks(for_training);
  return MakeCsvTasks(options, for_training, model);
}

std::unique_ptr<TaskSource> TaskArguments::MakeImageTasks(bool for_training) const {
  Require(images, "images", task);
  ImageTaskOptions image{.downsample = downsample, .translate = !no_translation, .max_targets = max_targets};
  if (!share.empty()) image.context = ParseRealRange(share, "context-share");
  return std::make_unique<ImageTasks>(PartOfImages(ReadAllImages(images), for_training), image);
}

std::unique_ptr<TaskSource> TaskArguments::MakeKolmogorovTasks(bool for_training) const {
  Require(flow, "flow", task);
  KolmogorovTaskOptions cut{.region = region, .max_targets = max_targets};
  if (!context.empty()) cut.context = ParseIntegerRange(context, "context-points");
  cut.trajectories = for_training ? RealRange{0, kTrainingTrajectories} : RealRange{kTrainingTrajectories, 1};
  return std::make_unique<KolmogorovTasks>(ReadTrajectories(flow), cut);
}

std::unique_ptr<TaskSource> TaskArguments::MakeCsvTasks(const CommandOptions& options, bool for_training,
                                                        const ProcessModel* model) const {
  Require(data, "data", task);
  PointColumns names = columns.Columns();
  if (model != nullptr && !model->columns.x.empty()) {
    if (!options.IsGiven("x")) names.x = model->columns.x;
    if (!options.IsGiven("y")) names.y = model->columns.y;
    if (!options.IsGiven("group")) names.group = model->columns.group;
  }
  if (names.x.empty() || names.y.empty()) throw InputError("--task csv needs at least one column in --x and in --y");
  const PointTable table = ReadPoints(data, names);
  if (table.left_out > 0) LogWarning("{}: {} rows with missing values are omitted", data, table.left_out);
  CsvTaskOptions csv{.max_points = max_points,
                     .hold_out = hold_out,
                     .part = names.group.empty() || hold_out == 0 ? GroupPart::kAll
                             : for_training                       ? GroupPart::kTraining
                                                                  : GroupPart::kHeldOut};
  if (!share.empty()) csv.context = ParseRealRange(share, "context-share");
  const bool fixed = model != nullptr && model->scaling == ScalingKind::kFixed;
  auto tasks = std::make_unique<CsvTasks>(table, names, csv, fixed ? &model->fixed : nullptr);
  if (for_training && tasks->num_groups() < 2) {
    throw InputError(
        fmt::format("{}: {} group{} of rows to train on, but a neural process learns from many: name the column that "
                    "tells them apart with --group; to "
                    "predict from one group, use haplospin np predict with --model gp or the default weights",
                    data, tasks->num_groups(), tasks->num_groups() == 1 ? "" : "s"));
  }
  if (tasks->num_left_out() > 0) {
    LogWarning("{}: {} groups of one row are omitted; a task needs two rows", data, tasks->num_left_out());
  }
  return tasks;
}

size_t TaskArguments::Inputs() const {
  if (task == "csv") return columns.Columns().x.size();
  return task == "gp" ? static_cast<size_t>(inputs) : 1;
}

std::string TaskArguments::Source() const {
  for (const std::string& file : {data, images, flow}) {
    if (!file.empty()) return file;
  }
  return task;
}

}  // namespace haplospin
