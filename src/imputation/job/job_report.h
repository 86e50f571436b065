// What a run over a study reports: its totals, and warnings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "genomics/sites/panel_alignment.h"
#include "imputation/copying/study_fit.h"
#include "imputation/job/contig_phase.h"
#include "imputation/job/contig_run.h"
#include "imputation/job/impute_job.h"
#include "imputation/job/transmission.h"
#include "imputation/phasing/phase_errors.h"
#include "variant_io/reading/panel_reader.h"
#include "variant_io/reading/study_reader.h"

namespace haplospin {

// What the contigs of a study add up to.
struct JobTotals {
  ImputeCounts counts;
  AlignmentCounts alignment;
  StudyFit fit;
  PhaseErrorCounts phase_errors;

  void Add(const ContigRun& contig) {
    counts.samples = contig.counts().samples;
    counts.imputed += contig.counts().imputed;
    counts.typed += contig.counts().typed;
    counts.not_in_panel += contig.counts().not_in_panel;
    counts.misaligned += contig.counts().misaligned;
    alignment += contig.alignment();
    fit += contig.fit();
    phase_errors += contig.phase_errors();
  }
};

// People that are both in the study and in the panel.
void WarnOfSharedSamples(const ImputeJob& job, const StudyReader& study, const PanelReader& panel);

// Mendelian errors.
void WarnOfErrors(const ImputeJob& job, const std::optional<TransmissionPhaser>& families);

// Phase sets of a contig that overlap.
void WarnOfPhaseSets(const ImputeJob& job, const ContigPhase& phase);

// `absent`: contigs that the panel does not have.
void WarnOfTotals(const ImputeJob& job, const StudyReader& study, const JobTotals& totals,
                  const std::vector<std::string>& absent);

}  // namespace haplospin
