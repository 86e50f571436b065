#include "imputer_training/device/device_imputer.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "core/threads.h"
#include "haplospin/errors.h"
#include "imputer_training/device/bit_tensors.h"
#include "imputer_training/device/candidate_selection.h"
#include "imputer_training/device/copying_batch.h"
#include "imputer_training/network_inputs.h"

namespace haplospin {
namespace {

using torch::Tensor;

// The float rows of a tensor [T, n] on the CPU, to the tasks.
template <typename Row>
void CopyRows(const Tensor& rows, std::span<const TargetTask> tasks, const Row& row) {
  tbb::parallel_for(size_t{0}, tasks.size(), [&](size_t t) {
    const std::span<float> out = row(tasks[t]);
    HS_ASSERT(static_cast<int64_t>(out.size()) == rows.size(1));
    std::memcpy(out.data(), rows.data_ptr<float>() + static_cast<int64_t>(t) * rows.size(1), out.size_bytes());
  });
}

}  // namespace

struct DeviceImputer::DeviceGroup : TargetGroup {
  DeviceGroup(const StateSelection& selection, std::span<const TargetTask> tasks, CopyingBatch copying_batch)
      : TargetGroup(selection, tasks), batch(std::move(copying_batch)) {}

  const CopyingBatch batch;
};

DeviceImputer::DeviceImputer(const WindowContext& context, ImputerNetwork network, torch::Device device,
                             size_t max_bytes)
    : context_(context),
      network_(std::move(network)),
      panel_share_(torch::sigmoid(network_->panel_share).item<float>()),
      device_(device),
      max_bytes_(max_bytes),
      window_(context, device) {}

// Half of the memory is for the recursions and candidates of all targets at a time, and for the alleles of the states
// of the next ones.
size_t DeviceImputer::max_targets() const {
  constexpr size_t kOfCandidate = 80;  // in several tensors
  constexpr size_t kOfState = 1;       // at a typed marker: a bit of two groups, and the recursions at every 16th one
  constexpr size_t kOfBlock = 4096;    // of a state, in the recursions and the selection of candidates
  constexpr size_t kOfMarker = 12;     // probabilities of three groups
  const size_t states = std::min(2 * context_.copying.states.max_states, context_.array.num_haplotypes());
  const size_t bytes = context_.array.anchors().size() * kMaxCandidates * kOfCandidate +
                       (context_.array.num_typed() * kOfState + kOfBlock) * states +
                       context_.marker_features.size() * kOfMarker;
  return std::max<size_t>(1, max_bytes_ / 2 / bytes);
}

// The other half is for features, networks and alleles of a part of them.
int64_t DeviceImputer::TargetsOfPart() const {
  constexpr size_t kOfCandidate = 768;  // its features, and what the network makes of them
  constexpr size_t kOfCarrier = 32;     // of a marker and a candidate
  constexpr size_t kOfPair = 20;        // of a candidate and a typed marker, where mismatches are searched
  constexpr size_t kPairs = 2048;       // different candidates of a target, about
  const size_t bytes = context_.array.anchors().size() * kMaxCandidates * kOfCandidate +
                       context_.marker_features.size() * kMaxCandidates * kOfCarrier +
                       kPairs * context_.array.num_typed() * kOfPair;
  return static_cast<int64_t>(std::max<size_t>(1, max_bytes_ / 2 / bytes));
}

std::unique_ptr<TargetGroup> DeviceImputer::Prepare(const StateSelection& selection,
                                                    std::span<const TargetTask> tasks) {
  const std::vector<SharedStates> states = ChooseStates(selection, tasks);
  std::vector<BatchTarget> targets;
  for (size_t t = 0; t < tasks.size(); ++t) targets.push_back({tasks[t].target, states[t].get(), tasks[t].model});
  return std::make_unique<DeviceGroup>(selection, tasks, CopyingBatch(context_.array, targets, device_));
}

void DeviceImputer::Impute(TargetGroup& prepared) {
  const torch::NoGradGuard no_grad;
  const auto& group = static_cast<const DeviceGroup&>(prepared);
  const std::span<const TargetTask> tasks = group.tasks;
  const CandidateTensors candidates = FindCandidates(group);

  const StageTimer timer(context_.times.alleles, Threads());
  std::vector<const TargetHaplotype*> haplotypes;
  for (const TargetTask& task : tasks) haplotypes.push_back(task.target);
  const TargetTensors targets(context_.array, haplotypes, device_);
  const Tensor centered = CenteredAlleles(tasks);
  std::vector<Tensor> minor;
  const auto count = static_cast<int64_t>(tasks.size());
  for (int64_t first = 0, size; first < count; first += size) {
    size = std::min(TargetsOfPart(), count - first);
    minor.push_back(MinorProbabilities(targets.Narrow(first, size), centered.narrow(0, first, size),
                                       candidates.Narrow(first, size)));
  }
  CopyRows(torch::cat(minor).cpu().contiguous(), tasks, [](const TargetTask& task) { return task.minor_probability; });
}

// The other versions of a sample's phase, and haplotypes whose phase was corrected, have alleles of both, and so the
// same states.
std::vector<DeviceImputer::SharedStates> DeviceImputer::ChooseStates(const StateSelection& selection,
                                                                     std::span<const TargetTask> tasks) {
  const auto has_those_before = [&](size_t t) {
    return t > 0 && tasks[t].has_states_of_both && tasks[t - 1].has_states_of_both &&
           tasks[t].sample == tasks[t - 1].sample;
  };
  std::vector<SharedStates> states(tasks.size());
  tbb::parallel_for(size_t{0}, tasks.size(), [&](size_t t) {
    if (has_those_before(t)) return;
    const StageTimer timer(context_.times.states);
    CopyingStates& chosen = states_.local();
    if (tasks[t].has_states_of_both) {
      selection.GetForBoth(tasks[t].selected, chosen);
    } else {
      selection.Get(tasks[t].selected, chosen);
    }
    states[t] = std::make_shared<const PackedStates>(chosen, context_.array.num_typed());
  });
  for (size_t t = 0; t < tasks.size(); ++t) {
    if (has_those_before(t)) states[t] = states[t - 1];
  }
  return states;
}

CandidateTensors DeviceImputer::FindCandidates(const DeviceGroup& group) const {
  const StageTimer timer(context_.times.recursions, Threads());
  const std::span<const TargetTask> tasks = group.tasks;
  std::vector<int64_t> samples;
  std::vector<float> most_probable;
  for (const TargetTask& task : tasks) {
    samples.push_back(static_cast<int64_t>(task.sample));
    most_probable.push_back(task.is_other_version ? 0.0f : 1.0f);
  }
  const SelectedCandidates selected = SelectCandidates(context_.array, group.batch, context_.copying.min_product);
  CopyRows(selected.left_out.t().contiguous().cpu(), tasks, [](const TargetTask& task) { return task.left_out; });

  CandidateTensors candidates;
  const Tensor slots = torch::arange(selected.state.size(2), torch::TensorOptions(device_));
  candidates.used = (slots < selected.count.unsqueeze(-1)).logical_and_(HasWeight(tasks).unsqueeze(-1));
  candidates.haplotype = group.batch.HaplotypesOf(selected.state, window_.anchors);
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

// [A, T] whether the version that a target belongs to has weight at the anchors.
Tensor DeviceImputer::HasWeight(std::span<const TargetTask> tasks) const {
  Tensor has_weight = torch::ones({window_.anchors.size(0), static_cast<int64_t>(tasks.size())}, torch::kBool);
  for (size_t t = 0; t < tasks.size(); ++t) {
    if (tasks[t].weight.empty()) continue;
    for (size_t a = 0; a < context_.array.anchors().size(); ++a) {
      has_weight.data_ptr<bool>()[a * tasks.size() + t] = tasks[t].weight[context_.array.anchors()[a]] > 0;
    }
  }
  return has_weight.to(device_);
}

// [T, M]; where alleles are given, anything.
Tensor DeviceImputer::MinorProbabilities(const TargetTensors& targets, const Tensor& centered,
                                         const CandidateTensors& candidates) {
  const Tensor anchor = window_.anchor_of, carriers = Carriers(candidates);
  const Tensor num_carriers = carriers.sum(-1), num_candidates = candidates.used.sum(-1).index_select(0, anchor);

  // Where all candidates agree, the target differs from them as rarely as the panel's haplotypes from those they copy.
  const float share = std::min(panel_share_, context_.panel_copying.model.mismatch_probability);
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

// Which candidates carry the minor allele of each marker: [M, T, C].
Tensor DeviceImputer::Carriers(const CandidateTensors& candidates) const {
  const auto of_markers = [&](const Tensor& of_anchors) { return of_anchors.index_select(0, window_.anchor_of); };
  const Tensor byte_of = of_markers(candidates.haplotype.bitwise_right_shift(3));
  const Tensor bit = of_markers(candidates.haplotype.bitwise_and(7).to(torch::kByte));
  const Tensor bytes = window_.minor.gather(1, byte_of.flatten(1)).view_as(byte_of);
  return bytes.bitwise_right_shift(bit).bitwise_and(1).to(torch::kBool).logical_and(of_markers(candidates.used));
}

// Whether the study has the alleles of the targets: [M, T].
Tensor DeviceImputer::Given(const TargetTensors& targets) const {
  const Tensor observed = UnpackBits(targets.observed).t().index_select(0, window_.typed_index.clamp_min(0));
  return observed.logical_and((window_.typed_index >= 0).unsqueeze(1));
}

// The minor allele's probability by regression, at markers of targets: [V].
Tensor DeviceImputer::Regressions(const Tensor& marker, const Tensor& target, const Tensor& centered) const {
  const Tensor frequency = window_.marker_features.select(1, marker_feature::kMinorFrequency).index_select(0, marker);
  if (window_.intercept.numel() == 0) return frequency;
  const Tensor fit = window_.fit.index_select(0, marker), row = fit.clamp_min(0);
  const Tensor typed = torch::arange(window_.coefficients.size(1), marker.options());
  const Tensor first = target * centered.size(1) + window_.first_typed.index_select(0, row);
  const Tensor alleles = centered.flatten().take(first.unsqueeze(1) + typed);
  const Tensor predicted =
      window_.intercept.index_select(0, row) + (window_.coefficients.index_select(0, row) * alleles).sum(1);
  return torch::where(fit >= 0, predicted, frequency);
}

Tensor DeviceImputer::CenteredAlleles(std::span<const TargetTask> tasks) const {
  Tensor centered = torch::empty({static_cast<int64_t>(tasks.size()), window_.num_typed});
  tbb::parallel_for(size_t{0}, tasks.size(), [&](size_t t) {
    std::vector<float> row;
    CenterAlleles(*tasks[t].target, context_.regression.means(), row);
    std::memcpy(centered.data_ptr<float>() + static_cast<int64_t>(t) * window_.num_typed, row.data(),
                row.size() * sizeof(float));
  });
  return centered.to(device_);
}

}  // namespace haplospin
