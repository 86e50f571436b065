// An untyped marker predicted from the nearby typed ones by ridge regression, fitted to the haplotypes of the panel.
// Matching treats all typed markers alike; here each counts by its correlation with the untyped one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "haplospin/haplotype_panel.h"
#include "imputation/copying/typed_panel.h"
#include "imputation/network/sampled_haplotypes.h"

namespace haplospin {

// The fits of some markers to the same typed ones.
struct RegressionBlock {
  size_t first_typed = 0;
  size_t num_typed = 0;
  std::vector<uint32_t> markers;    // of the panel, ascending: those that are fitted
  std::vector<float> intercept;     // [markers] the prediction where all typed alleles are at their means
  std::vector<float> r2;            // [markers] expected in another haplotype, by generalized cross-validation
  std::vector<float> coefficients;  // [markers, num_typed]

  // The index of a marker in `markers`, or markers.size().
  size_t Find(size_t marker) const;

  // The minor allele's probability at markers[k]; may be below 0 or above 1. `centered` is of all typed markers.
  float Predict(size_t k, std::span<const float> centered) const;
};

// A target's alleles relative to their means, 0 where they are missing: [typed].
void CenterAlleles(const TargetHaplotype& target, std::span<const float> means, std::vector<float>& centered);

class MarkerRegression {
 public:
  // The panel must outlive this. At most kMaxHaplotypes of its haplotypes are used.
  MarkerRegression(const HaplotypePanel& panel, const TypedPanel& array);

  // Blocks of kIntervals intervals, whose markers are fitted to the same typed ones.
  static constexpr size_t kIntervals = 8;
  static size_t BlockOf(size_t interval) { return interval / kIntervals; }
  size_t num_blocks() const { return BlockOf(typed_.size()) + 1; }

  // Fits the untyped markers of a block in [begin, end) whose minor allele at least kMinCarriers of the haplotypes
  // carry; without the haplotypes of the panel that are `excluded`.
  RegressionBlock Fit(size_t block, size_t begin, size_t end, std::span<const uint32_t> excluded = {}) const;

  // [typed] frequency of ALT.
  std::span<const float> means() const { return means_; }

  // Carriers in a panel from which on a marker is fitted, if the haplotypes that are used have their share of them.
  static size_t MinCarriers(size_t num_haplotypes) {
    return std::max(kMinCarriers, kMinCarriers * num_haplotypes / kMaxHaplotypes);
  }

 private:
  struct TypedCounts;
  struct MinorCounts;

  static constexpr size_t kMaxHaplotypes = 5120;
  static constexpr size_t kTyped = 64;        // of a fit
  static constexpr size_t kMinCarriers = 10;  // of a marker that is fitted
  static constexpr float kRidge = 10;         // added to the sums of squares

  // `excluded` are bits of the sample.
  MinorCounts CountMinor(const RegressionBlock& fit, size_t begin, size_t end, std::span<const size_t> excluded) const;
  TypedCounts CountTyped(const RegressionBlock& fit, std::span<const size_t> excluded) const;
  void Solve(const TypedCounts& typed, const MinorCounts& counts, RegressionBlock& fit) const;

  const HaplotypePanel& panel_;
  SampledHaplotypes sample_;
  std::vector<uint32_t> typed_;
  std::vector<float> means_;
  std::vector<uint64_t> bits_;    // [typed, words] ALT
  std::vector<uint32_t> common_;  // [typed, kTyped] haplotypes with ALT at both of two typed markers j and j + k
};

// The fits of the markers [begin, end) of a window.
class WindowRegression {
 public:
  WindowRegression(const HaplotypePanel& panel, const TypedPanel& array, size_t begin, size_t end);

  // Of a marker; 0 if it is not fitted.
  float r2(size_t marker) const;

  // Of MarkerRegression: what the alleles of a target are centered with.
  std::span<const float> means() const { return means_; }

  // The minor allele's probability; its frequency if the marker is not fitted.
  float Predict(size_t marker, std::span<const float> centered, float minor_frequency) const;

  // Fetches what Predict() reads for the markers [first, last).
  void Prefetch(size_t first, size_t last) const;

  // The fits themselves, marker after marker: the coefficients of a fit are of the typed markers from `first_typed` on.
  struct Row {
    float intercept;
    float r2;
    uint32_t first_typed;
  };
  std::span<const Row> rows() const { return rows_; }
  std::span<const uint32_t> first_row() const { return first_row_; }     // [markers + 1] fits before each marker
  std::span<const float> coefficients() const { return coefficients_; }  // [fits, typed of a fit]

 private:
  bool IsFitted(size_t marker) const { return first_row_[marker - begin_] != first_row_[marker - begin_ + 1]; }

  size_t begin_;
  std::vector<float> means_;
  size_t num_typed_ = 0;             // of a fit
  std::vector<uint32_t> first_row_;  // [end - begin + 1] the fitted markers before each marker
  std::vector<Row> rows_;            // of the fitted markers
  std::vector<float> coefficients_;  // [rows, num_typed_]
};

}  // namespace haplospin
