// haplospin selfcheck: whether LibTorch, on a GPU or the CPU, gives the dosages of the vector kernels, and how fast.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "cli/options/command_options.h"
#include "cli/options/commands.h"
#include "cli/options/output.h"
#include "cli/torch/torch_library.h"
#include "core/group_digits.h"
#include "core/install_paths.h"
#include "core/log.h"
#include "core/output_file.h"
#include "core/safetensors.h"
#include "imputation/imputing/backend_comparison.h"
#include "imputation/imputing/cpu_backend.h"

namespace haplospin {
namespace {

constexpr double kMaxDifference = 1e-4;  // a larger difference of probabilities is more than rounding
constexpr size_t kMaxSamplesToCompare = 20;

std::string ComparisonText(const std::string& device, const ComparisonOptions& data, const BackendComparison& result,
                           const BackendComparison& with_few_states) {
  TextTable table;
  const auto add = [&](const std::string& what, const auto& value) {
    table.AddRow({what, value(result.runs[0]), value(result.runs[1])});
  };
  table.AddRow({"", "vector kernels", "LibTorch on " + device});
  add("seconds", [](const BackendRun& run) { return fmt::format("{:.2f}", run.seconds); });
  add("samples per second",
      [&](const BackendRun& run) { return fmt::format("{:.1f}", static_cast<double>(data.samples) / run.seconds); });
  const auto add_stage = [&](const std::string& what, const auto& seconds) {
    add(what, [&](const BackendRun& run) { return fmt::format("{:.2f}", seconds(run)); });
  };
  add_stage("seconds for states", [](const BackendRun& run) { return run.states_seconds; });
  add_stage("seconds for recursions", [](const BackendRun& run) { return run.recursions_seconds; });
  add_stage("seconds for alleles", [](const BackendRun& run) { return run.alleles_seconds; });
  add("mean squared error", [](const BackendRun& run) { return fmt::format("{:.6f}", run.mean_squared_error); });
  return fmt::format(
      "simulated: {} samples, {} reference haplotypes, {} markers, {} of them typed\n\n{}\n"
      "mean difference of the ALT probabilities: {:.1e}\n"
      "largest difference in a smaller study with at most {} states: {:.1e}\n",
      GroupDigits(data.samples), GroupDigits(data.haplotypes), GroupDigits(data.markers), GroupDigits(result.typed),
      table.Text(), result.mean_difference, kMaxCandidates, with_few_states.max_difference);
}

}  // namespace

int SelfcheckCommand(const Arguments& arguments) {
  ComparisonOptions data;
  std::string device = "auto", model = ModelsFolder() + "/imputer.safetensors";
  CommandOptions options("selfcheck",
                         "Imputes a simulated study with the CPU's vector kernels and with LibTorch, on a GPU if there "
                         "is one, and compares the dosages and the time. Exit code 1 if the dosages differ.",
                         "haplospin selfcheck --device cuda");
  options.Add("samples", "N", &data.samples, "samples of the study", {1, 100000});
  options.Add("model", "FILE", &model, "weights of the imputer");
  options.ShowDefault("model", "the default imputer");
  options.AddSeed(&data.seed);
  options.AddDevice(&device);
  if (!options.Parse(arguments)) return 0;

  const TorchApi& torch = LoadTorchLibrary();
  if (device == "auto") device = torch.sees_cuda_device() ? "cuda" : "cpu";
  const ImputerWeights weights = ParseImputerWeights(ReadSafetensors(model));
  const auto compare = [&](const ComparisonOptions& comparison) {
    return CompareBackends(*MakeCpuBackend(weights),
                           *torch.make_backend(device, weights, std::numeric_limits<size_t>::max()), comparison);
  };
  const BackendComparison result = compare(data);
  const BackendComparison with_few_states =
      compare(ComparisonOptions::WithFewStates(std::min(data.samples, kMaxSamplesToCompare), data.seed));
  PrintOutput(ComparisonText(device, data, result, with_few_states));
  if (std::max(result.mean_difference, with_few_states.max_difference) <= kMaxDifference) return 0;
  LogError("the dosages of LibTorch on {} differ from those of the vector kernels by more than {}; please report this",
           device, kMaxDifference);
  return 1;
}

}  // namespace haplospin
