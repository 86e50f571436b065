#include "selfcheck/kernel_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "genotypes/genomics/bits.h"
#include "genotypes/genomics/quantized_probability.h"
#include "genotypes/imputation/backends/cpu_backend.h"
#include "genotypes/imputation/backends/gpu/group_kernels.h"
#include "genotypes/imputation/backends/gpu/host_group.h"
#include "genotypes/imputation/backends/gpu/kernel_window.h"
#include "genotypes/imputation/backends/gpu/phase_kernels.h"
#include "genotypes/imputation/backends/phase_average.h"
#include "genotypes/imputation/models/copying/ancestry.h"
#include "genotypes/imputation/models/copying/copy_candidates.h"
#include "genotypes/imputation/models/copying/match_features.h"
#include "genotypes/imputation/models/network/cpu_network.h"
#include "genotypes/imputation/plan/window_plan.h"
#include "selfcheck/mosaic.h"

namespace haplospin {
namespace {

class LargestDifferences {
 public:
  void Add(Kernel kernel, double found, double expected) {
    const double difference = std::abs(found - expected) / std::max(1.0, std::abs(expected));
    double& largest = largest_[static_cast<size_t>(kernel)];
    largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(largest, difference);
  }
  const std::array<double, kNumKernels>& all() const { return largest_; }

 private:
  std::array<double, kNumKernels> largest_{};
};

// Imputes batches on the CPU, and compares the kernels with it.
class ComparingWindow : public BackendWindow {
 public:
  ComparingWindow(const WindowTask& task, Device& device, const ImputerWeights& weights,
                  LargestDifferences& differences)
      : task_(task),
        queue_(device),
        differences_(differences),
        network_(weights, ComputePanelFeatures(task.panel.typed_panel(), task.estimates.copying)),
        cpu_(MakeCpuBackend(weights)->Start(task)),
        window_(device, task.panel, task.estimates, task.markers, weights),
        phase_kernels_(device, window_),
        kernels_(device, window_,
                 [this](Kernel kernel, const kernels::KernelData& data) { Compare(kernel, data.group); }),
        group_(device, task.panel, task.markers.alleles),
        ancestry_(task.panel.typed_panel(), *task.estimates.populations),
        averages_(task.panel.wanted(), task.study.samples().num_haplotypes(),
                  {task.dosages.typed->markers, task.study.samples().num_haplotypes()}) {
    CompareAlleles();
  }

  std::vector<PhaseEvidence> ExaminePhases(std::span<const ExaminedPhase> phases) override {
    std::vector<PhaseEvidence> expected = cpu_->ExaminePhases(phases);
    const std::vector<PhaseEvidence> found = phase_kernels_.Examine(phases);
    const auto largest = [](const PhaseEvidence& evidence) {
      return evidence.ratios.empty() ? 0 : evidence.ratios.front().log;
    };
    for (size_t p = 0; p < phases.size(); ++p) {
      differences_.Add(Kernel::kExaminePhase, largest(found[p]), largest(expected[p]));
    }
    return expected;
  }

  void Impute(std::unique_ptr<const SampleBatch> owned) override {
    const std::shared_ptr<const SampleBatch> batch = std::move(owned);
    std::vector<SampleOfBatch> samples;
    for (size_t s = 0; s < batch->samples.size(); ++s) samples.push_back({batch, s});
    group_.Set(std::move(samples));
    SetExpected(*batch);
    cpu_->Impute(std::make_unique<const SampleBatch>(*batch));
    kernels_.Run(group_);
  }

 private:
  template <typename T>
  std::vector<T> Read(const T* from, size_t size) {
    std::vector<T> values(size);
    queue_.Download(values.data(), from, size * sizeof(T));
    queue_.Synchronize();
    return values;
  }

  void SetExpected(const SampleBatch& batch) {
    const TypedPanel& panel = task_.panel.typed_panel();
    CandidateFinder finder(task_.panel.options());
    states_.resize(group_.targets.size());
    candidates_.resize(states_.size());
    left_out_.assign(states_.size(), std::vector<float>(panel.num_typed()));
    for (size_t s = 0; s < batch.samples.size(); ++s) {
      for (size_t k = 0; k < sample(s).num_targets(); ++k) {
        const size_t t = group_.rows[s].first_target + k;
        if (sample(s).NeedsStatesOfBoth(k)) {
          batch.selection->Get(batch.selected[s], StateTargets::kBoth, states_[t]);
        } else {
          batch.selection->Get(batch.selected[s] + k, StateTargets::kOne, states_[t]);
        }
        finder.Find(panel, batch.model, sample(s).haplotype(k), states_[t], candidates_[t], left_out_[t],
                    sample(s).version(k).weight);
      }
    }
  }

  void EstimateAncestry(const kernels::Sample& row) {
    const std::span<const CopyCandidates> own = std::span(candidates_).subspan(row.first_target, row.num_targets);
    ancestry_.Estimate(own.first(row.ploidy), own.subspan(row.ploidy));
  }

  void Compare(Kernel kernel, const kernels::GroupData& found) {
    switch (kernel) {
      case Kernel::kJoinSegments:
        return CompareStates(found);
      case Kernel::kRunRecursions:
        return CompareCandidates(found);
      case Kernel::kListPeople:
        return ComparePeople(found);
      case Kernel::kFindSampleShares:
        return CompareShares(found);
      case Kernel::kComputeLogits:
      case Kernel::kComputeWeights:
        return CompareAttention(kernel, found);
      case Kernel::kImputeAlleles:
        return CompareProbabilities(found);
      case Kernel::kAverageVersions:
        return CompareAverages(found);
      case Kernel::kTransposeAlleles:
      case Kernel::kExaminePhase:
        return;  // compared elsewhere
    }
  }

  void CompareAlleles() {
    const kernels::WindowData& data = window_.data();
    const std::vector<uint32_t> rows = Read(data.minor_rows, size_t{data.num_haplotypes} * data.num_words);
    const std::vector<kernels::AlleleWord> words = Read(data.words, data.num_words);
    const WindowAlleles& alleles = task_.markers.alleles;
    std::vector<uint64_t> bits(task_.panel.panel().words_per_marker());
    for (size_t w = 0; w < words.size(); ++w) {
      for (uint32_t i = 0; i < words[w].count; ++i) {
        const size_t marker = alleles.begin() + words[w].marker + i;
        task_.panel.panel().CopyBits(marker, bits.data());
        for (size_t h = 0; h < data.num_haplotypes; ++h) {
          const bool is_alt = HasBit(bits, h);
          differences_.Add(Kernel::kTransposeAlleles, rows[h * words.size() + w] >> i & 1,
                           is_alt == alleles.minor_is_alt(marker));
        }
      }
    }
  }

  void CompareStates(const kernels::GroupData& found) {
    const std::vector<uint32_t> bits = Read(found.state_bits, group_.states.num_words);
    for (size_t t = 0; t < states_.size(); ++t) {
      const kernels::StateSet& set = group_.states.sets[group_.targets[t].set];
      for (size_t j = 0; j < window_.data().num_typed; ++j) {
        const uint32_t* word_bits = bits.data() + set.first_bits + j / 32 * set.warps * kernels::kStatesOfWarp;
        const uint64_t* expected = states_[t].site_bits(j);
        for (size_t state = 0; state < set.num_states; ++state) {
          differences_.Add(Kernel::kJoinSegments, word_bits[state] >> (j % 32) & 1, HasBit(expected, state) ? 1 : 0);
        }
      }
    }
  }

  void CompareCandidates(const kernels::GroupData& found) {
    const size_t anchors = states_.size() * window_.data().num_anchors, slots = anchors * kernels::kMaxSlots;
    const std::vector<uint32_t> count = Read(found.count, anchors), state = Read(found.state, slots);
    const std::vector<float> forward = Read(found.forward, slots), backward = Read(found.backward, slots);
    const std::vector<float> at_left = Read(found.at_left, slots), at_right = Read(found.at_right, slots);
    const auto add = [&](double value, double expected) { differences_.Add(Kernel::kRunRecursions, value, expected); };
    ForEachAnchor(
        [&](size_t t, size_t at, uint32_t interval, size_t) { add(count[at], candidates_[t].count[interval]); });
    ForEachCandidate([&](size_t t, uint32_t interval, size_t slot, size_t k) {
      const CopyCandidates& expected = candidates_[t];
      add(states_[t].haplotype(std::min<size_t>(state[slot], states_[t].size() - 1), interval), expected.haplotype[k]);
      add(forward[slot], expected.forward[k]);
      add(backward[slot], expected.backward[k]);
      add(at_left[slot], expected.at_left[k]);
      add(at_right[slot], expected.at_right[k]);
    });
    const size_t typed = window_.data().num_typed;
    const std::vector<float> left_out = Read(found.left_out, states_.size() * typed);
    for (size_t t = 0; t < states_.size(); ++t) {
      for (size_t j = 0; j < typed; ++j) add(left_out[t * typed + j], left_out_[t][j]);
    }
  }

  void ComparePeople(const kernels::GroupData& found) {
    const std::vector<uint32_t>& sample_of = task_.estimates.populations->sample_of();
    const std::vector<uint32_t> haplotype =
        Read(found.haplotype, states_.size() * window_.data().num_anchors * kernels::kMaxSlots);
    const std::vector<uint32_t> num_people = Read(found.num_people, group_.samples.size());
    std::vector<std::set<uint32_t>> people(group_.samples.size());
    ForEachCandidate([&](size_t t, uint32_t, size_t slot, size_t k) {
      const uint32_t expected = candidates_[t].haplotype[k];
      differences_.Add(Kernel::kListPeople, haplotype[slot], expected);
      people[group_.targets[t].sample].insert(sample_of[expected]);
    });
    for (size_t s = 0; s < people.size(); ++s) {
      differences_.Add(Kernel::kListPeople, num_people[s], static_cast<double>(people[s].size()));
    }
  }

  void CompareShares(const kernels::GroupData& found) {
    const std::vector<uint32_t>& sample_of = task_.estimates.populations->sample_of();
    const ancestry::Blocks blocks(task_.panel.typed_panel());
    for (size_t s = 0; s < group_.samples.size(); ++s) {
      const kernels::Sample& row = group_.rows[s];
      EstimateAncestry(row);
      const std::vector<uint32_t> people = Read(found.people + row.first_person, row.num_people);
      const std::vector<float> population_shares = Read(found.population_log_share + row.first_person, row.num_people);
      const std::vector<float> shares = Read(found.log_share + row.first_copied, blocks.count * row.num_people);
      ForEachCandidate([&](size_t t, uint32_t interval, size_t, size_t k) {
        if (group_.targets[t].sample != s) return;
        const uint32_t haplotype = candidates_[t].haplotype[k], person = ancestry_.person(haplotype);
        const auto at = static_cast<size_t>(std::ranges::lower_bound(people, sample_of[haplotype]) - people.begin());
        if (at == people.size()) return;  // counted as a difference of ListPeople
        differences_.Add(Kernel::kFindSampleShares, population_shares[at], ancestry_.PopulationLogShares()[person]);
        differences_.Add(Kernel::kFindSampleShares, shares[blocks.interval_block[interval] * row.num_people + at],
                         ancestry_.LogShares(interval)[person]);
      });
    }
  }

  void CompareAttention(Kernel kernel, const kernels::GroupData& found) {
    const size_t anchors = states_.size() * window_.data().num_anchors, slots = anchors * kernels::kMaxSlots;
    const std::vector<float> logit = Read(found.logit, slots), left = Read(found.left_weight, slots);
    const std::vector<float> right = Read(found.right_weight, slots), log_sum = Read(found.log_sum, anchors);
    const std::vector<float> log_squares = Read(found.log_squares, anchors);
    const auto add = [&](double value, double expected) { differences_.Add(kernel, value, expected); };
    MatchFeatures match_features(task_.panel.typed_panel(), ancestry_);
    CopyFeatures features;
    CopyAttention attention;
    MlpScratch scratch;
    size_t started = states_.size();
    ForEachAnchor([&](size_t t, size_t at, uint32_t interval, size_t first_slot) {
      const size_t s = group_.targets[t].sample, count = candidates_[t].count[interval];
      const kernels::Sample& row = group_.rows[s];
      if (t != started) {
        if (t == row.first_target) EstimateAncestry(row);
        match_features.StartTarget(sample(s).haplotype(t - row.first_target), candidates_[t]);
        started = t;
      }
      if (count == 0) return;
      match_features.Fill(interval, features);
      RunMlp(network_.copy, features.values, count, scratch, attention.logit);
      FinishAttention(features, network_.forward, network_.backward, count, attention);
      for (size_t k = 0; k < count; ++k) {
        if (kernel == Kernel::kComputeLogits) {
          add(logit[first_slot + k], attention.logit[k]);
        } else {
          add(left[first_slot + k], attention.left[k]);
          add(right[first_slot + k], attention.right[k]);
        }
      }
      if (kernel == Kernel::kComputeLogits) return;
      add(log_sum[at], attention.log_sum);
      add(log_squares[at], attention.log_squares);
    });
  }

  // The probabilities of targets are compared as averages over the versions of a sample, which the CPU has.
  void CompareProbabilities(const kernels::GroupData& found) {
    const size_t markers = window_.data().num_markers, typed = window_.data().num_typed;
    std::vector<TargetProbabilities> targets(states_.size());
    for (size_t t = 0; t < targets.size(); ++t) {
      targets[t] = {Read(found.minor + t * markers, markers), Read(found.left_out + t * typed, typed)};
    }
    for (size_t s = 0; s < group_.samples.size(); ++s) {
      const kernels::Sample& row = group_.rows[s];
      SetRows(task_.panel, task_.markers.alleles, sample(s),
              std::span(targets).subspan(row.first_target, row.num_targets), first_row(s), averages_);
      for (size_t h = first_row(s); h < first_row(s) + row.ploidy; ++h) {
        for (size_t m = 0; m < markers; ++m) {
          differences_.Add(Kernel::kImputeAlleles, averages_.alt.Get(h, m), task_.dosages.alt.Get(h, m));
        }
      }
    }
  }

  void CompareAverages(const kernels::GroupData& found) {
    constexpr double kUnit = kPackedProbabilityOne;
    const size_t markers = window_.data().num_markers, left_out = group_.left_out.size();
    const std::vector<uint16_t> alt = Read(found.alt_rows, group_.num_rows * markers);
    const std::vector<uint16_t> left_out_alt = Read(found.left_out_rows, group_.num_rows * left_out);
    for (size_t s = 0; s < group_.samples.size(); ++s) {
      for (size_t t = 0; t < group_.rows[s].ploidy; ++t) {
        const size_t row = group_.rows[s].first_row + t, h = first_row(s) + t;
        for (size_t m = 0; m < markers; ++m) {
          differences_.Add(Kernel::kAverageVersions, alt[row * markers + m] / kUnit, averages_.alt.Get(h, m));
        }
        for (size_t k = 0; k < left_out; ++k) {
          differences_.Add(Kernel::kAverageVersions, left_out_alt[row * left_out + k] / kUnit,
                           averages_.typed->left_out.Get(h, k));
        }
      }
    }
  }

  // Calls visit(target of the group, anchor, its interval, first slot of the anchor).
  template <typename Visit>
  void ForEachAnchor(const Visit& visit) const {
    const std::span<const uint32_t> anchors = task_.panel.typed_panel().anchors();
    for (size_t t = 0; t < states_.size(); ++t) {
      for (size_t a = 0; a < anchors.size(); ++a) {
        visit(t, t * anchors.size() + a, anchors[a], (t * anchors.size() + a) * kernels::kMaxSlots);
      }
    }
  }

  // Calls visit(target of the group, interval, slot, slot of the expected candidate).
  template <typename Visit>
  void ForEachCandidate(const Visit& visit) const {
    ForEachAnchor([&](size_t t, size_t, uint32_t interval, size_t first_slot) {
      const CopyCandidates& candidates = candidates_[t];
      for (size_t k = 0; k < candidates.count[interval]; ++k) {
        visit(t, interval, first_slot + k, candidates.first_slot[interval] + k);
      }
    });
  }

  const SampleTargets& sample(size_t s) const { return group_.samples[s].targets(); }
  size_t first_row(size_t s) const {
    return task_.study.samples().first_haplotype[group_.samples[s].batch->first_sample + s];
  }

  const WindowTask task_;
  DeviceQueue queue_;
  LargestDifferences& differences_;
  const CpuNetwork network_;
  const std::unique_ptr<BackendWindow> cpu_;
  const KernelWindow window_;
  PhaseKernels phase_kernels_;
  GroupKernels kernels_;
  HostGroup group_;

  // What the CPU finds for the targets of the group.
  std::vector<CopyingStates> states_;
  std::vector<CopyCandidates> candidates_;
  std::vector<std::vector<float>> left_out_;  // [targets][typed]
  Ancestry ancestry_;
  WindowDosages averages_;  // those that the CPU computes of what the kernels found for the targets
};

class ComparingBackend : public Backend {
 public:
  ComparingBackend(Device& device, const ImputerWeights& weights) : device_(device), weights_(weights) {}

  std::unique_ptr<BackendWindow> Start(const WindowTask& task) override {
    return std::make_unique<ComparingWindow>(task, device_, weights_, differences_);
  }
  const LargestDifferences& differences() const { return differences_; }

 private:
  Device& device_;
  const ImputerWeights& weights_;
  LargestDifferences differences_;
};

}  // namespace

// All states are candidates: otherwise rounding could decide which are the last.
std::array<double, kNumKernels> CompareKernels(Device& device, const ImputerWeights& weights, uint64_t seed) {
  constexpr size_t kSamples = 6, kPanelSamples = 150, kMarkers = 600;
  const Mosaic mosaic =
      SimulateMosaic({.haplotypes = 2 * (kPanelSamples + kSamples), .markers = kMarkers, .founders = 30, .seed = seed});
  const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("R", kPanelSamples));
  SimulatedStudy study(DiploidSamples("S", kSamples), CommonMarkers(panel, 2),
                       std::span(mosaic.alleles).subspan(panel.num_haplotypes()));
  const size_t middle = study.typed.size() / 2;
  for (size_t j = 0; j < study.rows.size(); ++j) {
    GenotypeRow& row = study.rows[j];
    if (j >= middle) std::swap(row.alleles[0], row.alleles[1]);
    row.unphased.resize(kSamples);
    row.unphased.back() = 1;
  }

  const CopyingOptions copying{.states = {.max_states = kMaxCandidates, .matches = {.per_block = 4}}, .min_product = 0};
  const GeneticMap map = GeneticMap::Uniform();
  const PanelWindow window(panel, map, study.typed, {0, panel.num_markers()}, copying);
  ComparingBackend backend(device, weights);
  ImputeWindow(window, study.View(), backend);
  return backend.differences().all();
}

}  // namespace haplospin
