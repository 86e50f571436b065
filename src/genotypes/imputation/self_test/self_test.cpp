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
constexpr double kR2Gap = 0.05, kRatioGap = 0.5;  // the second relative to the median
constexpr size_t kMaxNamed = 5;

// Of the values that are defined.
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
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", name, kSelfTestBins[bin][0], kSelfTestBins[bin][1],
                     quality.num_imputed(), Number(quality.EstimatedR2()), quality.num_typed(),
                     Number(quality.TypedR2()), Number(quality.TypedConcordance()), Number(quality.ErrorRatio()));
}

void AddTo(std::vector<QualityByBin>& sums, std::span<const QualityByBin> samples) {
  sums.resize(samples.size());
  for (size_t s = 0; s < samples.size(); ++s) {
    for (size_t bin = 0; bin < kSelfTestBins.size(); ++bin) sums[s][bin] += samples[s][bin];
  }
}

}  // namespace

void SelfTest::Add(const std::string& contig, const std::vector<std::string>& names,
                   std::span<const QualityByBin> samples) {
  const std::scoped_lock lock(mutex_);
  names_ = names;
  AddTo(contigs_[contig], samples);
}

SelfTestFindings SelfTest::Find() const {
  SelfTestFindings findings{.names = names_};
  for (const auto& [contig, samples] : contigs_) AddTo(findings.qualities, samples);
  std::vector<double> r2, ratios;
  for (size_t s = 0; s < findings.qualities.size(); ++s) {
    r2.push_back(findings.R2(s));
    ratios.push_back(findings.ErrorRatio(s));
    findings.lowest_r2 = std::fmin(findings.lowest_r2, r2.back());
  }
  findings.median_r2 = Median(r2);
  findings.median_error_ratio = Median(ratios);
  findings.low_r2 = FarFromOthers(r2, -1, kR2Gap);
  findings.high_errors = FarFromOthers(ratios, 1, kRatioGap * findings.median_error_ratio);
  return findings;
}

std::string SelfTestFindings::Table() const {
  std::string table = "sample\tmin_maf\tmax_maf\timputed\tr2\ttyped\ttyped_r2\ttyped_concordance\terror_ratio\n";
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
}

}  // namespace haplospin
