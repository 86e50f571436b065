// What `haplospin evaluate` found, and the texts that its table and its page share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assessment/evaluation.h"
#include "assessment/phase_accuracy.h"

namespace haplospin {

struct EvaluationReport {
  std::string truth, reference, target;  // paths; the last two may be empty
  size_t num_samples = 0;
  size_t num_scored = 0;
  size_t num_left_out = 0;  // typed sites
  size_t num_not_in_reference = 0;
  std::vector<MafGroup> groups;  // as MakeMafGroups() has them
  std::vector<Evaluation> imputed;
  std::vector<std::string> paths;  // of each imputed file
  std::optional<SampleGroups> populations;
  std::vector<PhaseAccuracy> phase;  // of each imputed file; empty unless asked for
};

// "2 - 5": a bin or another group of sites, in percent.
std::string GroupTitle(const MafGroup& group);

// The numbers of samples and sites scored, and the source of the allele frequencies.
std::string ScoredText(const EvaluationReport& report);
std::string FrequencySource(const EvaluationReport& report);

// Measures over all sites, with a column for each file; the first row is the heading.
std::vector<std::vector<std::string>> SummaryRows(const EvaluationReport& report);

// Measures of phase, and switch error rates by allele count, with a column for each file; the first row is the heading.
std::vector<std::vector<std::string>> PhaseRows(const EvaluationReport& report);
std::vector<std::vector<std::string>> SwitchRowsByAlleleCount(const EvaluationReport& report);

// What the rows of PhaseRows() mean.
std::string PhaseLegend();

size_t SamplesIn(const SampleGroups& populations, size_t population);

// The groups are bins of allele frequency, then these, counted from the end.
enum class SummaryGroup : size_t { kFromHalfPercent = 4, kFromOnePercent = 3, kFromFivePercent = 2, kAll = 1 };

size_t NumBins(const EvaluationReport& report);
bool IsAll(const MafGroup& group);
const GroupAccuracy& Summary(const Evaluation& evaluation, SummaryGroup group);

// What IQS is computed from: "GP", or "GT" where there are no posteriors.
std::string IqsSource(const Evaluation& evaluation);

}  // namespace haplospin
