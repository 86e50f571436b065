#include "genotypes/imputation/hla/gene_copying.h"

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/copying/forward_backward.h"
#include "genotypes/imputation/models/copying/typed_panel.h"
#include "genotypes/imputation/window/panel_window.h"

namespace haplospin {
namespace {

constexpr size_t kMinCopies = 2;         // of the less frequent allele of a marker: others tell nothing of whom to copy
constexpr size_t kMaxMarkers = 20'000;   // evenly spaced, of more
constexpr size_t kTargetsAtATime = 512;  // haplotypes whose matches are searched together
constexpr float kMinShare = 1e-3f;       // smallest probability that is kept, relative to the largest

// Returns evenly spaced markers among those that tell haplotypes apart.
std::vector<uint32_t> MarkersToCopyBy(const HaplotypePanel& panel) {
  std::vector<uint32_t> markers;
  for (uint32_t m = 0; m < panel.num_markers(); ++m) {
    const size_t copies = std::min<size_t>(panel.alt_count(m), panel.num_haplotypes() - panel.alt_count(m));
    if (copies < kMinCopies) continue;
    if (!markers.empty() && panel.marker(markers.back()).position == panel.marker(m).position) continue;
    markers.push_back(m);
  }
  const size_t spacing = (markers.size() + kMaxMarkers - 1) / kMaxMarkers;
  std::vector<uint32_t> spaced;
  for (size_t k = 0; k < markers.size(); k += spacing) spaced.push_back(markers[k]);
  return spaced;
}

ExcludedHaplotypes OwnHaplotypes(const SampleTable& samples, uint32_t sample) {
  ExcludedHaplotypes own;
  for (uint32_t h = samples.first_haplotype[sample]; h < samples.first_haplotype[sample + 1]; ++h) {
    own.haplotypes[own.count++] = h;
  }
  return own;
}

class GeneCopying {
 public:
  GeneCopying(const PanelWindow& window, std::span<const int64_t> positions)
      : window_(window),
        model_(EstimatePanelCopying(window.typed_panel(), window.options()).model),
        sample_of_(window.panel().samples().SampleOfHaplotype()) {
    for (const int64_t position : positions) {
      const auto after = std::ranges::partition_point(
          window.typed_markers(), [&](uint32_t m) { return window.panel().marker(m).position <= position; });
      intervals_.push_back(static_cast<size_t>(after - window.typed_markers().begin()));
    }
  }

  std::vector<CopiedAtGene> Find() const;

 private:
  void FindBatch(uint32_t begin, uint32_t end, std::vector<CopiedAtGene>& copied) const;
  std::vector<CopiedHaplotype> Products(const CopyingStates& states, size_t interval, const CopyState& forward,
                                        const CopyState& backward) const;

  const PanelWindow& window_;
  const CopyingModel model_;
  const std::vector<uint32_t> sample_of_;
  std::vector<size_t> intervals_;  // [positions]
};

std::vector<CopiedAtGene> GeneCopying::Find() const {
  const auto n = static_cast<uint32_t>(window_.panel().num_haplotypes());
  std::vector<CopiedAtGene> copied(intervals_.size(), CopiedAtGene(n));
  for (uint32_t begin = 0; begin < n; begin += kTargetsAtATime) {
    FindBatch(begin, std::min<uint32_t>(begin + kTargetsAtATime, n), copied);
  }
  return copied;
}

void GeneCopying::FindBatch(uint32_t begin, uint32_t end, std::vector<CopiedAtGene>& copied) const {
  const TypedPanel& panel = window_.typed_panel();
  std::vector<TargetHaplotype> targets;
  for (uint32_t h = begin; h < end; ++h) {
    targets.push_back(PanelHaplotype(panel, h, OwnHaplotypes(window_.panel().samples(), sample_of_[h])));
  }
  const StateSelection selection(panel, PointersTo(targets), window_.options().states);
  struct Workspace {
    CopyingStates states;
    ForwardBackward recursions;
  };
  tbb::enumerable_thread_specific<Workspace> workspaces;
  tbb::parallel_for(size_t{0}, targets.size(), [&](size_t t) {
    Workspace& workspace = workspaces.local();
    selection.Get(t, StateTargets::kOne, workspace.states);
    const auto visit = [&](size_t interval, const CopyState& forward, const CopyState& backward) {
      for (size_t k = 0; k < intervals_.size(); ++k) {
        if (intervals_[k] != interval) continue;
        copied[k][begin + t] = Products(workspace.states, interval, forward, backward);
      }
    };
    workspace.recursions.Run(panel, model_, targets[t], workspace.states, visit);
  });
}

// Returns the probabilities of the states in an interval, in whose middle the copied haplotype may change.
std::vector<CopiedHaplotype> GeneCopying::Products(const CopyingStates& states, size_t interval,
                                                   const CopyState& forward, const CopyState& backward) const {
  const bool is_inner = interval > 0 && interval < window_.typed_panel().num_typed();
  const float switching = is_inner ? 1 - std::sqrt(1 - model_.switch_probability[interval - 1]) : 0.0f;
  const Transition left = forward.Move(switching, states.num_copied());
  const Transition right = backward.Move(switching, states.num_copied());
  std::map<uint32_t, float> products;
  float largest = 0, sum = 0;
  for (size_t s = 0; s < states.size(); ++s) {
    const float product = (forward.values[s] * left.keep + left.jump) * (backward.values[s] * right.keep + right.jump);
    float& total = products[states.haplotype(s, interval)];
    total += product;
    largest = std::max(largest, total);
    sum += product;
  }
  std::vector<CopiedHaplotype> copied;
  for (const auto& [haplotype, product] : products) {
    if (product >= kMinShare * largest) copied.push_back({haplotype, product / sum});
  }
  return copied;
}

}  // namespace

std::vector<CopiedAtGene> FindCopied(const HaplotypePanel& panel, const GeneticMap& map,
                                     std::span<const int64_t> positions) {
  std::vector<uint32_t> markers = MarkersToCopyBy(panel);
  if (markers.size() < 2 || panel.samples().num_samples() < 2) {
    return std::vector<CopiedAtGene>(positions.size(), CopiedAtGene(panel.num_haplotypes()));
  }
  const PanelWindow window(panel, map, std::move(markers), {}, CopyingOptions().ForPanel(panel.num_haplotypes()));
  return GeneCopying(window, positions).Find();
}

}  // namespace haplospin
