// haplospin-selfcheck, which `haplospin selfcheck` starts: whether a GPU gives the dosages of the CPU, and how fast.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cli/options/command_options.h"
#include "cli/options/error_report.h"
#include "cli/options/output.h"
#include "core/counted.h"
#include "core/install_paths.h"
#include "core/log.h"
#include "core/output_file.h"
#include "core/safetensors.h"
#include "core/signals.h"
#include "core/threads.h"
#include "genotypes/genomics/instruction_set.h"
#include "genotypes/imputation/backends/cpu_backend.h"
#include "genotypes/imputation/backends/gpu/gpu_backend.h"
#include "haplospin/errors.h"
#include "selfcheck/backend_comparison.h"
#include "selfcheck/kernel_comparison.h"

namespace haplospin {
namespace {

constexpr double kMaxDifference = 1e-4;        // a larger difference of probabilities is more than rounding
constexpr double kMaxKernelDifference = 1e-3;  // logits and shares have larger values
constexpr size_t kMaxSamplesToCompare = 20;

using Differences = std::array<double, kNumKernels>;

// Returns the time of each kernel in the comparison of dosages, and its largest difference from the CPU's function.
std::string KernelText(const std::vector<double>& seconds, const Differences& differences) {
  TextTable table;
  table.AddRow({"kernel", "milliseconds", "largest difference"});
  for (size_t k = 0; k < kNumKernels; ++k) {
    table.AddRow({kKernelNames[k], fmt::format("{:.2f}", 1e3 * seconds[k]), fmt::format("{:.1e}", differences[k])});
  }
  return table.Text();
}

std::string ComparisonText(const Device& gpu, const ComparisonOptions& data, const BackendComparison& result,
                           const BackendComparison& with_few_states, const std::string& kernels) {
  TextTable table;
  const auto add = [&](const std::string& what, const auto& value) {
    table.AddRow({what, value(result.runs[0]), value(result.runs[1])});
  };
  table.AddRow({"", fmt::format("{} threads of the CPU", Threads()), gpu.name()});
  add("seconds", [](const BackendRun& run) { return fmt::format("{:.2f}", run.seconds); });
  add("samples per second",
      [&](const BackendRun& run) { return fmt::format("{:.1f}", static_cast<double>(data.samples) / run.seconds); });
  add("mean squared error", [](const BackendRun& run) { return fmt::format("{:.6f}", run.mean_squared_error); });
  return fmt::format(
      "simulated: {}, {} reference haplotypes, {} markers, {} of them typed\n\n{}\n"
      "mean difference of the ALT probabilities: {:.1e}\n"
      "largest difference in a smaller study with at most {} states: {:.1e}\n\n{}",
      CountedInGroups(data.samples, "sample"), GroupDigits(data.haplotypes), GroupDigits(data.markers),
      GroupDigits(result.typed), table.Text(), result.mean_difference, kMaxCandidates, with_few_states.max_difference,
      kernels);
}

int Selfcheck(const Arguments& arguments) {
  LimitInstructionSetByEnvironment();
  ComparisonOptions data;
  std::string device = "cuda", model = ModelsFolder() + "/imputer.safetensors";
  CommandOptions options(
      "selfcheck",
      "Imputes a simulated study on the CPU and on a GPU, and compares the dosages, each kernel, and the time. "
      "Exit code 1 if they differ.",
      "haplospin selfcheck --device cuda");
  options.Add("samples", "N", &data.samples, "samples of the study", {1, 100000});
  options.Add("model", "FILE", &model, "weights of the imputer");
  options.ShowDefault("model", "the default imputer");
  options.AddSeed(&data.seed);
  options.AddDevice(&device);
  if (!options.Parse(arguments)) return 0;
  if (device == "cpu") throw InputError("selfcheck: --device cpu: a GPU is compared with the CPU; give cuda or cuda:N");

  const ImputerWeights weights = ParseImputerWeights(ReadSafetensors(model));
  const std::shared_ptr<Device> gpu = OpenGpu(device == "auto" ? "cuda" : device);
  const size_t no_limit = std::numeric_limits<size_t>::max();
  const auto compare = [&](const ComparisonOptions& comparison) {
    return CompareBackends(*MakeCpuBackend(weights), *MakeGpuBackend(gpu, weights, no_limit), comparison);
  };
  const BackendComparison result = compare(data);
  const std::vector<double> seconds = gpu->KernelSeconds();
  const BackendComparison with_few_states =
      compare(ComparisonOptions::WithFewStates(std::min(data.samples, kMaxSamplesToCompare), data.seed));
  const Differences differences = CompareKernels(*gpu, weights, data.seed);
  PrintOutput(ComparisonText(*gpu, data, result, with_few_states, KernelText(seconds, differences)));
  if (std::max(result.mean_difference, with_few_states.max_difference) > kMaxDifference) {
    LogError("the dosages of {} differ from those of the CPU by more than {}; please report this", gpu->name(),
             kMaxDifference);
    return 1;
  }
  if (std::ranges::max(differences) > kMaxKernelDifference) {
    LogError("kernels of {} differ from the CPU by more than {}; please report this", gpu->name(),
             kMaxKernelDifference);
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace haplospin

// The arguments are those of `haplospin`: the command's name, then its options.
int main(int argc, char** argv) {
  haplospin::InstallSignalHandlers();
  const haplospin::Arguments arguments(argv + 1, argv + argc);
  return haplospin::RunAndReport([&] { return haplospin::Selfcheck(arguments); });
}
