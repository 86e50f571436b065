#include "genotypes/variant_io/panel_file/panel_adaptation.h"

#include <algorithm>
#include <cmath>

#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/byte_coding.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Positive numbers as bytes: `codes_of_half` more make a number half as large.
struct LogScale {
  static constexpr uint8_t kLastCode = 254;

  double largest;  // code 0
  double codes_of_half;

  double Value(uint8_t code) const { return largest * std::exp2(-code / codes_of_half); }

  // Returns the code of the smallest number that is not below `value`, as far as there is one.
  uint8_t CodeAbove(double value) const { return Clamped(std::floor(Place(value))); }
  uint8_t NearestCode(double value) const { return Clamped(std::round(Place(value))); }

 private:
  double Place(double value) const { return codes_of_half * std::log2(largest / value); }
  static uint8_t Clamped(double code) { return static_cast<uint8_t>(std::clamp<double>(code, 0, kLastCode)); }
};

constexpr LogScale kLargestCoefficient{.largest = 4, .codes_of_half = 8};
constexpr LogScale kSwitches{.largest = 1, .codes_of_half = 12};     // down to 4e-7
constexpr LogScale kShares{.largest = 1 << 16, .codes_of_half = 8};  // relative to equal shares, down to 2e-5

constexpr int kMaxSteps = 127;
constexpr double kPartsOfOne = 1e9;  // of rates, which are kept as whole numbers

float CoefficientStep(uint8_t scale) { return static_cast<float>(kLargestCoefficient.Value(scale) / kMaxSteps); }

void AppendRate(double rate, std::string& bytes) {
  AppendVarint(static_cast<uint64_t>(std::llround(rate * kPartsOfOne)), bytes);
}

double ReadRate(ByteReader& reader) {
  return static_cast<double>(reader.Varint(static_cast<uint64_t>(kPartsOfOne))) / kPartsOfOne;
}

// Takes so many codes.
std::vector<uint8_t> TakeCodes(size_t count, ByteReader& reader) {
  const std::string_view codes = reader.Take(count);
  return {codes.begin(), codes.end()};
}

}  // namespace

std::optional<float> PanelAdaptation::R2(size_t marker) const {
  if (accuracy_[marker] > kR2Steps) return std::nullopt;
  return static_cast<float>(accuracy_[marker]) / kR2Steps;
}

std::optional<ErrorFunction> PanelAdaptation::Error(size_t marker) const {
  if (scale_[marker] == kNoError) return std::nullopt;
  const int8_t* steps = &steps_[row_[marker] * kErrorBytes];
  const float step = CoefficientStep(scale_[marker]);
  ErrorFunction error{.probability_factor = step * static_cast<float>(steps[0])};
  for (size_t k = 0; k < kErrorSites; ++k) error.site_factors[k] = step * static_cast<float>(steps[k + 1]);
  return error;
}

std::vector<double> PanelAdaptation::Switches() const {
  std::vector<double> switches;
  for (const uint8_t code : switches_) switches.push_back(kSwitches.Value(code));
  return switches;
}

std::vector<float> PanelAdaptation::Shares() const {
  std::vector<float> shares;
  shares.reserve(shares_.size());
  for (const uint8_t code : shares_) shares.push_back(static_cast<float>(kShares.Value(code)));
  return shares;
}

void PanelAdaptation::AddArraySite(int64_t position, double switches) {
  Add(position, kArraySite, nullptr);
  switches_.push_back(kSwitches.NearestCode(switches));
}

void PanelAdaptation::SetCopying(const AdaptedCopying& copying) {
  HS_ASSERT(copying.mismatch_rate >= 0 && copying.mismatch_rate <= 1);
  HS_ASSERT(copying.unmatched_share >= 0 && copying.unmatched_share <= 1);
  copying_ = copying;
}

void PanelAdaptation::SetShares(std::span<const float> shares) {
  shares_.clear();
  for (const float share : shares) shares_.push_back(kShares.NearestCode(share));
}

void PanelAdaptation::AddMarker(int64_t position, std::optional<double> r2, const ErrorFunction* error) {
  Add(position, r2 ? static_cast<uint8_t>(std::lround(std::clamp(*r2, 0.0, 1.0) * kR2Steps)) : kNoR2, error);
}

void PanelAdaptation::Add(int64_t position, uint8_t accuracy, const ErrorFunction* error) {
  row_.push_back(static_cast<uint32_t>(steps_.size() / kErrorBytes));
  positions_.push_back(position);
  accuracy_.push_back(accuracy);
  float largest = 0;
  if (error != nullptr) {
    largest = std::abs(error->probability_factor);
    for (const float coefficient : error->site_factors) largest = std::max(largest, std::abs(coefficient));
  }
  scale_.push_back(largest > 0 ? kLargestCoefficient.CodeAbove(largest) : kNoError);
  if (largest == 0) return;
  const auto add = [&, step = CoefficientStep(scale_.back())](float coefficient) {
    steps_.push_back(static_cast<int8_t>(std::clamp<long>(std::lround(coefficient / step), -kMaxSteps, kMaxSteps)));
  };
  add(error->probability_factor);
  for (const float coefficient : error->site_factors) add(coefficient);
}

std::string PanelAdaptation::Encode() const {
  std::string bytes;
  int64_t last = 0;
  for (const int64_t position : positions_) {
    AppendVarint(static_cast<uint64_t>(position - last), bytes);
    last = position;
  }
  bytes.append(accuracy_.begin(), accuracy_.end());
  bytes.append(scale_.begin(), scale_.end());
  for (const int8_t steps : steps_) bytes += static_cast<char>(steps);
  bytes.append(switches_.begin(), switches_.end());
  AppendRate(copying_.mismatch_rate, bytes);
  AppendRate(copying_.unmatched_share, bytes);
  bytes.append(shares_.begin(), shares_.end());
  return bytes;
}

PanelAdaptation PanelAdaptation::Decode(std::string_view bytes, size_t num_markers, size_t num_samples,
                                        const std::string& message) {
  ByteReader reader(bytes, message);
  if (num_markers > bytes.size()) reader.Fail();
  PanelAdaptation adaptation;
  int64_t position = 0;
  for (size_t m = 0; m < num_markers; ++m) {
    position += static_cast<int64_t>(reader.Varint(static_cast<uint64_t>(kMaxPosition - position)));
    adaptation.positions_.push_back(position);
  }
  adaptation.accuracy_ = TakeCodes(num_markers, reader);
  adaptation.scale_ = TakeCodes(num_markers, reader);
  uint32_t rows = 0;
  for (const uint8_t scale_of_marker : adaptation.scale_) {
    adaptation.row_.push_back(rows);
    rows += scale_of_marker == kNoError ? 0 : 1;
  }
  const std::string_view steps = reader.Take(rows * kErrorBytes);
  adaptation.steps_.assign(steps.begin(), steps.end());
  const auto sites = static_cast<size_t>(std::ranges::count(adaptation.accuracy_, kArraySite));
  adaptation.switches_ = TakeCodes(sites, reader);
  adaptation.copying_.mismatch_rate = ReadRate(reader);
  adaptation.copying_.unmatched_share = ReadRate(reader);
  adaptation.shares_ = TakeCodes(num_samples * kAdaptedPopulations, reader);
  if (reader.num_left() != 0) reader.Fail();
  return adaptation;
}

}  // namespace haplospin
