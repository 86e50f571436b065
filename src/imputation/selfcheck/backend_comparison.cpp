#include "imputation/selfcheck/backend_comparison.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "core/threads.h"
#include "imputation/selfcheck/mosaic.h"
#include "imputation/stage_times.h"
#include "imputation/window_imputer.h"

namespace haplospin {
namespace {

using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::nanoseconds;

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Passes everything on to another computation, and adds the time that it takes to `total`.
class TimedComputation : public NetworkComputation {
 public:
  TimedComputation(std::unique_ptr<NetworkComputation> computation, std::atomic<int64_t>& total)
      : computation_(std::move(computation)), total_(total) {}
  ~TimedComputation() override { total_ += spent_; }

  void AddInterval(const CopyFeatures& features, size_t num_candidates) override {
    Time([&] { computation_->AddInterval(features, num_candidates); });
  }
  void AddMarker(const MarkerFeatures& marker, float regression, const CandidateMask& carriers,
                 float* minor_probability) override {
    Time([&] { computation_->AddMarker(marker, regression, carriers, minor_probability); });
  }
  void Compute() override {
    Time([&] { computation_->Compute(); });
  }

 private:
  template <typename Function>
  void Time(const Function& function) {
    const auto start = Clock::now();
    function();
    spent_ += std::chrono::duration_cast<Nanoseconds>(Clock::now() - start).count();
  }

  std::unique_ptr<NetworkComputation> computation_;
  std::atomic<int64_t>& total_;
  int64_t spent_ = 0;  // nanoseconds
};

class TimedBackend : public NetworkBackend {
 public:
  explicit TimedBackend(NetworkBackend& backend) : backend_(backend) {}

  std::unique_ptr<NetworkComputation> NewComputation() override {
    return std::make_unique<TimedComputation>(backend_.NewComputation(), total_);
  }
  CandidateSearch* candidate_search() override { return backend_.candidate_search(); }
  float panel_share() const override { return backend_.panel_share(); }

  int64_t total() const { return total_; }

 private:
  NetworkBackend& backend_;
  std::atomic<int64_t> total_ = 0;  // nanoseconds of all threads together
};

struct SimulatedData {
  explicit SimulatedData(const ComparisonOptions& options)
      : mosaic(SimulateMosaic({.haplotypes = options.haplotypes + 2 * options.samples,
                               .markers = options.markers,
                               .founders = 100,
                               .seed = options.seed})),
        panel(PanelOf(mosaic, DiploidSamples("R", options.haplotypes / 2))),
        study(DiploidSamples("S", options.samples), CommonMarkers(panel, 4), truth()) {}

  std::span<const std::vector<uint8_t>> truth() const {
    return std::span(mosaic.alleles).subspan(panel.num_haplotypes(), mosaic.alleles.size() - panel.num_haplotypes());
  }

  Mosaic mosaic;
  HaplotypePanel panel;
  SimulatedStudy study;
};

// At each haplotype and marker that is not typed.
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
std::vector<float> Impute(const SimulatedData& data, const CopyingOptions& copying, NetworkBackend& backend,
                          BackendRun& run) {
  const MarkerRange all{0, data.panel.num_markers()};
  TimedBackend timed(backend);
  StageTimes times;
  const auto start = Clock::now();
  const WindowDosages dosages =
      ImputeWindow(data.panel, GeneticMap::Uniform(), data.study.View(), all, timed, copying, {}, &times);
  run.seconds = SecondsSince(start);
  const auto of_each_thread = [](int64_t nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds) / Threads(); };
  run.states_seconds = of_each_thread(times.states);
  run.recursions_seconds = of_each_thread(times.recursions);
  run.networks_seconds = of_each_thread(timed.total());
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

BackendComparison CompareBackends(NetworkBackend& first, NetworkBackend& second, const ComparisonOptions& options) {
  const SimulatedData data(options);
  BackendComparison result{.typed = data.study.typed.size(), .runs = {}};
  const CopyingOptions copying{.states = {.max_states = options.max_states}};
  const std::vector<float> a = Impute(data, copying, first, result.runs[0]);
  const std::vector<float> b = Impute(data, copying, second, result.runs[1]);
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
