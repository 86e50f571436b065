#include "imputer_training/device/window_tensors.h"

#include <oneapi/tbb/parallel_for.h>

#include <cstring>
#include <vector>

#include "imputation/copying/ancestry.h"
#include "imputer_training/network_inputs.h"

namespace haplospin {
namespace {

// Returns [rows, 8 * words] bytes, of which get(row, out) writes a row.
template <typename Get>
torch::Tensor BitRows(size_t rows, size_t words, const Get& get) {
  torch::Tensor bytes =
      torch::empty({static_cast<int64_t>(rows), static_cast<int64_t>(words * sizeof(uint64_t))}, torch::kByte);
  auto* out = bytes.data_ptr<uint8_t>();
  tbb::parallel_for(size_t{0}, rows, [&](size_t r) { get(r, out + r * words * sizeof(uint64_t)); });
  return bytes;
}

torch::Tensor TypedRows(const TypedPanel& panel) {
  const size_t words = panel.rows().words();
  return BitRows(panel.num_haplotypes(), words,
                 [&](size_t h, uint8_t* out) { std::memcpy(out, panel.haplotype_bits(h), words * sizeof(uint64_t)); });
}

torch::Tensor MinorRows(const HaplotypePanel& panel, const WindowAlleles& alleles) {
  const size_t words = (panel.num_haplotypes() + 63) / 64;
  return BitRows(alleles.end() - alleles.begin(), words, [&](size_t m, uint8_t* out) {
    const size_t marker = alleles.begin() + m;
    std::vector<uint64_t> bits(words);
    panel.CopyBits(marker, bits.data());
    if (!panel.minor_is_alt(marker)) {
      for (uint64_t& word : bits) word = ~word;
    }
    std::memcpy(out, bits.data(), words * sizeof(uint64_t));
  });
}

std::vector<float> FeatureRows(const std::vector<MarkerFeatures>& markers) {
  std::vector<float> rows(markers.size() * kNumMarkerFeatures);
  for (size_t m = 0; m < markers.size(); ++m) SetMarkerFeatures(markers[m], 0, &rows[m * kNumMarkerFeatures]);
  return rows;
}

template <typename Values>
torch::Tensor Floats(const Values& values, torch::Device device) {
  return torch::tensor(std::vector<float>(values.begin(), values.end())).to(device);
}

template <typename Values>
torch::Tensor Indices(const Values& values, torch::Device device) {
  return torch::tensor(std::vector<int64_t>(values.begin(), values.end())).to(device);
}

}  // namespace

WindowTensors::WindowTensors(const PanelWindow& window, torch::Device device)
    : num_haplotypes(static_cast<int64_t>(window.typed_panel().num_haplotypes())),
      num_typed(static_cast<int64_t>(window.typed_panel().num_typed())),
      num_markers(static_cast<int64_t>(window.marker_features().size())),
      num_samples(static_cast<int64_t>(window.panel().samples().num_samples())),
      rows(TypedRows(window.typed_panel()).to(device)),
      minor(MinorRows(window.panel(), window.alleles()).to(device)) {
  sample_of = Indices(window.populations().sample_of(), device);
  population_shares =
      Floats(window.populations().shares(), device).view({num_samples, static_cast<int64_t>(kNumPopulations)});
  panel_features = Floats(ComputePanelFeatures(window.typed_panel(), window.copying()), device).unsqueeze(0);
  SetPositions(window.typed_panel(), window.alleles(), device);
  SetMarkers(window, device);
  SetRegression(window.regression(), device);
}

void WindowTensors::SetPositions(const TypedPanel& panel, const WindowAlleles& alleles, torch::Device device) {
  const ancestry::Blocks blocks(panel);
  num_blocks = static_cast<int64_t>(blocks.count);
  std::vector<float> middles, lengths;
  std::vector<int64_t> of_anchors, of_markers(static_cast<size_t>(num_markers));
  for (const uint32_t anchor : panel.anchors()) {
    for (size_t m = alleles.first_marker(anchor); m < alleles.first_marker(anchor + 1); ++m) {
      of_markers[m - alleles.begin()] = static_cast<int64_t>(middles.size());
    }
    middles.push_back(panel.middle(anchor));
    lengths.push_back(panel.anchor_length(anchor));
    of_anchors.push_back(blocks.of_interval[anchor]);
  }
  centimorgans = Floats(panel.centimorgans(), device);
  anchors = Indices(panel.anchors(), device);
  middle = Floats(middles, device);
  length = Floats(lengths, device);
  block = Indices(of_anchors, device);
  anchor_of = Indices(of_markers, device);
}

void WindowTensors::SetMarkers(const PanelWindow& window, torch::Device device) {
  const WindowAlleles& alleles = window.alleles();
  std::vector<int64_t> typed;
  for (size_t m = alleles.begin(); m < alleles.end(); ++m) {
    const uint32_t index = alleles.typed_index(m);
    typed.push_back(index == WindowAlleles::kUntyped ? -1 : static_cast<int64_t>(index));
  }
  typed_index = Indices(typed, device);
  marker_features = Floats(FeatureRows(window.marker_features()), device)
                        .view({num_markers, static_cast<int64_t>(kNumMarkerFeatures)});
}

void WindowTensors::SetRegression(const WindowRegression& regression, torch::Device device) {
  std::vector<int64_t> fits, first;
  std::vector<float> intercepts;
  for (size_t m = 0; m < static_cast<size_t>(num_markers); ++m) {
    const bool is_fitted = regression.first_row()[m] != regression.first_row()[m + 1];
    fits.push_back(is_fitted ? static_cast<int64_t>(regression.first_row()[m]) : -1);
  }
  for (const WindowRegression::Row& row : regression.rows()) {
    intercepts.push_back(row.intercept);
    first.push_back(row.first_typed);
  }
  fit = Indices(fits, device);
  intercept = Floats(intercepts, device);
  first_typed = Indices(first, device);
  const auto num_fits = static_cast<int64_t>(intercepts.size());
  coefficients = Floats(regression.coefficients(), device);
  coefficients = coefficients.view({num_fits, num_fits == 0 ? 0 : coefficients.numel() / num_fits});
}

}  // namespace haplospin
