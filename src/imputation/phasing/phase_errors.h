// Errors of phase in a phased study: where the haplotypes of a sample fit the panel far better if their alleles are
// exchanged from there on.
#pragma once

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <span>
#include <vector>

#include "imputation/copying/copying_model.h"
#include "imputation/copying/copying_states.h"
#include "imputation/copying/forward_backward.h"
#include "imputation/copying/state_selection.h"
#include "imputation/copying/typed_panel.h"
#include "imputation/samples/sample_targets.h"
#include "imputation/stage_times.h"
#include "imputation/window_dosages.h"

namespace haplospin {

// A typed heterozygote, and the logarithm of how many times more likely its sample's haplotypes are if their alleles
// are exchanged from there on.
struct PhaseRatio {
  size_t het;
  double log;
};

// What the haplotypes of a sample tell about the errors of their phase.
struct PhaseEvidence {
  size_t num_hets = 0;             // after the first
  std::vector<PhaseRatio> ratios;  // large ones that are not close to a larger one, the largest first
};

// The probability of an error at a heterozygote, by the evidence of many samples.
double EstimatePhaseErrorRate(std::span<const PhaseEvidence> samples);

class PhaseCorrector {
 public:
  // The panel and the times must outlive it.
  PhaseCorrector(const TypedPanel& panel, StageTimes& times) : panel_(panel), times_(times) {}

  // Corrects those of the samples whose phase was given. Sample s has the states of targets selected[s] and the next of
  // `selection`; the switch probabilities are as they were estimated, as larger ones hide errors. Runs on all threads;
  // the result does not depend on their number.
  void Correct(const CopyingModel& model, const StateSelection& selection, std::span<const size_t> selected,
               std::vector<SampleTargets>& samples);

 private:
  struct Workspace {
    CopyingStates states;  // of both haplotypes of a sample
    ForwardBackward first, second;
  };

  PhaseEvidence Examine(const CopyingModel& model, std::span<const TargetHaplotype> haplotypes, Workspace& workspace);
  std::vector<size_t> FindErrors(const CopyingModel& model, std::span<const TargetHaplotype> haplotypes,
                                 PhaseEvidence evidence, double error_rate, Workspace& workspace);

  const TypedPanel& panel_;
  StageTimes& times_;
  tbb::enumerable_thread_specific<Workspace> workspaces_;
};

// At typed markers [begin, end).
PhaseErrorCounts CountPhaseErrors(std::span<const SampleTargets> samples, size_t begin, size_t end);

}  // namespace haplospin
