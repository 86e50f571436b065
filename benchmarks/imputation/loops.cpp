// The loops that take most of the time of `haplospin impute`, one by one on one thread, and what the machine can do at
// best. `flops` are floating-point additions and multiplications per second, `bytes` what is read and written per
// second, in cache or not.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/install_paths.h"
#include "core/random.h"
#include "genotypes/imputation/models/copying/copy_candidates.h"
#include "genotypes/imputation/models/copying/copying_kernels.h"
#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/copying/match_features.h"
#include "genotypes/imputation/models/network/marker_regression.h"
#include "genotypes/imputation/models/network/network_kernels.h"
#include "genotypes/imputation/models/network/window_alleles.h"
#include "haplospin/genetic_map.h"
#include "imputation/machine_peaks.h"
#include "selfcheck/mosaic.h"

namespace haplospin {
namespace {

using benchmark::Counter;
using benchmark::State;

// Counts the operations and bytes of one iteration.
void Count(State& state, double operations, double bytes) {
  if (operations > 0) state.counters["flops"] = Counter(operations, Counter::kIsIterationInvariantRate);
  if (bytes > 0) {
    state.counters["bytes"] = Counter(bytes, Counter::kIsIterationInvariantRate, Counter::kIs1024);
  }
}

std::vector<float> RandomFloats(size_t count) {
  RandomStream random(1);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.Uniform());
  return values;
}

std::vector<uint64_t> RandomBits(size_t words) {
  RandomStream random(2);
  std::vector<uint64_t> bits(words);
  for (uint64_t& word : bits) word = random();
  return bits;
}

// --- The machine.

void PeakMultiplyAdd(State& state) {
  constexpr size_t kSteps = 10'000;
  for (auto _ : state) benchmark::DoNotOptimize(MultiplyAdd(kSteps));
  Count(state, static_cast<double>(kSteps * MultiplyAddOperations()), 0);
}
BENCHMARK(PeakMultiplyAdd);

void PeakRead(State& state) {
  const std::vector<float> values = RandomFloats(static_cast<size_t>(state.range(0)) / sizeof(float));
  for (auto _ : state) benchmark::DoNotOptimize(ReadAll(values.data(), values.size()));
  Count(state, 0, static_cast<double>(state.range(0)));
}
BENCHMARK(PeakRead)->Arg(16 << 10)->Arg(256 << 10)->Arg(4 << 20)->Arg(256 << 20);

// --- The Li-Stephens recursions, over the states of a target.

constexpr size_t kStates = 1024;

void RecursionStep(State& state) {
  const std::vector<uint64_t> bits = RandomBits(kStates / 64);
  const std::vector<float> in = RandomFloats(kStates);
  std::vector<float> out(kStates);
  const CopyStep step{.keep = 0.999f, .jump = 1e-6f, .match = 0.999f, .mismatch = 0.001f};
  for (auto _ : state) {
    benchmark::DoNotOptimize(RunCopyStep(step, bits.data(), true, kStates, in.data(), out.data()));
    benchmark::ClobberMemory();
  }
  Count(state, 4.0 * kStates, 8.125 * kStates);
}
BENCHMARK(RecursionStep);

void ProductsOfStates(State& state) {
  const std::vector<float> forward = RandomFloats(kStates), backward = RandomFloats(kStates);
  std::vector<float> products(kStates);
  const Transition half{.keep = 0.999f, .jump = 1e-6f};
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        MultiplyTransitions(forward.data(), half, backward.data(), half, kStates, products.data()));
    benchmark::ClobberMemory();
  }
  Count(state, 5.0 * kStates, 12.0 * kStates);
}
BENCHMARK(ProductsOfStates);

void StatesAboveThreshold(State& state) {  // 5 %
  const std::vector<float> values = RandomFloats(kStates);
  std::vector<uint32_t> indices(kStates + 16);
  std::vector<float> found(kStates + 16);
  for (auto _ : state) {
    benchmark::DoNotOptimize(CollectAbove(values.data(), 0.95f, kStates, indices.data(), found.data()));
    benchmark::ClobberMemory();
  }
  Count(state, 0, 4.0 * kStates);
}
BENCHMARK(StatesAboveThreshold);

void LeftOutSums(State& state) {
  const std::vector<uint64_t> bits = RandomBits(kStates / 64);
  const std::vector<float> forward = RandomFloats(kStates), backward = RandomFloats(kStates);
  for (auto _ : state) {
    benchmark::DoNotOptimize(SumPairsByAllele(bits.data(), kStates, forward.data(), backward.data()));
  }
  Count(state, 3.0 * kStates, 8.125 * kStates);
}
BENCHMARK(LeftOutSums);

// --- Features and networks, over the candidates of an interval or 96 markers.

void FeaturesOfCandidates(State& state) {
  RandomStream random(3);
  const auto inputs = std::make_unique<FeatureInputs>();
  for (size_t k = 0; k < kMaxCandidates; ++k) {
    for (size_t u = 0; u < kMismatches; ++u) {
      for (MismatchRows* side : {&inputs->left, &inputs->right}) {
        side->centimorgans[u][k] = static_cast<float>(random.Uniform());
        side->information[u][k] = 100 * static_cast<float>(random.Uniform());
      }
    }
    inputs->forward[k] = inputs->backward[k] = 0.1f + static_cast<float>(random.Uniform());
    inputs->log_share[k] = inputs->population_log_share[k] = 0;
  }
  const auto features = std::make_unique<CopyFeatures>();
  for (auto _ : state) {
    ComputeFeatures(*inputs, kMaxCandidates, *features);
    benchmark::ClobberMemory();
  }
  constexpr double kLogarithms = 4 * kMismatches + 2;  // number per candidate
  state.counters["logarithms"] = Counter(kLogarithms * kMaxCandidates, Counter::kIsIterationInvariantRate);
}
BENCHMARK(FeaturesOfCandidates);

const ImputerWeights& DefaultWeights() {
  static const ImputerWeights weights = LoadImputerWeights(ModelsFolder() + "/imputer.safetensors");
  return weights;
}

void RunNetwork(State& state, const MlpWeights& weights) {
  const PackedMlp mlp(weights);
  struct Inputs {
    alignas(64) float values[std::max(kNumCopyFeatures, kNumAlleleFeatures)][kMlpWidth];
  };
  const auto inputs = std::make_unique<Inputs>();
  const std::vector<float> random = RandomFloats(mlp.inputs * kMlpWidth);
  std::ranges::copy(random, inputs->values[0]);
  const auto scratch = std::make_unique<MlpScratch>();
  alignas(64) float out[kMlpWidth];
  for (auto _ : state) {
    RunMlp(mlp, inputs->values, kMlpWidth, *scratch, out);
    benchmark::ClobberMemory();
  }
  const auto products = static_cast<double>(mlp.hidden * (mlp.inputs + mlp.hidden + 1));
  Count(state, 2 * products * kMlpWidth, 0);
}
void CandidateNetwork(State& state) { RunNetwork(state, ForPanel(DefaultWeights().copy, {})); }
void AlleleNetwork(State& state) { RunNetwork(state, ForPanel(DefaultWeights().allele, {})); }
BENCHMARK(CandidateNetwork);
BENCHMARK(AlleleNetwork);

void AttentionOfCandidates(State& state) {
  const auto features = std::make_unique<CopyFeatures>();
  CopyAttention attention{};
  for (auto _ : state) {
    FinishAttention(*features, 1, 1, kMaxCandidates, attention);
    benchmark::ClobberMemory();
  }
  state.counters["exponentials"] = Counter(kMaxCandidates, Counter::kIsIterationInvariantRate);
}
BENCHMARK(AttentionOfCandidates);

void CarriersAndOthers(State& state) {
  const auto features = std::make_unique<CopyFeatures>();
  CopyAttention attention{};
  FinishAttention(*features, 1, 1, kMaxCandidates, attention);
  CandidateMask carriers;
  for (size_t k = 0; k < kMaxCandidates; k += 3) carriers.Set(k);
  SplitAttention split{};
  for (auto _ : state) {
    Split(attention, 0.5f, carriers, split);
    benchmark::DoNotOptimize(split);
  }
  Count(state, 5.0 * kMaxCandidates, 12.0 * kMaxCandidates);
}
BENCHMARK(CarriersAndOthers);

// --- Regression on typed markers.

void RegressionCounts(State& state) {  // an untyped marker, 64 typed ones, 4,528 haplotypes
  constexpr size_t kWords = 71, kRows = 64;
  const std::vector<uint64_t> bits = RandomBits(kWords), rows = RandomBits(kWords * kRows);
  std::vector<uint32_t> counts(kRows);
  for (auto _ : state) {
    CountCommonBits(bits.data(), rows.data(), kWords, kRows, counts.data());
    benchmark::ClobberMemory();
  }
  Count(state, 0, 8.0 * kWords * kRows);
}
BENCHMARK(RegressionCounts);

void RegressionPrediction(State& state) {
  const std::vector<float> a = RandomFloats(64), b = RandomFloats(64);
  for (auto _ : state) benchmark::DoNotOptimize(Dot(a.data(), b.data(), a.size()));
  Count(state, 2.0 * 64, 8.0 * 64);
}
BENCHMARK(RegressionPrediction);

// --- Whole stages, on a simulated panel of about the size of 1000 Genomes in 3 Mb.

struct SimulatedWindow {
  static constexpr size_t kHaplotypes = 4096, kTargets = 64;

  SimulatedWindow()
      : mosaic(SimulateMosaic({.haplotypes = kHaplotypes + kTargets,
                               .markers = 20'000,
                               .founders = 300,
                               .spacing_bp = 150,
                               .switches_per_cm = 5,
                               .rare_share = 0.8})),
        panel(MakePanel(mosaic, DiploidSamples("R", kHaplotypes / 2))),
        array(panel, CommonMarkers(panel, 4), GeneticMap::Uniform()),
        model(EstimatePanelCopying(array, {}).model),
        alleles(panel, array, 0, panel.num_markers()) {
    for (size_t t = 0; t < kTargets; ++t) {
      std::vector<uint8_t> typed;
      for (const uint32_t m : array.typed()) typed.push_back(mosaic.alleles[kHaplotypes + t][m]);
      targets.emplace_back(typed);
    }
  }

  Mosaic mosaic;
  HaplotypePanel panel;
  TypedPanel array;
  CopyingModel model;
  WindowAlleles alleles;
  std::vector<TargetHaplotype> targets;
};

const SimulatedWindow& Simulated() {
  static const SimulatedWindow window;
  return window;
}

CopyCandidates CandidatesOf(const SimulatedWindow& window, CandidateFinder& finder, const CopyingStates& states,
                            size_t t) {
  CopyCandidates candidates;
  std::vector<float> left_out(window.array.num_typed());
  finder.Find(window.array, window.model, window.targets[t], states, candidates, left_out);
  return candidates;
}

// Items: targets.
void Matches(State& state) {
  const SimulatedWindow& window = Simulated();
  for (auto _ : state) benchmark::DoNotOptimize(FindMatches(window.array.rows(), PointersTo(window.targets), {}));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(SimulatedWindow::kTargets));
}
BENCHMARK(Matches)->Unit(benchmark::kMillisecond);

void States(State& state) {
  const SimulatedWindow& window = Simulated();
  const StateSelection selection(window.array, PointersTo(window.targets), {});
  CopyingStates states;
  for (auto _ : state) {
    for (size_t t = 0; t < SimulatedWindow::kTargets; ++t) selection.Get(t, StateTargets::kOne, states);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(SimulatedWindow::kTargets));
}
BENCHMARK(States)->Unit(benchmark::kMillisecond);

void Recursions(State& state) {
  const SimulatedWindow& window = Simulated();
  const StateSelection selection(window.array, PointersTo(window.targets), {});
  CopyingStates states;
  selection.Get(0, StateTargets::kOne, states);
  CandidateFinder finder;
  for (auto _ : state) benchmark::DoNotOptimize(CandidatesOf(window, finder, states, 0));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Recursions)->Unit(benchmark::kMillisecond);

void Carriers(State& state) {
  const SimulatedWindow& window = Simulated();
  const StateSelection selection(window.array, PointersTo(window.targets), {});
  CandidateFinder finder;
  CopyingStates states;
  selection.Get(0, StateTargets::kOne, states);
  const CopyCandidates candidates = CandidatesOf(window, finder, states, 0);
  std::vector<CandidateMask> carriers;
  for (auto _ : state) {
    for (const uint32_t anchor : window.array.anchors()) {
      window.alleles.FindCarriers(anchor, candidates.haplotypes(anchor), carriers);
      benchmark::DoNotOptimize(carriers.data());
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Carriers)->Unit(benchmark::kMillisecond);

void RegressionFit(State& state) {  // items: windows, not targets
  const SimulatedWindow& window = Simulated();
  for (auto _ : state) {
    benchmark::DoNotOptimize(WindowRegression(window.panel, window.array, 0, window.panel.num_markers()));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(RegressionFit)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace haplospin
