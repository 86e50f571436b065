// How good each sample's dosages are, without knowing the truth: a table beside the output (docs/self-test.md).
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "genotypes/imputation/self_test/sample_quality.h"

namespace haplospin {

// Minor allele frequencies in the panel or, without one, in the study: all, then three bins (from, to].
inline constexpr std::array<std::array<double, 2>, 4> kSelfTestBins{{{0, 0.5}, {0, 0.01}, {0.01, 0.05}, {0.05, 0.5}}};

using QualityByBin = std::array<SampleQuality, kSelfTestBins.size()>;

// The sums of a run. Several contigs may add theirs at the same time.
class SelfTest {
 public:
  // Adds those of a contig, [samples]. The names are the same each time.
  void Add(const std::string& contig, const std::vector<std::string>& names, std::span<const QualityByBin> samples);

  // Returns a tab-separated table with a header, and a row for each sample and bin.
  std::string Table() const;

  // Tells the median of r2, and warns of samples whose r2 or errors are far from the others'. `table` is the path of
  // the table.
  void Tell(const std::string& table) const;

 private:
  std::vector<QualityByBin> Sum() const;

  std::mutex mutex_;  // of what Add() changes
  std::vector<std::string> names_;
  std::map<std::string, std::vector<QualityByBin>> contigs_;  // the sum does not depend on the order of the calls
};

}  // namespace haplospin
