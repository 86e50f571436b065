// What kind of study a run has. It is measured once, from the options of the run and its files; plan/window_plan.h
// turns it into what happens to a window.
#pragma once

#include "genotypes/imputation/backends/backend.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/imputation/stages/window_model.h"
#include "genotypes/variant_io/reading/study_reader.h"

namespace haplospin {

// What is written: every marker of the panel with its dosages, or the markers of the study with their phase.
enum class RunOutput { kDosages, kPhase };

// Whose haplotypes the samples copy.
enum class Reference { kPanel, kStudy };

// Where the genotypes of the study come from: GT, or the likelihoods of its reads, which are in the file or are those
// of aligned reads.
enum class Evidence { kCalls, kLikelihoods, kReads };

// Which people of the study's families are known: none, some of the study, or also some of the panel.
enum class Kin { kNone, kStudy, kPanel };

// What imputes the markers that a study does not have: a backend for the default network, or a model of another
// architecture, which takes haplotypes that are given; neither where phasing alone imputes.
struct Imputer {
  Backend* backend = nullptr;
  const WindowModel* model = nullptr;
};

struct StudyFacts {
  RunOutput output = RunOutput::kDosages;
  Reference reference = Reference::kPanel;
  Evidence evidence = Evidence::kCalls;
  Kin kin = Kin::kNone;  // of a contig, of which families may lack people

  bool accepts_unphased = true;    // samples that are not phased are phased; otherwise all must be phased
  bool may_be_adapted = false;     // what `panel adapt` has stored in the panel is used, if it has
  bool writes_study_only = false;  // markers of the study that the panel lacks are written, and completed

  // Returns whether a network imputes what is not typed; phasing alone imputes otherwise.
  bool IsImputedByNetwork() const {
    return output == RunOutput::kDosages && reference == Reference::kPanel && evidence == Evidence::kCalls;
  }
};

// Throws InputError if the options contradict each other. Nothing is known of kin yet.
StudyFacts MeasureFacts(const ImputeJob& job, RunOutput output, const Imputer& imputer = {});

// Returns how the study is read.
StudyOptions ReadingOptions(const ImputeJob& job, const StudyFacts& facts);

}  // namespace haplospin
