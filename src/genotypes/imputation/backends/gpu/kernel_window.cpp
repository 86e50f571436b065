#include "genotypes/imputation/backends/gpu/kernel_window.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <span>

#include "genotypes/imputation/models/copying/ancestry.h"
#include "genotypes/imputation/models/copying/copy_candidates.h"
#include "genotypes/imputation/models/copying/match_features.h"
#include "genotypes/imputation/models/network/allele_features.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

static_assert(kernels::kMissing == kMissingAllele);
static_assert(std::endian::native == std::endian::little);  // words of 64 bits are read as two of 32

constexpr size_t kUploadBytes = size_t{256} << 20;  // markers that are copied to the device at a time

// Returns the weights in the order of RunNetwork() in kernels/network.cuh, padded with zeros.
std::vector<float> Packed(const MlpWeights& mlp, uint32_t inputs, const char* name) {
  constexpr uint32_t kHidden = kernels::kHidden;
  if (mlp.hidden > kHidden) {
    throw InputError(
        fmt::format("the {} network has {} hidden units, but kernels of GPUs are for at most {}; use "
                    "--device cpu",
                    name, mlp.hidden, kHidden));
  }
  std::vector<float> packed(kernels::NetworkSize(inputs));
  float* weight1 = packed.data();
  float* weight2 = weight1 + kHidden * inputs;
  float* weight3 = weight2 + kHidden * kHidden;
  for (size_t o = 0; o < mlp.hidden; ++o) {
    std::copy_n(&mlp.weight1[o * mlp.inputs], mlp.inputs, weight1 + o * inputs);
    std::copy_n(&mlp.weight2[o * mlp.hidden], mlp.hidden, weight2 + o * kHidden);
  }
  std::ranges::copy(mlp.weight3, weight3);
  std::ranges::copy(mlp.bias1, weight3 + kHidden);
  std::ranges::copy(mlp.bias2, weight3 + 2 * kHidden);
  weight3[3 * kHidden] = mlp.bias3;
  return packed;
}

// Returns the switch probabilities, with 0 for the first typed marker.
std::vector<float> WithFirst(const CopyingModel& model) {
  std::vector<float> switching{0};
  switching.insert(switching.end(), model.switch_probability.begin(), model.switch_probability.end());
  return switching;
}

// Returns the words of the markers of each anchor.
std::vector<kernels::AlleleWord> ListWords(const TypedPanel& typed, const WindowAlleles& alleles) {
  std::vector<kernels::AlleleWord> words;
  for (uint32_t a = 0; a < typed.anchors().size(); ++a) {
    const size_t end = alleles.first_marker(typed.anchors()[a] + 1);
    for (size_t m = alleles.first_marker(typed.anchors()[a]); m < end; m += kernels::kLanes) {
      words.push_back({a, static_cast<uint32_t>(m - alleles.begin()),
                       static_cast<uint32_t>(std::min<size_t>(kernels::kLanes, end - m))});
    }
  }
  return words;
}

}  // namespace

template <typename T>
const T* KernelWindow::Keep(std::span<const T> values) {
  const auto array = std::make_shared<DeviceArray<T>>(queue_);
  const T* const copy = array->Upload(values);
  queue_.Synchronize();
  kept_.push_back(array);
  return copy;
}

KernelWindow::KernelWindow(Device& device, const PanelWindow& window, const PanelEstimates& estimates,
                           const ImputedMarkers& imputed, const ImputerWeights& weights)
    : queue_(device), minor_rows_(queue_) {
  const PanelFeatures panel = ComputePanelFeatures(window.typed_panel(), estimates.copying);
  data_.copy_network = Keep(Packed(ForPanel(weights.copy, panel), kernels::kCopyInputs, "copy"));
  data_.allele_network = Keep(Packed(ForPanel(weights.allele, panel), kernels::kAlleleInputs, "allele"));
  data_.forward_weight = weights.forward;
  data_.backward_weight = weights.backward;
  data_.network_panel_share = PanelShare(weights);
  data_.panel_share = std::min(data_.network_panel_share, estimates.copying.model.mismatch_probability);
  data_.min_product = window.options().min_product;
  data_.max_candidates = static_cast<uint32_t>(window.options().max_candidates);
  const PanelPopulations& populations = *estimates.populations;
  data_.num_samples = static_cast<uint32_t>(populations.num_samples());
  data_.sample_of = Keep(populations.sample_of());
  data_.populations = Keep(populations.shares());
  SetTyped(window.typed_panel(), estimates.copying);
  SetRegression(imputed.regression);
  SetMarkers(window, imputed);
}

void KernelWindow::SetTyped(const TypedPanel& panel, const PanelCopying& copying) {
  const size_t typed = panel.num_typed(), words = 2 * panel.rows().words();
  data_.num_haplotypes = static_cast<uint32_t>(panel.num_haplotypes());
  data_.num_typed = static_cast<uint32_t>(typed);
  data_.typed_words = static_cast<uint32_t>(words);
  data_.typed_rows =
      Keep(std::span(reinterpret_cast<const uint32_t*>(panel.rows().bits), panel.num_haplotypes() * words));

  std::vector<float> frequency;
  data_.switching = Keep(WithFirst(copying.model));
  data_.estimated_switching = Keep(WithFirst(copying.last_round));
  for (size_t j = 0; j < typed; ++j) frequency.push_back(panel.frequency(j, 1));
  data_.alt_frequency = Keep(frequency);
  data_.centimorgans = Keep(panel.centimorgans());

  const ancestry::Blocks blocks(panel);
  std::vector<kernels::Anchor> anchors;
  std::vector<float> block_length(blocks.count);
  for (const uint32_t anchor : panel.anchors()) {
    const float length = panel.anchor_length(anchor);
    anchors.push_back({anchor, blocks.interval_block[anchor], length, panel.middle(anchor)});
    block_length[blocks.interval_block[anchor]] += length;
    data_.total_length += length;
  }
  data_.num_anchors = static_cast<uint32_t>(anchors.size());
  data_.num_blocks = static_cast<uint32_t>(blocks.count);
  data_.anchors = Keep(anchors);
  data_.block_length = Keep(block_length);
}

void KernelWindow::SetRegression(const WindowRegression& regression) {
  const std::span<const WindowRegression::Row> rows = regression.rows();
  const std::span<const float> coefficients = regression.coefficients();
  const size_t typed = rows.empty() ? 0 : coefficients.size() / rows.size();
  std::vector<kernels::Regression> regressions;
  for (const WindowRegression::Row& row : rows) regressions.push_back({row.intercept, row.first_typed});
  std::vector<float> by_typed(coefficients.size());
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t k = 0; k < typed; ++k) by_typed[k * rows.size() + r] = coefficients[r * typed + k];
  }
  data_.num_regressions = static_cast<uint32_t>(regressions.size());
  data_.regression_typed = static_cast<uint32_t>(typed);
  data_.regressions = Keep(regressions);
  data_.coefficients = Keep(by_typed);
  data_.typed_mean = Keep(regression.means());
}

void KernelWindow::SetMarkers(const PanelWindow& window, const ImputedMarkers& imputed) {
  const WindowAlleles& alleles = imputed.alleles;
  const std::vector<kernels::AlleleWord> words = ListWords(window.typed_panel(), alleles);
  const std::span<const uint32_t> first_row = imputed.regression.first_row();
  std::vector<kernels::Marker> markers;
  for (size_t m = alleles.begin(); m < alleles.end(); ++m) {
    const size_t i = m - alleles.begin();
    const MarkerFeatures& features = imputed.features[i];
    const bool is_predicted = first_row[i] != first_row[i + 1];
    markers.push_back({features.minor_frequency, features.logit_frequency, features.log_carriers,
                       features.log_non_carriers, features.log_distance, features.in_interval, features.regression_r2,
                       /*interval=*/0, alleles.typed_index(m), is_predicted ? first_row[i] : kernels::kNone,
                       alleles.minor_is_alt(m) ? 1u : 0u});
  }
  for (const kernels::AlleleWord& word : words) {
    const uint32_t interval = window.typed_panel().anchors()[word.anchor];
    for (uint32_t k = 0; k < word.count; ++k) markers[word.marker + k].interval = interval;
  }
  data_.num_markers = static_cast<uint32_t>(markers.size());
  data_.num_words = static_cast<uint32_t>(words.size());
  data_.markers = Keep(markers);
  data_.words = Keep(words);
  SetAlleles(window.panel(), alleles.begin(), words);
}

// Copies the markers as the panel has them, bits of all haplotypes, and transposes them on the device.
void KernelWindow::SetAlleles(const HaplotypePanel& panel, size_t first_imputed,
                              const std::vector<kernels::AlleleWord>& words) {
  const size_t marker_words = panel.words_per_marker();
  const size_t words_at_a_time =
      std::max<size_t>(1, kUploadBytes / (marker_words * sizeof(uint64_t) * kernels::kLanes));
  data_.minor_rows = minor_rows_.Reserve(data_.num_haplotypes * words.size());
  HostBuffer<uint64_t> bits(queue_.device());
  kernels::MarkerBits marker_bits{.alt = nullptr, .haplotype_words = static_cast<uint32_t>(2 * marker_words)};
  DeviceArray<uint32_t> alt(queue_);
  for (size_t first = 0; first < words.size(); first += words_at_a_time) {
    const size_t last = std::min(words.size(), first + words_at_a_time);
    const uint32_t first_marker = words[first].marker;
    const uint32_t num_markers = words[last - 1].marker + words[last - 1].count - first_marker;
    bits.Resize(num_markers * marker_words);
    tbb::parallel_for(uint32_t{0}, num_markers, [&](uint32_t m) {
      panel.CopyBits(first_imputed + first_marker + m, bits.data() + m * marker_words);
    });
    marker_bits.alt = alt.Upload({reinterpret_cast<const uint32_t*>(bits.data()), 2 * bits.size()});
    marker_bits.first_marker = first_marker;
    marker_bits.first_word = static_cast<uint32_t>(first);
    marker_bits.num_words = static_cast<uint32_t>(last - first);
    const kernels::KernelData data{data_, {}};
    const uint64_t warps = uint64_t{2} * marker_words * (last - first);
    const Grid grid{.x = (warps + kernels::kWarpsOfBlock - 1) / kernels::kWarpsOfBlock, .threads = kernels::kThreads};
    queue_.Launch(Kernel::kTransposeAlleles, grid, std::vector<const void*>{&data, &marker_bits});
    queue_.Synchronize();  // The next markers take the same memory.
  }
}

}  // namespace haplospin
