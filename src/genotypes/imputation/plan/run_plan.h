// What a run does. It is decided once, from the options of the run and the model; everything after it reads the plan.
#pragma once

#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/imputation/stages/phasing/phasing_plan.h"
#include "genotypes/imputation/stages/window_model.h"
#include "genotypes/variant_io/reading/study_reader.h"

namespace haplospin {

// What is written: every marker of the panel with its dosages, or the markers of the study with their phase.
enum class RunOutput { kDosages, kPhase };

// Whose haplotypes the samples copy.
enum class Reference { kPanel, kStudy };

// Where the genotypes of the study come from: GT, or the likelihoods of its reads (--likelihoods).
enum class GenotypeSource { kCalls, kLikelihoods };

struct RunPlan {
  RunOutput output;
  Reference reference;
  GenotypeSource genotypes;

  // A network imputes what is not typed; otherwise phasing alone imputes.
  bool uses_network;

  // All markers of the panel take part in phasing, also those that the study does not have.
  bool phases_whole_panel;

  // The memory for phasing grows with the markers of a window, so that their number is limited.
  bool limits_markers;

  // Missing genotypes at study markers that the panel lacks are imputed from the other samples of the study.
  bool imputes_study_only;

  // What `panel adapt` has stored in the panel is used, if it has.
  bool uses_adaptation;

  // How the study is read.
  StudyOptions study;
};

// Returns whether a network imputes the dosages of the job: there is a panel, and genotypes are called. Phasing alone
// imputes all others.
bool ImputesByNetwork(const ImputeJob& job);

// Returns from what phasing alone imputes, or phases, the samples of the job.
PhasingSource ChosenPhasing(const ImputeJob& job);

// Throws InputError if the options contradict each other. `model` imputes the windows.
RunPlan MakeRunPlan(const ImputeJob& job, RunOutput output, const WindowModel& model);

}  // namespace haplospin
