#include "genotypes/imputation/self_test/self_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"

namespace haplospin {
namespace {

// A sample is named if it is further from the median than most: by a least gap, and by so many standard deviations,
// estimated from the median deviation.
constexpr double kDeviations = 5, kMedianToDeviation = 1.4826;
constexpr double kR2Gap = 0.05, kRatioGap = 0.5;  // the second relative to the median
constexpr size_t kMinSamples = 10;
constexpr size_t kMaxNamed = 5;

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// A value of each sample that has one.
struct SampleValues {
  std::vector<std::string> names;
  std::vector<double> values;

  void Add(const std::string& name, double value) {
    if (std::isnan(value)) return;
    names.push_back(name);
    values.push_back(value);
  }

  // Returns the samples whose value is above the median (`side` 1) or below it (-1) by more than the gap.
  std::vector<std::string> FarFrom(double median, double side, double least_gap) const {
    std::vector<double> deviations;
    for (const double value : values) deviations.push_back(std::abs(value - median));
    const double gap = std::max(least_gap, kDeviations * kMedianToDeviation * Median(std::move(deviations)));
    std::vector<std::string> far;
    for (size_t s = 0; s < values.size(); ++s) {
      if (side * (values[s] - median) > gap) far.push_back(fmt::format("{} ({:.3f})", names[s], values[s]));
    }
    return far;
  }
};

std::string SamplesAre(const std::vector<std::string>& names) {
  return names.size() == 1 ? "1 sample is" : fmt::format("{} samples are", names.size());
}

void WarnOfLowR2(const std::string& table, const SampleValues& r2, double median) {
  const std::vector<std::string> low = r2.FarFrom(median, -1, kR2Gap);
  if (low.empty()) return;
  LogWarning(
      "{}: {} imputed far less accurately than the others (r2): {}; look for missing genotypes, contamination, or "
      "people whose population the panel lacks",
      table, SamplesAre(low), JoinNames(low, kMaxNamed));
}

void WarnOfErrors(const std::string& table, const SampleValues& ratios) {
  if (ratios.values.size() < kMinSamples) return;
  const double median = Median(ratios.values);
  const std::vector<std::string> high = ratios.FarFrom(median, 1, kRatioGap * median);
  if (high.empty()) return;
  LogWarning(
      "{}: what is known of {} differs more from what is imputed than that of others (error_ratio, median {:.3f}): {}; "
      "look for wrong genotypes and contamination",
      table, high.size() == 1 ? "1 sample" : fmt::format("{} samples", high.size()), median,
      JoinNames(high, kMaxNamed));
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

std::vector<QualityByBin> SelfTest::Sum() const {
  std::vector<QualityByBin> sums;
  for (const auto& [contig, samples] : contigs_) AddTo(sums, samples);
  return sums;
}

std::string SelfTest::Table() const {
  std::string table = "sample\tmin_maf\tmax_maf\timputed\tr2\ttyped\ttyped_r2\ttyped_concordance\terror_ratio\n";
  const std::vector<QualityByBin> samples = Sum();
  for (size_t s = 0; s < samples.size(); ++s) {
    for (size_t bin = 0; bin < kSelfTestBins.size(); ++bin) table += Row(names_[s], bin, samples[s][bin]);
  }
  return table;
}

void SelfTest::Tell(const std::string& table) const {
  const std::vector<QualityByBin> samples = Sum();
  SampleValues r2, ratios;
  for (size_t s = 0; s < samples.size(); ++s) {
    r2.Add(names_[s], samples[s][0].EstimatedR2());
    ratios.Add(names_[s], samples[s][0].ErrorRatio());
  }
  if (r2.values.empty()) return;
  const double median = Median(r2.values);
  LogInfo("{}: estimated r2 of the imputed dosages of {} {}: median {:.3f}, lowest {:.3f}", table, r2.values.size(),
          r2.values.size() == 1 ? "sample" : "samples", median, std::ranges::min(r2.values));
  if (r2.values.size() >= kMinSamples) WarnOfLowR2(table, r2, median);
  WarnOfErrors(table, ratios);
}

}  // namespace haplospin
