// How good each sample's dosages are, without knowing the truth: a table beside the output (docs/self-test.md).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "genotypes/imputation/self_test/sample_quality.h"

namespace haplospin {

// Minor allele frequencies in the panel or, without one, in the study: all, then three bins (from, to].
inline constexpr std::array<std::array<double, 2>, 4> kSelfTestBins{{{0, 0.5}, {0, 0.01}, {0.01, 0.05}, {0.05, 0.5}}};

// Calls function(bin) for those of a frequency of ALT; none where it is 0 or 1.
template <typename Function>
void ForEachBin(double alt_frequency, const Function& function) {
  const double maf = std::min(alt_frequency, 1 - alt_frequency);
  for (size_t bin = 0; bin < kSelfTestBins.size(); ++bin) {
    if (maf > kSelfTestBins[bin][0] && maf <= kSelfTestBins[bin][1]) function(bin);
  }
}

using QualityByBin = std::array<SampleQuality, kSelfTestBins.size()>;

inline constexpr size_t kMinComparedPeople = 10;

// What a self-test says of the people of a study.
struct SelfTestFindings {
  std::vector<std::string> names;
  std::vector<QualityByBin> qualities;  // [people]
  double median_r2 = kUndefined, lowest_r2 = kUndefined, median_error_ratio = kUndefined, median_mismatch = kUndefined;

  // Where there are kMinComparedPeople: those whose r2 is far below that of the others, and those whose known genotypes
  // differ far more from what is imputed than those of others do, or whose hidden reads do.
  std::vector<size_t> low_r2, high_errors, high_mismatch;

  double R2(size_t person) const { return qualities[person][0].EstimatedR2(); }
  double ErrorRatio(size_t person) const { return qualities[person][0].ErrorRatio(); }
  double Mismatch(size_t person) const { return qualities[person][0].Mismatch(); }

  // A tab-separated table with a header, and a row for each person and bin.
  std::string Table() const;

  // Tells the median of r2, and warns of the people that are far from the others. `table` is the path of the table.
  void Tell(const std::string& table) const;
};

// The sums of a run, of which each contig adds its own.
class SelfTest {
 public:
  // Adds those of a contig, [samples]. It may lack samples of others, as women on chrY.
  void Add(const std::string& contig, const std::vector<std::string>& names, std::span<const QualityByBin> samples);

  SelfTestFindings Find() const;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, size_t> people_;            // their places among the names
  std::map<std::string, std::vector<QualityByBin>> contigs_;  // the sum does not depend on the order of the calls
};

}  // namespace haplospin
