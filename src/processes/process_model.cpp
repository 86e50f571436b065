#include "processes/process_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "haplospin/errors.h"
#include "nn/tensor_file.h"

namespace haplospin {
namespace {

constexpr const char* kFormat = "haplospin-process";
constexpr const char* kVersion = "1";
const std::array<const char*, 3> kScalingNames = {"context", "fixed", "none"};
constexpr int64_t kRangeBatches = 16, kRangeTasks = 2;

template <typename Model, typename Visit>
void VisitData(Model& model, const Visit& visit) {
  visit("x_low", model.x_low);
  visit("x_high", model.x_high);
  visit("x_names", model.columns.x);
  visit("y_names", model.columns.y);
  visit("group", model.columns.group);
  visit("x_centre", model.fixed.x_centre);
  visit("x_scale", model.fixed.x_scale);
  visit("y_centre", model.fixed.y_centre);
  visit("y_scale", model.fixed.y_scale);
}

bool AreScales(const std::vector<double>& scales) {
  return std::ranges::all_of(scales, [](double s) { return std::isfinite(s) && s > 0; });
}

bool IsConsistent(const ProcessModel& model) {
  const auto dx = static_cast<size_t>(model.options.dx), dy = static_cast<size_t>(model.options.dy);
  const auto fits = [](size_t size, size_t wanted, bool required) {
    return size == wanted || (!required && size == 0);
  };
  const bool fixed = model.scaling == ScalingKind::kFixed;
  return fits(model.x_low.size(), dx, true) && fits(model.x_high.size(), dx, true) &&
         fits(model.columns.x.size(), dx, false) && fits(model.columns.y.size(), dy, false) &&
         fits(model.fixed.x_centre.size(), dx, fixed) && fits(model.fixed.x_scale.size(), dx, fixed) &&
         fits(model.fixed.y_centre.size(), dy, fixed) && fits(model.fixed.y_scale.size(), dy, fixed) &&
         AreScales(model.fixed.x_scale) && AreScales(model.fixed.y_scale);
}

void ReadData(const std::string& text, const std::string& path, ProcessModel& model) {
  bool good = false;
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    VisitData(model, [&](const char* name, auto& field) { json.at(name).get_to(field); });
    const auto kind = std::ranges::find(kScalingNames, json.at("scaling").get<std::string>());
    good = kind != kScalingNames.end();
    if (good) model.scaling = static_cast<ScalingKind>(kind - kScalingNames.begin());
  } catch (const nlohmann::json::exception&) {
    good = false;
  }
  if (!good || !IsConsistent(model)) {
    throw InputError(path + ": its description of the data cannot be read; the file is damaged");
  }
}

// Building a network takes what its options say; a damaged file must not make that more than the file could fill.
void CheckAgainstSize(const ProcessOptions& options, const NamedTensors& tensors, const std::string& path) {
  int64_t values = 0;
  for (const auto& [name, tensor] : tensors) values += tensor.numel();
  const auto has = [&](const char* part) { return options.model.find(part) != std::string::npos; };
  int64_t needed = options.width * options.width;
  if (has("pt-tnp") || has("lbanp")) needed = std::max(needed, options.pseudo_tokens * options.width);
  if (has("ipnp")) needed = std::max(needed, options.inducing_points * options.width);
  if (has("te-")) needed = std::max(needed, options.kernel_width * options.kernel_width);
  const bool too_deep = (has("tnp") || has("lbanp")) && options.layers > static_cast<int64_t>(tensors.size());
  if (needed > values || too_deep) {
    throw InputError(path + ": its description is of a larger network than it holds; the file is damaged");
  }
}

}  // namespace

void WriteProcessModel(const std::string& path, const ProcessModel& model) {
  nlohmann::json data;
  VisitData(model, [&](const char* name, const auto& field) { data[name] = field; });
  data["scaling"] = kScalingNames.at(static_cast<size_t>(model.scaling));
  std::map<std::string, std::string> metadata = model.metadata;
  metadata.insert_or_assign("format", std::string(kFormat));
  metadata.insert_or_assign("version", std::string(kVersion));
  metadata.insert_or_assign("options", ProcessOptionsToJson(model.options));
  metadata.insert_or_assign("data", data.dump());
  WriteTensorFile(path, ModuleState(*model.network), metadata);
}

ProcessModel ReadProcessModel(const std::string& path) {
  const Safetensors file = ReadSafetensors(path);
  if (file.Metadata("format") != kFormat) throw InputError(path + ": not the weights of a neural process");
  if (file.Metadata("version") != kVersion) {
    throw InputError(fmt::format("{}: of version {}, but this program reads version {}; train it again", path,
                                 file.Metadata("version"), kVersion));
  }
  ProcessModel model;
  model.metadata = file.metadata;
  model.options = ProcessOptionsFromJson(file.Metadata("options"), path);
  ReadData(file.Metadata("data"), path, model);
  const NamedTensors tensors = FileTensors(file);
  CheckAgainstSize(model.options, tensors, path);
  model.network = MakeNeuralProcess(model.options);
  LoadModuleState(*model.network, tensors, path);
  model.network->eval();
  return model;
}

void SetTrainedRange(const TaskSource& source, uint64_t seed, ProcessModel& model) {
  model.x_low.assign(static_cast<size_t>(source.dx()), std::numeric_limits<double>::infinity());
  model.x_high.assign(static_cast<size_t>(source.dx()), -std::numeric_limits<double>::infinity());
  for (int64_t batch = 0; batch < kRangeBatches; ++batch) {
    RandomStream random = BatchStream(seed, TaskStream::kTraining, batch);
    for (const ProcessTasks& tasks : source.Draw(kRangeTasks, random)) {
      const torch::Tensor x = torch::cat({tasks.context_x, tasks.target_x}, 1).flatten(0, 1);
      for (int64_t c = 0; c < source.dx(); ++c) {
        const auto at = static_cast<size_t>(c);
        model.x_low[at] = std::min(model.x_low[at], x.select(1, c).min().item<double>());
        model.x_high[at] = std::max(model.x_high[at], x.select(1, c).max().item<double>());
      }
    }
  }
}

}  // namespace haplospin
