#include "genotypes/imputation/backends/cpu_backend.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <span>
#include <utility>

#include "genotypes/imputation/backends/phase_average.h"
#include "genotypes/imputation/models/copying/ancestry.h"
#include "genotypes/imputation/models/copying/copy_candidates.h"
#include "genotypes/imputation/models/copying/match_features.h"
#include "genotypes/imputation/models/network/allele_features.h"
#include "genotypes/imputation/models/network/cpu_network.h"

namespace haplospin {
namespace {

// Workspace of one thread: imputes one sample after the other.
class SampleWorkspace {
 public:
  // Takes on what all samples of the window share; the network must outlive the workspace.
  SampleWorkspace(const WindowTask& task, const CpuNetwork& network)
      : window_(task.panel),
        copying_(task.estimates.copying),
        markers_(task.markers),
        network_(network),
        finder_(task.panel.options()),
        ancestry_(task.panel.typed_panel(), *task.estimates.populations),
        match_features_(task.panel.typed_panel(), ancestry_),
        computation_(network_) {}

  // Returns what is found for each target of sample s, until the next call.
  std::span<const TargetProbabilities> Impute(const SampleBatch& batch, size_t s);

 private:
  void FindCandidates(const SampleBatch& batch, size_t s);
  void AddTarget(const SampleTargets& sample, size_t k);
  void AddAnchor(size_t anchor, const TargetHaplotype& target, const CopyCandidates& candidates,
                 std::span<float> minor);
  void DecideMarkers(size_t anchor, const TargetHaplotype& target, const CopyCandidates& candidates,
                     std::span<float> minor);

  const PanelWindow& window_;
  const PanelCopying& copying_;
  const ImputedMarkers& markers_;
  const CpuNetwork& network_;
  CandidateFinder finder_;
  CopyingStates states_;
  std::vector<CopyCandidates> candidates_;  // [targets of a sample]
  std::vector<TargetProbabilities> found_;  // [targets of a sample]
  Ancestry ancestry_;
  MatchFeatures match_features_;
  CopyFeatures features_;
  std::vector<float> centered_;          // [typed] alleles of the target, for the regression
  std::vector<CandidateMask> carriers_;  // [markers of an anchor] carriers among the candidates
  std::vector<uint32_t> undecided_;      // markers of an anchor at which the candidates differ
  CpuComputation computation_;
};

std::span<const TargetProbabilities> SampleWorkspace::Impute(const SampleBatch& batch, size_t s) {
  const SampleTargets& sample = batch.samples[s];
  const size_t count = sample.num_targets();
  if (candidates_.size() < count) candidates_.resize(count);
  while (found_.size() < count) {
    found_.push_back(
        {std::vector<float>(window_.wanted().size()), std::vector<float>(window_.typed_panel().num_typed())});
  }
  FindCandidates(batch, s);
  const std::span<const CopyCandidates> candidates(candidates_.data(), count);
  ancestry_.Estimate(candidates.first(sample.ploidy()), candidates.subspan(sample.ploidy()));
  for (size_t k = 0; k < count; ++k) AddTarget(sample, k);
  computation_.Compute();
  return {found_.data(), count};
}

// Targets that need the states of both haplotypes follow those that need their own, and share them.
void SampleWorkspace::FindCandidates(const SampleBatch& batch, size_t s) {
  const SampleTargets& sample = batch.samples[s];
  bool has_states_of_both = false;
  for (size_t k = 0; k < sample.num_targets(); ++k) {
    if (!has_states_of_both) {
      has_states_of_both = sample.NeedsStatesOfBoth(k);
      if (has_states_of_both) {
        batch.selection->Get(batch.selected[s], StateTargets::kBoth, states_);
      } else {
        batch.selection->Get(batch.selected[s] + k, StateTargets::kOne, states_);
      }
    }
    finder_.Find(window_.typed_panel(), batch.model, sample.haplotype(k), states_, candidates_[k], found_[k].left_out,
                 sample.version(k).weight);
  }
}

// Anchors where the target's version of the phase has no weight are left out.
void SampleWorkspace::AddTarget(const SampleTargets& sample, size_t k) {
  const TargetHaplotype& target = sample.haplotype(k);
  const std::vector<float>& weight = sample.version(k).weight;
  match_features_.StartTarget(target, candidates_[k]);
  CenterAlleles(target, markers_.regression.means(), centered_);
  for (uint32_t anchor : window_.typed_panel().anchors()) {
    if (weight.empty() || weight[anchor] > 0) AddAnchor(anchor, target, candidates_[k], found_[k].minor);
  }
}

void SampleWorkspace::AddAnchor(size_t anchor, const TargetHaplotype& target, const CopyCandidates& candidates,
                                std::span<float> minor) {
  const WindowAlleles& alleles = markers_.alleles;
  const WindowRegression& regression = markers_.regression;
  DecideMarkers(anchor, target, candidates, minor);
  if (undecided_.empty()) return;

  for (const uint32_t m : undecided_) regression.Prefetch(m);
  match_features_.Fill(anchor, features_);
  computation_.AddInterval(features_, candidates.count[anchor]);
  for (const uint32_t m : undecided_) {
    const MarkerFeatures& marker = markers_.features[m - alleles.begin()];
    computation_.AddMarker(marker, regression.Predict(m, centered_, marker.minor_frequency),
                           carriers_[m - alleles.first_marker(anchor)], &minor[m - alleles.begin()]);
  }
}

// Sets the probabilities at an anchor's markers where all candidates agree; the others become undecided_. Many anchors
// have no others, and need no network.
void SampleWorkspace::DecideMarkers(size_t anchor, const TargetHaplotype& target, const CopyCandidates& candidates,
                                    std::span<float> minor) {
  const WindowAlleles& alleles = markers_.alleles;
  const size_t first = alleles.first_marker(anchor);
  const size_t last = alleles.first_marker(anchor + 1);
  undecided_.clear();
  if (first == last) return;

  alleles.FindCarriers(anchor, candidates.haplotypes(anchor), carriers_);
  // The target differs from candidates that all agree as rarely as the panel's haplotypes differ from those they copy.
  const float panel_share = std::min(network_.panel_share, copying_.model.mismatch_probability);
  const CandidateMask all = CandidateMask::First(candidates.count[anchor]);
  for (size_t m = first; m < last; ++m) {
    if (const uint8_t given = alleles.GivenAllele(target, m); given != kMissingAllele) {
      // It counts where it is missing on the same haplotype in another version of the phase.
      minor[m - alleles.begin()] = (given == 1) == alleles.minor_is_alt(m) ? 1.0f : 0.0f;
      continue;
    }
    const float minor_frequency = markers_.features[m - alleles.begin()].minor_frequency;
    const CandidateMask& carriers = carriers_[m - first];
    if (carriers.None()) {
      minor[m - alleles.begin()] = panel_share * minor_frequency;
    } else if (carriers == all) {
      minor[m - alleles.begin()] = 1 - panel_share * (1 - minor_frequency);
    } else {
      undecided_.push_back(static_cast<uint32_t>(m));
    }
  }
}

class CpuWindow : public BackendWindow {
 public:
  CpuWindow(const WindowTask& task, const ImputerWeights& weights)
      : task_(task),
        network_(weights, ComputePanelFeatures(task.panel.typed_panel(), task.estimates.copying)),
        workspaces_([this] { return SampleWorkspace(task_, network_); }) {}

  void Impute(std::unique_ptr<const SampleBatch> batch) override {
    const std::vector<uint32_t>& first_haplotype = task_.study.samples().first_haplotype;
    const tbb::blocked_range<size_t> all(0, batch->samples.size(), 1);
    tbb::parallel_for(all, [&](const tbb::blocked_range<size_t>& range) {
      SampleWorkspace& workspace = workspaces_.local();
      for (size_t s = range.begin(); s < range.end(); ++s) {
        SetRows(task_.panel, task_.markers.alleles, batch->samples[s], workspace.Impute(*batch, s),
                first_haplotype[batch->first_sample + s], task_.dosages);
        task_.on_sample(batch->samples[s]);
      }
    });
  }

 private:
  const WindowTask task_;
  const CpuNetwork network_;
  tbb::enumerable_thread_specific<SampleWorkspace> workspaces_;
};

class CpuBackend : public Backend {
 public:
  explicit CpuBackend(ImputerWeights weights) : weights_(std::move(weights)) {}

  std::unique_ptr<BackendWindow> Start(const WindowTask& task) override {
    return std::make_unique<CpuWindow>(task, weights_);
  }

 private:
  const ImputerWeights weights_;
};

}  // namespace

std::unique_ptr<Backend> MakeCpuBackend(const ImputerWeights& weights) { return std::make_unique<CpuBackend>(weights); }

}  // namespace haplospin
