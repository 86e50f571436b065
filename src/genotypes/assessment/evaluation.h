// Accuracy of an imputed file: overall, per group of minor-allele frequency and per sample.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "genotypes/assessment/genotype_accuracy.h"
#include "genotypes/assessment/repeat_lengths.h"
#include "genotypes/assessment/truth_set.h"
#include "genotypes/variant_io/sample_groups.h"

namespace haplospin {

// The accuracy of a sample, or of several samples together.
struct SampleAccuracy {
  std::string name;
  size_t genotypes = 0;  // scored
  double r2 = kUndefined;
  double mse = kUndefined;
  double concordance = kUndefined;
  double non_reference_concordance = kUndefined;
  double iqs = kUndefined;
  AccuracySums sums;  // the measures are computed from these
};

// A site that was scored.
struct SiteAccuracy {
  size_t site = 0;   // index into the truth
  DosageSums minor;  // dosages of the minor allele
  double estimated_r2 = kUndefined;
};

// The leave-one-out accuracy of a typed site according to the file (INFO ER2); it needs no truth.
struct EmpiricalAccuracy {
  std::string contig;
  int64_t position = 0;
  double r2 = kUndefined;
};

// The calibration at the sites of a range of minor-allele frequency.
struct FrequencyCalibration {
  MafGroup group;
  Calibration dosages;     // dosage and true count of the minor allele, both by allele
  Calibration posteriors;  // GP and true genotypes
};

// Rare, low-frequency and common variants.
inline constexpr MafGroup kCalibrationGroups[] = {{.from = 0, .to = .005},
                                                  {.from = .005, .to = .05, .includes_from = false},
                                                  {.from = .05, .to = .5, .includes_from = false}};

struct Evaluation {
  std::string name;
  std::string program, model;    // program and model that imputed the file, by its header; may be empty
  bool has_posteriors = false;   // IQS is computed from GP, otherwise from best guesses
  bool has_genotypes = false;    // the best guesses are GT, otherwise rounded dosages
  size_t missing_genotypes = 0;  // missing in sites that the file has; scored as the mean dosage
  std::array<GroupAccuracy, kNumMafGroups> groups;  // [kMafGroups]
  std::vector<GroupAccuracy> own_bins;              // [own_bins] of Evaluate()
  std::vector<SampleAccuracy> samples;              // [samples], in the order of the truth
  std::vector<SiteAccuracy> sites;                  // sites of the file in its order, then the sites that it lacks
  std::vector<EmpiricalAccuracy> empirical;
  std::optional<RepeatAccuracy> repeats;           // if they are asked for
  Calibration dosages;                             // dosage and true count of ALT, both by allele
  Calibration posteriors;                          // the three posteriors of each genotype; empty unless has_posteriors
  std::vector<FrequencyCalibration> by_frequency;  // [kCalibrationGroups]

  double MeanEmpiricalR2() const;  // NaN without any
};

// Evaluates the samples of the truth, which the file must have, also in bins of its caller, and the lengths of repeats
// if asked for. Throws InputError if the
// file has none of the sites to score.
Evaluation Evaluate(const TruthSet& truth, const std::string& name, DosageReader reader,
                    std::span<const MafGroup> own_bins = {}, bool has_repeats = false);

// Squared errors of an evaluation relative to those of another one with the same truth, and the 95 % confidence
// interval of this ratio over the samples (Cochran 1977, Sampling Techniques, section 6.4). kUndefined where the other
// one has no errors, the interval also with a single sample.
struct RelativeError {
  double ratio = kUndefined;
  double low = kUndefined, high = kUndefined;
};

RelativeError ErrorRelativeTo(const Evaluation& evaluation, const Evaluation& other);

// The accuracy of the samples of each group together.
std::vector<SampleAccuracy> AccuracyOfGroups(const Evaluation& evaluation, const SampleGroups& groups);

}  // namespace haplospin
