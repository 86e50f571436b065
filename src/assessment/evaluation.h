// Accuracy of an imputed file: overall, per group of minor-allele frequency and per sample.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assessment/calibration.h"
#include "assessment/genotype_accuracy.h"
#include "assessment/maf_groups.h"
#include "assessment/truth_set.h"
#include "variant_io/sample_groups.h"

namespace haplospin {

// Of a sample, or of samples together.
struct SampleAccuracy {
  std::string name;
  size_t genotypes = 0;  // scored
  double r2 = kUndefined;
  double mse = kUndefined;
  double concordance = kUndefined;
  double non_reference_concordance = kUndefined;
  double iqs = kUndefined;
  AccuracySums sums;  // what the measures are of
};

SampleAccuracy AccuracyOfSample(const std::string& name, const AccuracySums& sums);

// A site that was scored.
struct SiteAccuracy {
  size_t site = 0;   // of the truth
  DosageSums minor;  // of the minor allele
  double estimated_r2 = kUndefined;
};

// The leave-one-out accuracy of a typed site according to the file (INFO ER2); it needs no truth.
struct EmpiricalAccuracy {
  std::string contig;
  int64_t position = 0;
  double r2 = kUndefined;
};

// Of the sites of a range of minor-allele frequency.
struct FrequencyCalibration {
  MafGroup group;
  Calibration dosages;     // dosage and true count of the minor allele, both by allele
  Calibration posteriors;  // as in Evaluation
};

// Rare, low-frequency and common variants.
inline constexpr MafGroup kCalibrationGroups[] = {{.from = 0, .to = .005},
                                                  {.from = .005, .to = .05, .includes_from = false},
                                                  {.from = .05, .to = .5, .includes_from = false}};

struct Evaluation {
  std::string name;
  std::string program, model;           // that imputed it, according to the header; may be empty
  bool has_posteriors = false;          // IQS is of GP; else of best guesses
  size_t missing_genotypes = 0;         // in sites that the file has; scored as the mean
  std::vector<GroupAccuracy> groups;    // as asked for
  std::vector<SampleAccuracy> samples;  // as in the truth
  std::vector<SiteAccuracy> sites;      // in the order of the file, then those that are not in the file
  std::vector<EmpiricalAccuracy> empirical;
  Calibration dosages;                             // dosage and true count of ALT, both by allele
  Calibration posteriors;                          // each of a genotype's posteriors; empty unless has_posteriors
  std::vector<FrequencyCalibration> by_frequency;  // for each of kCalibrationGroups

  double MeanEmpiricalR2() const;  // NaN without any
};

// Of the samples of the truth, which the file must have. Throws InputError if none of the sites to score is in it.
Evaluation Evaluate(const TruthSet& truth, const std::string& name, DosageReader reader,
                    std::span<const MafGroup> groups);

// Squared errors of an evaluation relative to those of another one with the same truth, and the 95 % confidence
// interval of this ratio over the samples (Cochran 1977, Sampling Techniques, section 6.4). kUndefined where the other
// one has no errors, the interval also with a single sample.
struct RelativeError {
  double ratio = kUndefined;
  double low = kUndefined, high = kUndefined;
};

RelativeError ErrorRelativeTo(const Evaluation& evaluation, const Evaluation& other);

// The samples of each group together.
std::vector<SampleAccuracy> AccuracyOfGroups(const Evaluation& evaluation, const SampleGroups& groups);

}  // namespace haplospin
