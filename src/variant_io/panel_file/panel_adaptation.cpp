#include "variant_io/panel_file/panel_adaptation.h"

#include <algorithm>
#include <cmath>

#include "genomics/sites/region.h"
#include "variant_io/byte_coding.h"

namespace haplospin {
namespace {

constexpr int kMaxSteps = 127;
constexpr int kMaxScale = 254;
constexpr double kScalesOfHalf = 8;  // numbers of a scale by which coefficients become half as large
constexpr double kLargest = 4;       // largest coefficient, at scale 0

float StepOf(uint8_t scale) { return static_cast<float>(kLargest * std::exp2(-scale / kScalesOfHalf) / kMaxSteps); }

// Returns the finest scale that a coefficient of this size fits.
uint8_t ScaleOf(float largest) {
  const double scale = std::floor(kScalesOfHalf * std::log2(kLargest / largest));
  return static_cast<uint8_t>(std::clamp<double>(scale, 0, kMaxScale));
}

}  // namespace

std::optional<float> PanelAdaptation::R2(size_t marker) const {
  if (accuracy_[marker] > kR2Steps) return std::nullopt;
  return static_cast<float>(accuracy_[marker]) / kR2Steps;
}

std::optional<ErrorFunction> PanelAdaptation::Error(size_t marker) const {
  if (scale_[marker] == kNoError) return std::nullopt;
  const int8_t* steps = &steps_[row_[marker] * kErrorBytes];
  const float step = StepOf(scale_[marker]);
  ErrorFunction error{.of_probability = step * static_cast<float>(steps[0])};
  for (size_t k = 0; k < kErrorSites; ++k) error.of_site[k] = step * static_cast<float>(steps[k + 1]);
  return error;
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
    largest = std::abs(error->of_probability);
    for (const float coefficient : error->of_site) largest = std::max(largest, std::abs(coefficient));
  }
  scale_.push_back(largest > 0 ? ScaleOf(largest) : kNoError);
  if (largest == 0) return;
  const auto add = [&, step = StepOf(scale_.back())](float coefficient) {
    steps_.push_back(static_cast<int8_t>(std::clamp<long>(std::lround(coefficient / step), -kMaxSteps, kMaxSteps)));
  };
  add(error->of_probability);
  for (const float coefficient : error->of_site) add(coefficient);
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
  return bytes;
}

PanelAdaptation PanelAdaptation::Decode(std::string_view bytes, size_t num_markers, const std::string& message) {
  ByteReader reader(bytes, message);
  if (num_markers > bytes.size()) reader.Fail();
  PanelAdaptation adaptation;
  int64_t position = 0;
  for (size_t m = 0; m < num_markers; ++m) {
    position += static_cast<int64_t>(reader.Varint(static_cast<uint64_t>(kMaxPosition - position)));
    adaptation.positions_.push_back(position);
  }
  const std::string_view accuracy = reader.Take(num_markers), scale = reader.Take(num_markers);
  adaptation.accuracy_.assign(accuracy.begin(), accuracy.end());
  adaptation.scale_.assign(scale.begin(), scale.end());
  uint32_t rows = 0;
  for (const uint8_t scale_of_marker : adaptation.scale_) {
    adaptation.row_.push_back(rows);
    rows += scale_of_marker == kNoError ? 0 : 1;
  }
  const std::string_view steps = reader.Take(rows * kErrorBytes);
  adaptation.steps_.assign(steps.begin(), steps.end());
  if (reader.num_left() != 0) reader.Fail();
  return adaptation;
}

}  // namespace haplospin
