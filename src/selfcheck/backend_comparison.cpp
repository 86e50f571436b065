#include "selfcheck/backend_comparison.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "genotypes/imputation/plan/window_plan.h"
#include "selfcheck/mosaic.h"

namespace haplospin {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct SimulatedData {
  explicit SimulatedData(const ComparisonOptions& options)
      : mosaic(SimulateMosaic({.haplotypes = options.haplotypes + 2 * options.samples,
                               .markers = options.markers,
                               .founders = 100,
                               .seed = options.seed})),
        panel(MakePanel(mosaic, DiploidSamples("R", options.haplotypes / 2))),
        study(DiploidSamples("S", options.samples), CommonMarkers(panel, 4), truth()) {}

  std::span<const std::vector<uint8_t>> truth() const {
    return std::span(mosaic.alleles).subspan(panel.num_haplotypes(), mosaic.alleles.size() - panel.num_haplotypes());
  }

  Mosaic mosaic;
  HaplotypePanel panel;
  SimulatedStudy study;
};

// Calls visit(haplotype, marker) for each study haplotype at each marker that is not typed.
template <typename Visit>
void ForEachImputed(const SimulatedData& data, const Visit& visit) {
  const std::vector<uint32_t>& typed = data.study.typed;
  for (size_t h = 0; h < data.truth().size(); ++h) {
    for (uint32_t m = 0; m < data.panel.num_markers(); ++m) {
      if (!std::ranges::binary_search(typed, m)) visit(h, m);
    }
  }
}

// The imputed probabilities: [markers, haplotypes].
std::vector<float> Impute(const SimulatedData& data, const CopyingOptions& copying, Backend& backend, BackendRun& run) {
  const GeneticMap map = GeneticMap::Uniform();
  const auto start = Clock::now();
  const PanelWindow window(data.panel, map, data.study.typed, {0, data.panel.num_markers()}, copying);
  const WindowDosages dosages = ImputeWindow(window, data.study.View(), backend);
  run.seconds = SecondsSince(start);
  size_t count = 0;
  std::vector<float> probabilities;
  dosages.alt.CopyColumns(0, data.panel.num_markers(), probabilities);
  ForEachImputed(data, [&](size_t h, uint32_t m) {
    const double difference = probabilities[m * dosages.num_haplotypes() + h] - data.truth()[h][m];
    run.mean_squared_error += difference * difference;
    ++count;
  });
  run.mean_squared_error /= static_cast<double>(std::max<size_t>(1, count));
  return probabilities;
}

}  // namespace

BackendComparison CompareBackends(Backend& first, Backend& second, const ComparisonOptions& options) {
  const SimulatedData data(options);
  BackendComparison result{.typed = data.study.typed.size(), .runs = {}};
  const std::vector<float> a = Impute(data, options.copying, first, result.runs[0]);
  const std::vector<float> b = Impute(data, options.copying, second, result.runs[1]);
  double sum = 0;
  size_t count = 0;
  ForEachImputed(data, [&](size_t h, uint32_t m) {
    const size_t at = m * data.truth().size() + h;
    const double difference = std::abs(a[at] - b[at]);
    result.max_difference = std::max(result.max_difference, difference);
    sum += difference;
    ++count;
  });
  result.mean_difference = sum / static_cast<double>(std::max<size_t>(1, count));
  return result;
}

}  // namespace haplospin
