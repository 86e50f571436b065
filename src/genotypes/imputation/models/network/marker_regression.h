// Prediction of an untyped marker from the nearby typed ones by ridge regression on the haplotypes of the
// panel. Matching gives all typed markers the same weight, the regression one that follows from linkage disequilibrium.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/typed_panel.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// The loops of the regression, with the vector instructions of the machine (linkage_kernels.cpp).

// Sets counts[r] to the number of bits set both in `bits` and in row r, for `num_rows` adjacent rows of `words` words.
void CountCommonBits(const uint64_t* bits, const uint64_t* rows, size_t words, size_t num_rows, uint32_t* counts);

// Returns the sum of a[k] * b[k] over k < n.
float Dot(const float* a, const float* b, size_t n);

// The alleles of a sample of haplotypes, by marker: all haplotypes of a panel, or evenly spaced runs of 64 of them. The
// panel must outlive it.
class SampledHaplotypes {
 public:
  SampledHaplotypes(const HaplotypePanel& panel, size_t max_haplotypes);

  size_t num_haplotypes() const { return num_haplotypes_; }
  size_t num_words() const { return words_.size(); }

  // Copies num_words() words of bits: 1 for haplotypes with ALT, or with the minor allele; 0 beyond the last haplotype.
  void CopyAlt(size_t marker, uint64_t* out) const;
  void CopyMinor(size_t marker, uint64_t* out) const;

  // Returns the bit of a haplotype of the panel, if it is one of the sampled ones.
  std::optional<size_t> FindBit(size_t haplotype) const;

 private:
  void CopyCarriers(size_t marker, uint64_t* out) const;
  void Flip(uint64_t* bits) const;

  static constexpr uint32_t kNone = UINT32_MAX;

  const HaplotypePanel& panel_;
  size_t num_haplotypes_ = 0;
  std::vector<uint32_t> words_;    // sampled ones of the panel's words_per_marker(), ascending
  std::vector<uint32_t> slot_of_;  // [words_per_marker()] index in words_, or kNone
};

// The coefficients of some markers for the same typed ones.
struct RegressionBlock {
  size_t first_typed = 0;
  size_t num_typed = 0;
  std::vector<uint32_t> markers;    // predicted markers of the panel, ascending
  std::vector<float> intercept;     // [markers] prediction if all typed alleles are at their means
  std::vector<float> r2;            // [markers] r2 expected in another haplotype, by generalized cross-validation
  std::vector<float> coefficients;  // [markers, num_typed]

  // Returns the index of a marker in `markers`, or markers.size().
  size_t Find(size_t marker) const;

  // Returns the minor allele's probability at markers[k], which may be below 0 or above 1. `centered` [typed] is from
  // CenterAlleles().
  float Predict(size_t k, std::span<const float> centered) const;
};

// Sets `centered` [typed] to a target's alleles minus their means, and to 0 where they are missing.
void CenterAlleles(const TargetHaplotype& target, std::span<const float> means, std::vector<float>& centered);

class MarkerRegression {
 public:
  // The panel, not the typed panel, must outlive this. At most kMaxHaplotypes of its haplotypes are used.
  MarkerRegression(const HaplotypePanel& panel, const TypedPanel& typed_panel);

  // The untyped markers in a block of kIntervals intervals are predicted from the same typed ones.
  static constexpr size_t kIntervals = 8;
  static size_t BlockIndex(size_t interval) { return interval / kIntervals; }
  size_t num_blocks() const { return BlockIndex(typed_.size()) + 1; }

  // Solves the regression of the untyped markers of a block in [begin, end) whose minor allele has at least
  // kMinCarriers carriers among the haplotypes used. The haplotypes of the panel that are `excluded` are not used.
  RegressionBlock SolveBlock(size_t block, size_t begin, size_t end, std::span<const uint32_t> excluded = {}) const;

  // [typed] frequencies of ALT.
  std::span<const float> means() const { return means_; }

  // Returns the carriers in a panel from which on a marker is predicted, if the haplotypes used have their share of
  // them.
  static size_t MinCarriers(size_t num_haplotypes) {
    return std::max(kMinCarriers, kMinCarriers * num_haplotypes / kMaxHaplotypes);
  }

 private:
  struct TypedCounts;
  struct MinorCounts;

  static constexpr size_t kMaxHaplotypes = 5120;
  static constexpr size_t kTyped = 64;        // typed markers of a block
  static constexpr size_t kMinCarriers = 10;  // carriers of the minor allele of a predicted marker
  static constexpr float kRidge = 10;         // added to the sums of squares

  // `excluded` holds bits of the sample.
  MinorCounts CountMinor(const RegressionBlock& solved, size_t begin, size_t end,
                         std::span<const size_t> excluded) const;
  TypedCounts CountTyped(const RegressionBlock& solved, std::span<const size_t> excluded) const;
  void Solve(const TypedCounts& typed, const MinorCounts& counts, RegressionBlock& solved) const;

  const HaplotypePanel& panel_;
  SampledHaplotypes sample_;
  std::vector<uint32_t> typed_;
  std::vector<float> means_;
  std::vector<uint64_t> bits_;    // [typed, words] 1 for haplotypes with ALT
  std::vector<uint32_t> common_;  // [typed, kTyped] number of haplotypes with ALT at both typed markers j and j + k
};

// The regressions of the markers [begin, end) of a window.
class WindowRegression {
 public:
  WindowRegression(const HaplotypePanel& panel, const TypedPanel& typed_panel, size_t begin, size_t end);

  // Returns the r2 expected at a marker; 0 if it is not predicted.
  float r2(size_t marker) const;

  // [typed] frequencies of ALT, for CenterAlleles().
  std::span<const float> means() const { return means_; }

  // Returns the minor allele's probability, or `minor_frequency` if the marker is not predicted.
  float Predict(size_t marker, std::span<const float> centered, float minor_frequency) const;

  // Fetches what Predict() reads for a marker.
  void Prefetch(size_t marker) const;

  // The regression of one marker.
  struct Row {
    float intercept;
    float r2;
    uint32_t first_typed;  // typed marker of the first coefficient
  };
  std::span<const Row> rows() const { return rows_; }
  std::span<const uint32_t> first_row() const { return first_row_; }
  std::span<const float> coefficients() const { return coefficients_; }

 private:
  bool IsPredicted(size_t marker) const { return first_row_[marker - begin_] != first_row_[marker - begin_ + 1]; }

  size_t begin_;
  std::vector<float> means_;
  size_t num_typed_ = 0;             // coefficients of a marker
  std::vector<uint32_t> first_row_;  // [end - begin + 1] number of predicted markers before each marker
  std::vector<Row> rows_;            // [predicted markers]
  std::vector<float> coefficients_;  // [predicted markers, num_typed_]
};

}  // namespace haplospin
