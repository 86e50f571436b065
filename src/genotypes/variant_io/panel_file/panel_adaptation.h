// What `panel adapt` keeps in a panel file of a contig and an array: how accurately each marker is imputed from the
// array's sites, and how its errors depend on the alleles there, both measured on the panel's own samples; and what
// imputation estimates from the panel alone. docs/panel-format.md has the layout.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace haplospin {

// The array's sites around a marker, half of them on either side, whose alleles its errors are a linear function of.
inline constexpr size_t kErrorSites = 30;

// The expected error of a haplotype's ALT probability p: ErrorWeight(p) times probability_factor (p - f) + sum over the
// sites of site_factors (x - g) for its alleles x, where f and g are the frequencies of ALT in the panel.
struct ErrorFunction {
  float probability_factor = 0;
  std::array<float, kErrorSites> site_factors{};  // 0 beyond the ends of the contig
};

// How the panel's haplotypes copy each other at the array's sites.
struct AdaptedCopying {
  double mismatch_rate = 0;    // expected mismatches per allele
  double unmatched_share = 0;  // mean probability of copying a haplotype that is not among the matches
};

// The number of populations of the panel's samples (copying/panel_populations.h).
inline constexpr size_t kAdaptedPopulations = 20;

// Alleles that are all but certain have no systematic errors, and must remain certain.
inline float ErrorWeight(float p) { return std::min(1.0f, p * (1 - p) / 0.1f); }

// The markers of a contig, or of a part of one between two changes of ploidy.
class PanelAdaptation {
 public:
  static constexpr uint8_t kR2Steps = 250;
  static constexpr size_t kErrorBytes = kErrorSites + 1;  // coefficients of a marker, a byte each

  size_t num_markers() const { return positions_.size(); }

  // [markers] bp, ascending.
  const std::vector<int64_t>& positions() const { return positions_; }

  bool IsArraySite(size_t marker) const { return accuracy_[marker] == kArraySite; }

  // Returns the r2 of a marker, unless it is a site of the array, was not imputed, or has one allele in the panel.
  std::optional<float> R2(size_t marker) const;

  // Returns the error of a marker, if it depends on the sites.
  std::optional<ErrorFunction> Error(size_t marker) const;

  // Returns the expected switches of a haplotype between an array site and the one before it: [array sites].
  std::vector<double> Switches() const;

  const AdaptedCopying& copying() const { return copying_; }

  // Returns the share of each sample in each population, relative to equal shares: [samples, kAdaptedPopulations].
  std::vector<float> Shares() const;

  // Appends a marker. The r2, the coefficients and the switches are rounded.
  void AddArraySite(int64_t position, double switches);
  void AddMarker(int64_t position, std::optional<double> r2, const ErrorFunction* error);

  void SetCopying(const AdaptedCopying& copying);
  void SetShares(std::span<const float> shares);

  std::string Encode() const;

  // Throws InputError with `message` if the bytes are not an adaptation of so many markers and samples.
  static PanelAdaptation Decode(std::string_view bytes, size_t num_markers, size_t num_samples,
                                const std::string& message);

 private:
  static constexpr uint8_t kNoR2 = 254;
  static constexpr uint8_t kArraySite = 255;
  static constexpr uint8_t kNoError = 255;

  void Add(int64_t position, uint8_t accuracy, const ErrorFunction* error);

  std::vector<int64_t> positions_;
  std::vector<uint8_t> accuracy_;  // [markers] r2 in steps of 1 / kR2Steps, kNoR2 or kArraySite
  std::vector<uint8_t> scale_;  // [markers] the step of the coefficients (CoefficientStep() of the source), or kNoError
  std::vector<uint32_t> row_;   // [markers] markers before it that have coefficients
  std::vector<int8_t> steps_;   // [markers with coefficients, kErrorBytes]
  std::vector<uint8_t> switches_;  // [array sites] codes of a scale of the source
  AdaptedCopying copying_;
  std::vector<uint8_t> shares_;  // [samples, kAdaptedPopulations] codes of another
};

// The place of an adaptation in a panel file.
struct PanelAdaptationEntry {
  uint64_t offset = 0;    // byte in the file
  uint64_t size = 0;      // compressed, bytes
  uint64_t raw_size = 0;  // bytes of PanelAdaptation::Encode()
};

// The maximum size before compression, in bytes: of a marker, a position takes at most nine; of the copying, a number
// five.
inline uint64_t LargestPanelAdaptation(uint64_t num_markers, uint64_t num_samples) {
  return num_markers * (9 + 2 + PanelAdaptation::kErrorBytes) + 2 * 5 + num_samples * kAdaptedPopulations;
}

}  // namespace haplospin
