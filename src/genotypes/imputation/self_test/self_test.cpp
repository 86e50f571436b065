#include "genotypes/imputation/self_test/self_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"

namespace haplospin {
namespace {

// A sample is named if it is further from the median than most: by a least gap, and by so many standard deviations,
// estimated from the median deviation.
constexpr double kDeviations = 5, kMedianToDeviation = 1.4826;
constexpr double kR2Gap = 0.05, kRatioGap = 0.5, kMismatchGap = 0.05;  // the second relative to the median
constexpr double kMismatchErrors = 5;  // standard errors above the median; neighbors are not independent
constexpr size_t kMaxNamed = 5;

// Returns the median of the values that are defined.
double Median(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return kUndefined;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Returns the people whose value is above the median (`side` 1) or below it (-1) by more than the gap.
std::vector<size_t> FarFromOthers(const std::vector<double>& values, double side, double least_gap) {
  std::vector<double> deviations;
  const double median = Median(values);
  for (const double value : values) deviations.push_back(std::abs(value - median));
  std::vector<size_t> far;
  const auto defined = std::ranges::count_if(values, [](double value) { return !std::isnan(value); });
  if (std::cmp_less(defined, kMinComparedPeople)) return far;
  const double gap = std::max(least_gap, kDeviations * kMedianToDeviation * Median(std::move(deviations)));
  for (size_t s = 0; s < values.size(); ++s) {
    if (side * (values[s] - median) > gap) far.push_back(s);
  }
  return far;
}

std::string Number(double value) { return std::isnan(value) ? "." : fmt::format("{:.4f}", value); }

std::string Row(const std::string& name, size_t bin, const SampleQuality& quality) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", name, kSelfTestBins[bin][0], kSelfTestBins[bin][1],
                     quality.num_imputed(), Number(quality.EstimatedR2()), quality.num_typed(),
                     Number(quality.TypedR2()), Number(quality.TypedConcordance()), Number(quality.ErrorRatio()),
                     quality.num_held_out(), Number(quality.Mismatch()));
}

void AddTo(QualityByBin& sums, const QualityByBin& quality) {
  for (size_t bin = 0; bin < kSelfTestBins.size(); ++bin) sums[bin] += quality[bin];
}

}  // namespace

void SelfTest::Add(const std::string& contig, const std::vector<std::string>& names,
                   std::span<const QualityByBin> samples) {
  std::vector<QualityByBin>& sums = contigs_[contig];
  for (size_t s = 0; s < samples.size(); ++s) {
    const auto [person, is_new] = people_.emplace(names[s], names_.size());
    if (is_new) names_.push_back(names[s]);
    sums.resize(std::max(sums.size(), person->second + 1));
    AddTo(sums[person->second], samples[s]);
  }
}

SelfTestFindings SelfTest::Find() const {
  SelfTestFindings findings{.names = names_};
  findings.qualities.resize(names_.size());
  for (const auto& [contig, sums] : contigs_) {
    for (size_t s = 0; s < sums.size(); ++s) AddTo(findings.qualities[s], sums[s]);
  }
  std::vector<double> r2, ratios, mismatches;
  for (size_t s = 0; s < findings.qualities.size(); ++s) {
    r2.push_back(findings.R2(s));
    ratios.push_back(findings.ErrorRatio(s));
    mismatches.push_back(findings.Mismatch(s));
    findings.lowest_r2 = std::fmin(findings.lowest_r2, r2.back());
  }
  findings.median_r2 = Median(r2);
  findings.median_error_ratio = Median(ratios);
  findings.median_mismatch = Median(mismatches);
  findings.low_r2 = FarFromOthers(r2, -1, kR2Gap);
  findings.high_mismatch = FarFromOthers(mismatches, 1, kMismatchGap);
  // That of few hidden genotypes is far from others by chance.
  std::erase_if(findings.high_mismatch, [&](size_t s) {
    const double error = findings.qualities[s][0].MismatchError();
    return mismatches[s] - kMismatchErrors * error < findings.median_mismatch;
  });
  findings.high_errors = FarFromOthers(ratios, 1, kRatioGap * findings.median_error_ratio);
  return findings;
}

std::string SelfTestFindings::Table() const {
  std::string table =
      "sample\tmin_maf\tmax_maf\timputed\tr2\ttyped\ttyped_r2\ttyped_concordance\terror_ratio\t"
      "held_out\tmismatch\n";
  for (size_t s = 0; s < qualities.size(); ++s) {
    for (size_t bin = 0; bin < kSelfTestBins.size(); ++bin) table += Row(names[s], bin, qualities[s][bin]);
  }
  return table;
}

void SelfTestFindings::Tell(const std::string& table) const {
  if (std::isnan(median_r2)) return;
  LogInfo("{}: estimated r2 of the imputed dosages of {}: median {:.3f}, lowest {:.3f}", table,
          Counted(names.size(), "sample"), median_r2, lowest_r2);
  const auto named = [&](const std::vector<size_t>& people, double (SelfTestFindings::*value)(size_t) const) {
    std::vector<std::string> texts;
    for (const size_t s : people) texts.push_back(fmt::format("{} ({:.3f})", names[s], (this->*value)(s)));
    return JoinNames(texts, kMaxNamed);
  };
  if (!low_r2.empty()) {
    LogWarning(
        "{}: {} imputed far less accurately than the others (r2): {}; look for missing genotypes, contamination, or "
        "people whose population the panel lacks",
        table, low_r2.size() == 1 ? "1 sample is" : fmt::format("{} samples are", low_r2.size()),
        named(low_r2, &SelfTestFindings::R2));
  }
  if (!high_errors.empty()) {
    LogWarning(
        "{}: what is known of {} differs more from what is imputed than that of others (error_ratio, median {:.3f}): "
        "{}; look for wrong genotypes and contamination",
        table, Counted(high_errors.size(), "sample"), median_error_ratio,
        named(high_errors, &SelfTestFindings::ErrorRatio));
  }
  if (!high_mismatch.empty()) {
    LogWarning(
        "{}: the hidden reads of {} agree less with what is imputed than those of others (mismatch, median {:.3f}): "
        "{}; "
        "look for contamination, and people whose population the panel lacks",
        table, Counted(high_mismatch.size(), "sample"), median_mismatch,
        named(high_mismatch, &SelfTestFindings::Mismatch));
  }
}

}  // namespace haplospin
