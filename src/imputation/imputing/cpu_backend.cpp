#include "imputation/imputing/cpu_backend.h"

#include <algorithm>
#include <utility>

#include "imputation/copying/ancestry.h"
#include "imputation/copying/copy_candidates.h"
#include "imputation/copying/match_features.h"
#include "imputation/network/cpu_network.h"
#include "imputation/network/panel_features.h"

namespace haplospin {
namespace {

class CpuTargetImputer : public TargetImputer {
 public:
  CpuTargetImputer(const WindowContext& context, const ImputerWeights& weights)
      : context_(context),
        network_(weights, ComputePanelFeatures(context.array, context.panel_copying)),
        finder_(context.copying.min_product),
        ancestry_(context.array, context.populations, context.sample_of, context.panel.samples().num_samples()),
        match_features_(context.array, ancestry_),
        computation_(network_) {}

  void Impute(TargetGroup& group) override {
    const std::span<const TargetTask> tasks = group.tasks;
    for (size_t first = 0, last; first < tasks.size(); first = last) {
      for (last = first; last < tasks.size() && tasks[last].sample == tasks[first].sample;) ++last;
      ImputeSample(group.selection, tasks.subspan(first, last - first));
    }
  }

 private:
  void ImputeSample(const StateSelection& selection, std::span<const TargetTask> tasks);
  void FindCandidates(const StateSelection& selection, std::span<const TargetTask> tasks);
  void AddTarget(const TargetTask& task, const CopyCandidates& candidates);
  void AddAnchor(size_t anchor, const TargetTask& task, const CopyCandidates& candidates);

  const WindowContext& context_;
  const CpuNetwork network_;
  CandidateFinder finder_;
  CopyingStates states_;
  std::vector<CopyCandidates> candidates_;  // [targets of a sample]
  Ancestry ancestry_;
  MatchFeatures match_features_;
  CopyFeatures features_;
  std::vector<float> centered_;  // [typed] alleles of the target, for the regression
  std::vector<CandidateMask> carriers_;
  CpuComputation computation_;
};

void CpuTargetImputer::ImputeSample(const StateSelection& selection, std::span<const TargetTask> tasks) {
  FindCandidates(selection, tasks);
  const StageTimer timer(context_.times.alleles);
  const auto others = std::ranges::find_if(tasks, &TargetTask::is_other_version);
  const auto most_probable = static_cast<size_t>(others - tasks.begin());
  const std::span<const CopyCandidates> candidates(candidates_.data(), tasks.size());
  ancestry_.Estimate(candidates.first(most_probable), candidates.subspan(most_probable));
  for (size_t k = 0; k < tasks.size(); ++k) AddTarget(tasks[k], candidates[k]);
  computation_.Compute();
}

// The other versions, and haplotypes whose phase was corrected, have alleles of both, and so the same states.
void CpuTargetImputer::FindCandidates(const StateSelection& selection, std::span<const TargetTask> tasks) {
  if (candidates_.size() < tasks.size()) candidates_.resize(tasks.size());
  bool has_states_of_both = false;
  for (size_t k = 0; k < tasks.size(); ++k) {
    const TargetTask& task = tasks[k];
    if (!has_states_of_both) {
      const StageTimer timer(context_.times.states);
      if (task.has_states_of_both) {
        selection.GetForBoth(task.selected, states_);
      } else {
        selection.Get(task.selected, states_);
      }
      has_states_of_both = task.has_states_of_both;
    }
    const StageTimer timer(context_.times.recursions);
    finder_.Find(context_.array, *task.model, *task.target, states_, candidates_[k], task.left_out, task.weight);
  }
}

// Leaves out the anchors without weight.
void CpuTargetImputer::AddTarget(const TargetTask& task, const CopyCandidates& candidates) {
  match_features_.StartTarget(*task.target, candidates);
  CenterAlleles(*task.target, context_.regression.means(), centered_);
  for (uint32_t anchor : context_.array.anchors()) {
    if (task.weight.empty() || task.weight[anchor] > 0) AddAnchor(anchor, task, candidates);
  }
}

void CpuTargetImputer::AddAnchor(size_t anchor, const TargetTask& task, const CopyCandidates& candidates) {
  const WindowAlleles& alleles = context_.alleles;
  const size_t first = alleles.first_marker(anchor);
  const size_t last = alleles.first_marker(anchor + 1);
  if (first == last) return;

  context_.regression.Prefetch(first, last);
  const size_t count = candidates.count[anchor];
  match_features_.Fill(anchor, features_);
  computation_.AddInterval(features_, count);
  alleles.FindCarriers(anchor, candidates.haplotypes(anchor), carriers_);

  // Where all candidates agree, the target differs from them as rarely as the panel's haplotypes from those they copy.
  const float panel_share = std::min(network_.panel_share, context_.panel_copying.model.mismatch_probability);
  const CandidateMask all = CandidateMask::First(count);
  for (size_t m = first; m < last; ++m) {
    if (alleles.GivenAllele(*task.target, m) != kMissingAllele) continue;
    const CandidateMask& carriers = carriers_[m - first];
    const MarkerFeatures& marker = context_.marker_features[m - alleles.begin()];
    float& p = task.minor_probability[m - alleles.begin()];
    if (carriers.None()) {
      p = panel_share * marker.minor_frequency;
    } else if (carriers == all) {
      p = 1 - panel_share * (1 - marker.minor_frequency);
    } else {
      computation_.AddMarker(marker, context_.regression.Predict(m, centered_, marker.minor_frequency), carriers, &p);
    }
  }
}

class CpuBackend : public ImputerBackend {
 public:
  explicit CpuBackend(ImputerWeights weights) : weights_(std::move(weights)) {}

  std::unique_ptr<TargetImputer> NewTargetImputer(const WindowContext& context) override {
    return std::make_unique<CpuTargetImputer>(context, weights_);
  }

 private:
  const ImputerWeights weights_;
};

}  // namespace

std::unique_ptr<ImputerBackend> MakeCpuBackend(const ImputerWeights& weights) {
  return std::make_unique<CpuBackend>(weights);
}

}  // namespace haplospin
