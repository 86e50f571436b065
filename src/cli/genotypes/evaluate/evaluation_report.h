// The results of `haplospin evaluate`, its outputs, and the texts that the outputs share.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/multiqc.h"
#include "core/provenance.h"
#include "genotypes/assessment/evaluation.h"
#include "genotypes/assessment/phase_accuracy.h"
#include "genotypes/assessment/truth_set.h"

namespace haplospin {

struct EvaluationReport {
  std::string truth, reference, target;  // paths; the last two may be empty
  size_t num_samples = 0;
  size_t num_scored = 0;
  size_t num_left_out = 0;  // typed sites
  size_t num_not_in_reference = 0;
  std::vector<MafGroup> own_bins;  // those of --bins, beside kMafGroups
  std::vector<Evaluation> imputed;
  std::vector<std::string> paths;  // [imputed]
  std::optional<SampleGroups> populations;
  std::vector<PhaseAccuracy> phase;  // [imputed]; empty without --phase
};

// Returns the table for the terminal: all measures of one file, or several files side by side.
std::string EvaluationTable(const EvaluationReport& report);

// Returns a line per file and group; an undefined measure is "NA".
std::string EvaluationTsv(const EvaluationReport& report);

// Returns a line per file and sample.
std::string PerSampleTsv(const EvaluationReport& report);

// Returns a line per file and scored site, in the order of the truth.
std::string PerSiteTsv(const EvaluationReport& report, const TruthSet& truth);

// Returns all results as JSON; an undefined measure is null.
std::string EvaluationJson(const EvaluationReport& report);

// Return the sections of MultiQC: measures over all sites, and r2 and mean DR2 by allele frequency.
MultiqcSection AccuracyMultiqc(const EvaluationReport& report);
MultiqcSection R2Multiqc(const EvaluationReport& report);
MultiqcSection Dr2Multiqc(const EvaluationReport& report);

// Returns an HTML file without scripts or external files. Its size does not depend on the number of sites; with many
// samples, it lists the samples with the lowest accuracy.
std::string EvaluationPage(const EvaluationReport& report, const TruthSet& truth, const Provenance& provenance);

// Measures as text; "-" where they are undefined (NaN).
inline std::string Share(double value) { return std::isnan(value) ? "-" : fmt::format("{:.4f}", value); }
inline std::string Percent(double value) { return std::isnan(value) ? "-" : fmt::format("{:.3f}", 100 * value); }
inline std::string Signed(double value) { return std::isnan(value) ? "-" : fmt::format("{:+.4f}", value); }
inline std::string Scientific(double value) { return std::isnan(value) ? "-" : fmt::format("{:.3e}", value); }

// "2 - 5": a bin or another group of sites, in percent.
std::string GroupTitle(const MafGroup& group);

// The numbers of samples and sites scored, and the source of the allele frequencies.
std::string ScoredText(const EvaluationReport& report);
std::string FrequencySource(const EvaluationReport& report);

// Returns the measures over all sites, with a column for each file; the first row is the heading.
std::vector<std::vector<std::string>> SummaryRows(const EvaluationReport& report);

// Measures of phase, and switch error rates by allele count, with a column for each file; the first row is the heading.
std::vector<std::vector<std::string>> PhaseRows(const EvaluationReport& report);
std::vector<std::vector<std::string>> SwitchRowsByAlleleCount(const EvaluationReport& report);

// Explains the rows of PhaseRows().
std::string PhaseLegend();

size_t SamplesIn(const SampleGroups& populations, size_t population);

bool IsAll(const MafGroup& group);

// The source of the IQS: "GP", or "GT" if there are no posteriors, or "DS" for rounded dosages if there are neither.
std::string IqsSource(const Evaluation& evaluation);

}  // namespace haplospin
