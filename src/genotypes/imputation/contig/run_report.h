// What a run has done and found, as values. run_messages.h tells the user of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/one_allele.h"
#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/imputation/adapt/adapted_array.h"
#include "genotypes/imputation/checks/panel_overlap.h"
#include "genotypes/imputation/checks/typed_agreement.h"
#include "genotypes/imputation/window/window_report.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/writing/dosage_writer.h"

namespace haplospin {

// The markers that were written. A marker is typed if the study has its genotypes; one of which the study has reads or
// likelihoods is imputed.
struct MarkerCounts {
  size_t imputed = 0;
  size_t with_likelihoods = 0;  // of these, with reads or with likelihoods of the study
  size_t typed = 0;
  size_t completed = 0;  // markers of the study with missing genotypes that were imputed
  size_t not_in_panel = 0;
  size_t unphased = 0;    // of those not in the panel, with unphased genotypes
  size_t incomplete = 0;  // of these, with missing genotypes that were not imputed
  size_t as_given = 0;    // without a panel, markers of the one sample that has the contig, written as they are
  size_t misaligned = 0;  // study markers at a panel marker with swapped or complemented alleles: not used to impute or
                          // phase. They are left out with dosages, and written as they are with phases
  TypedAgreement agreement;  // of typed markers with those around them

  MarkerCounts& operator+=(const MarkerCounts& other);
};

// Genotypes in phase sets that another set interrupts.
struct InterruptedSets {
  size_t genotypes = 0;
  std::string first;  // "sample NAME at CONTIG:POSITION"
};

// Windows with fewer than two typed sites, or contigs with one.
struct FewTyped {
  size_t count = 0;
  size_t typed = 0;   // sites of the first
  std::string first;  // "CONTIG:FIRST-LAST"

  void Add(size_t sites, const std::string& place) {
    if (count++ == 0) *this = {1, sites, place};
  }
  FewTyped& operator+=(const FewTyped& other);
};

// A contig, or a part of one.
struct ContigReport {
  MarkerCounts markers;
  AlignmentCounts alignment;
  PanelOverlap overlap;
  WindowReport windows;
  ArrayAgreement array;
  InterruptedSets interrupted;
  bool has_samples = true;  // false on Y in a study of women
  std::string lone_sample;  // the one with the contig, if its genotypes were written as they are
  FewTyped few_typed;       // windows that are imputed from the typed sites of their neighbors
  FewTyped lone_typed;      // the contig, if it has no more than one typed site
  OneAlleleSamples one_allele;
};

struct RunReport {
  size_t samples = 0;
  MarkerCounts markers;
  size_t left_out = 0;  // records that are not written, as OutputFields asks
  MeanDr2 mean_dr2;     // over the whole output, if it has enough samples
  AlignmentCounts alignment;
  WindowReport windows;
  std::string array_name;  // that the panel is adapted to; empty if to none
  ArrayAgreement array;
  size_t typed_sites = 0;
  int64_t covered = 0;              // bp of the panel
  FewTyped few_typed;               // windows
  FewTyped lone_typed;              // contigs
  OneAlleleSamples one_allele;      // of the contig that has most
  std::vector<std::string> absent;  // contigs and parts of contigs that the panel does not have
  StudyReading reading;
  size_t mendelian_errors = 0;
  std::string first_mendelian_error;

  void Add(const ContigReport& contig);
};

inline constexpr size_t kMinSamplesForDr2 = 20;  // samples from which on DR2 is meaningful

}  // namespace haplospin
