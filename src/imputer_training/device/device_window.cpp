#include "imputer_training/device/device_window.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "core/threads.h"
#include "haplospin/errors.h"
#include "imputation/imputing/stage_times.h"
#include "imputer_training/device/candidate_selection.h"
#include "imputer_training/network_inputs.h"

namespace haplospin {
namespace {

using torch::Tensor;

// Copies each row t of a float tensor [T, n] on the CPU to row(t).
template <typename Row>
void CopyRows(const Tensor& rows, const Row& row) {
  tbb::parallel_for(int64_t{0}, rows.size(0), [&](int64_t t) {
    std::vector<float>& out = row(static_cast<size_t>(t));
    out.resize(static_cast<size_t>(rows.size(1)));
    std::memcpy(out.data(), rows.data_ptr<float>() + t * rows.size(1), out.size() * sizeof(float));
  });
}

}  // namespace

DeviceWindow::DeviceWindow(const WindowTask& task, ImputerNetwork network, torch::Device device, size_t max_bytes)
    : task_(task),
      panel_(task.panel),
      network_(std::move(network)),
      panel_share_(torch::sigmoid(network_->panel_share).item<float>()),
      device_(device),
      max_bytes_(max_bytes),
      window_(task.panel, device) {}

DeviceWindow::~DeviceWindow() noexcept {
  background_.cancel();
  background_.wait();
}

void DeviceWindow::Impute(std::unique_ptr<const SampleBatch> batch) {
  Finish();
  batch_ = std::move(batch);
  background_.run([this] { ImputeBatch(*batch_); });
}

void DeviceWindow::Finish() { background_.wait(); }

void DeviceWindow::ImputeBatch(const SampleBatch& batch) {
  Group first, second, third;
  Group *before = &first, *now = &second, *next = &third;
  for (Prepare(batch, 0, *now); now->begin < now->end; std::swap(now, next)) {
    tbb::parallel_invoke([&] { Compute(*now); }, [&] { Prepare(batch, now->end, *next); },
                         [&] { Write(batch, *before); });
    std::swap(before, now);
  }
  Write(batch, *before);
}

// Takes as many samples from `begin` on as fit into memory, but at least one unless none are left.
void DeviceWindow::Prepare(const SampleBatch& batch, size_t begin, Group& group) {
  group.begin = group.end = begin;
  group.targets.clear();
  for (const size_t max_targets = MaxTargets(); group.end < batch.samples.size(); ++group.end) {
    const SampleTargets& sample = batch.samples[group.end];
    if (group.end > begin && group.targets.size() + sample.num_targets() > max_targets) break;
    for (size_t k = 0; k < sample.num_targets(); ++k) group.targets.push_back({&sample, k, group.end - begin});
  }
  if (group.targets.empty()) return;
  group.found.resize(group.targets.size());
  const std::vector<SharedStates> states = ChooseStates(batch, group);
  std::vector<BatchTarget> targets;
  for (size_t t = 0; t < group.targets.size(); ++t) {
    const Target& target = group.targets[t];
    targets.push_back({&target.of->haplotype(target.index), states[t].get(), &batch.model});
  }
  group.copying.emplace(panel_.typed_panel(), targets, device_);
}

void DeviceWindow::Write(const SampleBatch& batch, const Group& group) const {
  std::vector<size_t> first_target{0};
  for (size_t s = group.begin; s < group.end; ++s) {
    first_target.push_back(first_target.back() + batch.samples[s].num_targets());
  }
  tbb::parallel_for(group.begin, group.end, [&](size_t s) {
    const SampleTargets& sample = batch.samples[s];
    const auto found = std::span(group.found).subspan(first_target[s - group.begin], sample.num_targets());
    SetRows(panel_, sample, found, task_.study.samples->first_haplotype[batch.first_sample + s], task_.dosages);
    task_.on_sample(sample);
  });
}

// Returns the most targets of a group. Half of the memory is for their recursions and candidates, and for the alleles
// of the states of the next group.
size_t DeviceWindow::MaxTargets() const {
  constexpr size_t kOfCandidate = 80;  // bytes of a candidate in an anchor
  constexpr size_t kOfState = 1;       // bytes of a state at a typed marker: bits, and recursions at every 16th marker
  constexpr size_t kOfBlock = 4096;    // bytes of a state in a block of the recursions and the selection
  constexpr size_t kOfMarker = 12;     // bytes of a marker: its probability in three groups
  const size_t states = std::min(2 * panel_.options().states.max_states, panel_.typed_panel().num_haplotypes());
  const size_t bytes = panel_.typed_panel().anchors().size() * kMaxCandidates * kOfCandidate +
                       (panel_.typed_panel().num_typed() * kOfState + kOfBlock) * states +
                       panel_.marker_features().size() * kOfMarker;
  return std::max<size_t>(1, max_bytes_ / 2 / bytes);
}

// Returns the most targets of a part of a group, whose features, networks and alleles take the other half of the
// memory.
int64_t DeviceWindow::TargetsOfPart() const {
  constexpr size_t kOfCandidate = 768;  // bytes of a candidate in an anchor: features and layers of the network
  constexpr size_t kOfCarrier = 32;     // bytes of a candidate at a marker
  constexpr size_t kOfPair = 20;        // bytes of a candidate at a typed marker, in the search for mismatches
  constexpr size_t kPairs = 2048;       // approximate number of different candidates of a target
  const size_t bytes = panel_.typed_panel().anchors().size() * kMaxCandidates * kOfCandidate +
                       panel_.marker_features().size() * kMaxCandidates * kOfCarrier +
                       kPairs * panel_.typed_panel().num_typed() * kOfPair;
  return static_cast<int64_t>(std::max<size_t>(1, max_bytes_ / 2 / bytes));
}

void DeviceWindow::Compute(Group& group) const {
  const torch::NoGradGuard no_grad;
  const CandidateTensors candidates = FindCandidates(group);

  const ScopedTimer timer(stage_times.alleles, Threads());
  std::vector<const TargetHaplotype*> haplotypes;
  for (const Target& target : group.targets) haplotypes.push_back(&target.of->haplotype(target.index));
  const TargetTensors targets(panel_.typed_panel(), haplotypes, device_);
  const Tensor centered = CenteredAlleles(haplotypes);
  std::vector<Tensor> minor;
  const auto count = static_cast<int64_t>(haplotypes.size());
  for (int64_t first = 0, size; first < count; first += size) {
    size = std::min(TargetsOfPart(), count - first);
    minor.push_back(MinorProbabilities(targets.Narrow(first, size), centered.narrow(0, first, size),
                                       candidates.Narrow(first, size)));
  }
  CopyRows(torch::cat(minor).cpu().contiguous(), [&](size_t t) -> std::vector<float>& { return group.found[t].minor; });
}

// Chooses the states of each target. Targets of a sample that need the states of both haplotypes share them.
std::vector<DeviceWindow::SharedStates> DeviceWindow::ChooseStates(const SampleBatch& batch, const Group& group) {
  const auto needs_both = [&](size_t t) { return group.targets[t].of->NeedsStatesOfBoth(group.targets[t].index); };
  const auto has_those_before = [&](size_t t) {
    return t > 0 && needs_both(t) && needs_both(t - 1) && group.targets[t].sample == group.targets[t - 1].sample;
  };
  std::vector<SharedStates> states(group.targets.size());
  tbb::parallel_for(size_t{0}, states.size(), [&](size_t t) {
    if (has_those_before(t)) return;
    const ScopedTimer timer(stage_times.states);
    CopyingStates& chosen = states_.local();
    const size_t selected = batch.selected[group.begin + group.targets[t].sample];
    if (needs_both(t)) {
      batch.selection->GetForBoth(selected, chosen);
    } else {
      batch.selection->Get(selected + group.targets[t].index, chosen);
    }
    states[t] = std::make_shared<const PackedStates>(chosen, panel_.typed_panel().num_typed());
  });
  for (size_t t = 0; t < states.size(); ++t) {
    if (has_those_before(t)) states[t] = states[t - 1];
  }
  return states;
}

CandidateTensors DeviceWindow::FindCandidates(Group& group) const {
  const ScopedTimer timer(stage_times.recursions, Threads());
  std::vector<int64_t> samples;
  std::vector<float> most_probable;
  for (const Target& target : group.targets) {
    samples.push_back(static_cast<int64_t>(target.sample));
    most_probable.push_back(target.index < target.of->ploidy() ? 1.0f : 0.0f);
  }
  const SelectedCandidates selected =
      SelectCandidates(panel_.typed_panel(), *group.copying, panel_.options().min_product);
  CopyRows(selected.left_out.t().contiguous().cpu(),
           [&](size_t t) -> std::vector<float>& { return group.found[t].left_out; });

  CandidateTensors candidates;
  const Tensor slots = torch::arange(selected.state.size(2), torch::TensorOptions(device_));
  candidates.used = (slots < selected.count.unsqueeze(-1)).logical_and_(HasWeight(group).unsqueeze(-1));
  candidates.haplotype = group.copying->HaplotypesOf(selected.state, window_.anchors);
  candidates.forward = selected.forward;
  candidates.backward = selected.backward;
  candidates.at_left = selected.at_left;
  candidates.at_right = selected.at_right;
  AddSampleShares(window_,
                  {.sample = torch::tensor(samples).to(device_),
                   .is_most_probable = torch::tensor(most_probable).to(device_),
                   .num_samples = samples.back() + 1},
                  candidates);
  return candidates;
}

// Returns whether the version that a target belongs to has weight at the anchors: [A, T].
Tensor DeviceWindow::HasWeight(const Group& group) const {
  const std::span<const uint32_t> anchors = panel_.typed_panel().anchors();
  const size_t count = group.targets.size();
  Tensor has_weight = torch::ones({window_.anchors.size(0), static_cast<int64_t>(count)}, torch::kBool);
  for (size_t t = 0; t < count; ++t) {
    const std::vector<float>& weight = group.targets[t].of->version(group.targets[t].index).weight;
    if (weight.empty()) continue;
    for (size_t a = 0; a < anchors.size(); ++a) {
      has_weight.data_ptr<bool>()[a * count + t] = weight[anchors[a]] > 0;
    }
  }
  return has_weight.to(device_);
}

// Returns the probabilities of the minor alleles, with arbitrary values where alleles are given: [T, M].
Tensor DeviceWindow::MinorProbabilities(const TargetTensors& targets, const Tensor& centered,
                                        const CandidateTensors& candidates) const {
  const Tensor anchor = window_.anchor_of, carriers = Carriers(candidates);
  const Tensor num_carriers = carriers.sum(-1), num_candidates = candidates.used.sum(-1).index_select(0, anchor);

  // If all candidates agree, the target differs from them as rarely as panel haplotypes from those that they copy.
  const float share = std::min(panel_share_, panel_.copying().model.mismatch_probability);
  const Tensor frequency = window_.marker_features.select(1, marker_feature::kMinorFrequency).unsqueeze(1);
  Tensor p = torch::where(num_carriers == 0, share * frequency, 1 - share * (1 - frequency));
  const Tensor differs = (num_carriers > 0).logical_and(num_carriers < num_candidates).logical_and(~Given(targets));
  const std::vector<Tensor> at = torch::where(differs);  // [V] each
  if (at[0].numel() == 0) return p.t();

  const Tensor features = CopyFeaturesOf(window_, targets, candidates);
  NetworkTensors inputs;
  inputs.features = features.flatten(0, 1);
  inputs.at_left = candidates.at_left.flatten(0, 1);
  inputs.at_right = candidates.at_right.flatten(0, 1);
  inputs.panel_features = window_.panel_features.expand({inputs.features.size(0), -1});
  inputs.used = candidates.used.flatten(0, 1);
  inputs.interval = anchor.index_select(0, at[0]) * differs.size(1) + at[1];
  inputs.carriers = carriers.index({at[0], at[1]});
  inputs.marker_features = window_.marker_features.index_select(0, at[0]);
  inputs.marker_features.select(1, marker_feature::kRegression).copy_(Regressions(at[0], at[1], centered));
  p.index_put_({at[0], at[1]}, network_->Forward(inputs));
  return p.t();
}

// Returns which candidates carry the minor allele of each marker: [M, T, C].
Tensor DeviceWindow::Carriers(const CandidateTensors& candidates) const {
  const auto of_markers = [&](const Tensor& of_anchors) { return of_anchors.index_select(0, window_.anchor_of); };
  const Tensor byte_of = of_markers(candidates.haplotype.bitwise_right_shift(3));
  const Tensor bit = of_markers(candidates.haplotype.bitwise_and(7).to(torch::kByte));
  const Tensor bytes = window_.minor.gather(1, byte_of.flatten(1)).view_as(byte_of);
  return bytes.bitwise_right_shift(bit).bitwise_and(1).to(torch::kBool).logical_and(of_markers(candidates.used));
}

// Returns whether the study has the alleles of the targets: [M, T].
Tensor DeviceWindow::Given(const TargetTensors& targets) const {
  const Tensor observed = UnpackBits(targets.observed).t().index_select(0, window_.typed_index.clamp_min(0));
  return observed.logical_and((window_.typed_index >= 0).unsqueeze(1));
}

// Returns the probability of the minor allele by regression, at V pairs of a marker and a target: [V].
Tensor DeviceWindow::Regressions(const Tensor& marker, const Tensor& target, const Tensor& centered) const {
  Tensor frequency = window_.marker_features.select(1, marker_feature::kMinorFrequency).index_select(0, marker);
  if (window_.intercept.numel() == 0) return frequency;
  const Tensor fit = window_.fit.index_select(0, marker), row = fit.clamp_min(0);
  const Tensor typed = torch::arange(window_.coefficients.size(1), marker.options());
  const Tensor first = target * centered.size(1) + window_.first_typed.index_select(0, row);
  const Tensor alleles = centered.flatten().take(first.unsqueeze(1) + typed);
  const Tensor predicted =
      window_.intercept.index_select(0, row) + (window_.coefficients.index_select(0, row) * alleles).sum(1);
  return torch::where(fit >= 0, predicted, frequency);
}

Tensor DeviceWindow::CenteredAlleles(std::span<const TargetHaplotype* const> targets) const {
  Tensor centered = torch::empty({static_cast<int64_t>(targets.size()), window_.num_typed});
  tbb::parallel_for(size_t{0}, targets.size(), [&](size_t t) {
    std::vector<float> row;
    CenterAlleles(*targets[t], panel_.regression().means(), row);
    std::memcpy(centered.data_ptr<float>() + static_cast<int64_t>(t) * window_.num_typed, row.data(),
                row.size() * sizeof(float));
  });
  return centered.to(device_);
}

}  // namespace haplospin
