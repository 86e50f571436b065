#include "genotypes/imputation/backends/gpu/phase_kernels.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace haplospin {

std::vector<PhaseEvidence> PhaseKernels::Examine(std::span<const ExaminedPhase> phases) {
  Prepare(phases);
  Run();
  std::vector<PhaseEvidence> evidence(phases.size());
  tbb::parallel_for(size_t{0}, phases.size(), [&](size_t p) {
    const size_t typed = data_.window.num_typed;
    std::vector<PhaseRatio> ratios;
    for (size_t j = typed - 1; j > 0; --j) {
      if (phases[p].IsHeterozygous(j)) ratios.push_back({j, ratios_[p * typed + j]});
    }
    evidence[p] = SummarizeEvidence(std::move(ratios));
  });
  return evidence;
}

void PhaseKernels::Prepare(std::span<const ExaminedPhase> phases) {
  const size_t typed = data_.window.num_typed;
  std::vector<HostStates::Choose> choose;
  for (const ExaminedPhase& phase : phases) {
    choose.push_back([&search = *phase.search, t = phase.search->selected[phase.sample]](CopyingStates& set) {
      search.selection.GetSegments(t, StateTargets::kBothWithFew, set);
    });
  }
  states_.Set(choose, typed);
  states_.SetOrder(phases.size(), [](size_t p) { return p; });
  targets_.Resize(2 * phases.size());
  alleles_.Resize(2 * phases.size() * typed);
  ratios_.Resize(phases.size() * typed);
  tbb::parallel_for(size_t{0}, targets_.size(), [&](size_t t) {
    const auto p = static_cast<uint32_t>(t / 2);
    targets_[t] = {p, p, kernels::kNone, phases[p].search->model.mismatch_probability};
    std::ranges::copy(phases[p].haplotypes[t % 2].alleles, alleles_.data() + t * typed);
  });
}

void PhaseKernels::Run() {
  kernels::GroupData& to = data_.group;
  to.targets = device_targets_.Upload(targets_.span());
  to.alleles = device_alleles_.Upload(alleles_.span());
  to.phase_ratio = phase_ratio_.Reserve(ratios_.size());
  UploadStates(states_);
  RunOverStates(Kernel::kExaminePhase, states_, 2);
  queue_.Download(ratios_.data(), to.phase_ratio, ratios_.span().size_bytes());
  queue_.Synchronize();
}

}  // namespace haplospin
