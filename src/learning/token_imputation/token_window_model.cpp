#include "learning/token_imputation/token_window_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <unordered_set>
#include <utility>

#include "core/log.h"
#include "core/random.h"
#include "core/threads.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "genotypes/genomics/sites/variant.h"
#include "haplospin/errors.h"
#include "learning/models/context_network.h"
#include "learning/nn/device.h"
#include "learning/token_imputation/token_network.h"
#include "learning/token_imputation/token_window.h"

namespace haplospin {
namespace {

constexpr int64_t kMaxQueryRows = 512;  // rows of one prediction; in NPT and the Set Transformer they see each other
constexpr uint64_t kContextSeed = 1;

std::string ListSites(const std::string& contig, const std::vector<Marker>& markers) {
  std::vector<std::string> names;
  for (const Marker& marker : markers) names.push_back(SiteName(contig, marker));
  return JoinNames(names, 3);
}

bool IsMonomorphic(const HaplotypePanel& panel, size_t marker) {
  return panel.alt_count(marker) == 0 || panel.alt_count(marker) == panel.num_haplotypes();
}

std::optional<Region> Coverage(const TokenModelFile& file) {
  if (!file.sites) return std::nullopt;
  const std::vector<Marker>& targets = file.sites->targets;
  return Region{file.sites->contig, targets.front().position, targets.back().position};
}

class TokenWindowModel : public WindowModel {
 public:
  TokenWindowModel(TokenModelFile file, torch::Device device, int64_t max_bytes)
      : WindowModel(Coverage(file)),
        file_(std::move(file)),
        device_(device),
        network_(MakeTokenNetwork(file_.network, max_bytes)),
        max_bytes_(max_bytes) {
    LoadModuleState(*network_, file_.weights, file_.path);
    network_->to(device_);
    network_->eval();
    if (file_.inducing_points.defined()) file_.inducing_points = file_.inducing_points.to(device_);
  }

  WindowDosages Impute(const WindowInput& input) const override {
    const torch::NoGradGuard no_grad;
    const HaplotypePanel& panel = input.panel.panel();
    const WindowStudy& study = input.study;
    const MarkerRange wanted = input.panel.wanted(), core = input.core;
    WindowDosages dosages(wanted, study.samples().num_haplotypes());
    FillFrequencies(panel, study, dosages);
    if (file_.sites) {
      const TokenWindow window = FindWindow(panel);
      CheckSites(panel, study, window, wanted);
      ImputeOne(panel, study, window, wanted, dosages);
      return dosages;
    }
    const auto windows = TileWindows(panel, study.typed(), UntypedMarkers(study.typed(), core), shape());
    for (size_t i = 0; i < windows.size(); ++i) {
      // A window imputes the markers from its first target to the next window's; `wanted` does not change its results.
      const MarkerRange own{i == 0 ? core.begin : windows[i].targets.front(),
                            i + 1 == windows.size() ? core.end : windows[i + 1].targets.front()};
      const MarkerRange range{std::max(own.begin, wanted.begin), std::min(own.end, wanted.end)};
      if (range.begin < range.end) ImputeOne(panel, study, windows[i], range, dosages);
    }
    return dosages;
  }

  // A few markers of all haplotypes are imputed at a time, so that no row is complete, or compressed, before the end.
  size_t BytesOfMarker(size_t study_haplotypes, double /*compressed_bytes*/) const override {
    return study_haplotypes * sizeof(uint16_t);
  }

 private:
  const TokenShape& shape() const { return file_.network.shape; }
  TokenWindow FindWindow(const HaplotypePanel& panel) const;
  void CheckSites(const HaplotypePanel& panel, const WindowStudy& study, const TokenWindow& window,
                  MarkerRange wanted) const;
  TokenTable Context(const HaplotypePanel& panel, const TokenWindow& window) const;
  EncodedContext Encode(const HaplotypePanel& panel, const TokenWindow& window) const;
  static void FillFrequencies(const HaplotypePanel& panel, const WindowStudy& study, WindowDosages& dosages);
  void ImputeOne(const HaplotypePanel& panel, const WindowStudy& study, const TokenWindow& window, MarkerRange range,
                 WindowDosages& dosages) const;

  TokenModelFile file_;
  torch::Device device_;
  std::shared_ptr<ContextNetwork> network_;
  int64_t max_bytes_;
  mutable std::atomic<bool> said_context_ = false;
};

// The markers of the panel that the model was trained for.
TokenWindow TokenWindowModel::FindWindow(const HaplotypePanel& panel) const {
  const auto find = [&](const Marker& site) {
    for (size_t m = FirstMarkerAtOrAfter(panel, site.position);
         m < panel.num_markers() && panel.marker(m).position == site.position; ++m) {
      if (SameVariant(panel.marker(m), site)) return static_cast<uint32_t>(m);
    }
    return kNoMarker;
  };
  TokenWindow window;
  for (const Marker& site : file_.sites->inputs) window.inputs.push_back(find(site));
  for (const Marker& site : file_.sites->targets) window.targets.push_back(find(site));
  return window;
}

void TokenWindowModel::CheckSites(const HaplotypePanel& panel, const WindowStudy& study, const TokenWindow& window,
                                  MarkerRange wanted) const {
  const auto is_typed = [&](uint32_t m) { return std::ranges::binary_search(study.typed(), m); };
  const auto there = static_cast<size_t>(std::ranges::count_if(window.inputs, is_typed));
  if (2 * there < window.inputs.size()) {
    std::vector<Marker> typed;
    for (uint32_t m : study.typed()) typed.push_back(panel.marker(m));
    throw InputError(fmt::format(
        "{}: trained for the array sites {}, of which the study has {}; the study is typed at "
        "{}; give a study of that array, or train a model for this one",
        file_.path, ListSites(file_.sites->contig, file_.sites->inputs), there, ListSites(panel.contig(), typed)));
  }
  std::unordered_set<uint32_t> known(window.targets.begin(), window.targets.end());
  known.insert(window.inputs.begin(), window.inputs.end());
  std::vector<Marker> unknown;
  for (size_t m = wanted.begin; m < wanted.end; ++m) {
    const auto marker = static_cast<uint32_t>(m);
    if (!known.contains(marker) && !is_typed(marker) && !IsMonomorphic(panel, m)) unknown.push_back(panel.marker(m));
  }
  if (!unknown.empty()) {
    throw InputError(fmt::format(
        "{}: trained to impute {}, but the panel has {} there too; give the panel that the "
        "model was trained on, or train a model for this one",
        file_.path, ListSites(file_.sites->contig, file_.sites->targets), ListSites(panel.contig(), unknown)));
  }
}

// The panel's haplotypes or, if they take too much memory, some of them.
TokenTable TokenWindowModel::Context(const HaplotypePanel& panel, const TokenWindow& window) const {
  TokenTable all = PanelTokens(panel, window, shape());
  const int64_t n = all.tokens.size(0);
  const int64_t max_rows =
      std::max<int64_t>(1, TokenRowsWithin(file_.network, max_bytes_, /*training=*/false) - kMaxQueryRows);
  if (FindArchitecture(file_.network).encodes || n <= max_rows) return all;
  if (!said_context_.exchange(true)) {
    LogWarning(
        "{} of the panel's {} haplotypes, drawn at random, are used in a window: more would not fit into {} MiB "
        "(--memory)",
        max_rows, n, max_bytes_ >> 20);
  }
  RandomStream random(kContextSeed);
  std::vector<int64_t> rows = RandomOrder<int64_t>(n, random);
  rows.resize(static_cast<size_t>(max_rows));
  return all.Rows(torch::tensor(rows));
}

EncodedContext TokenWindowModel::Encode(const HaplotypePanel& panel, const TokenWindow& window) const {
  if (file_.inducing_points.defined()) return {{}, file_.inducing_points};
  return network_->Encode(Context(panel, window).ToTable(device_));
}

// Fills in the markers that need no model. Missing alleles of typed markers that are no window's inputs get the panel's
// frequency. Monomorphic markers, which training leaves out, get the allele that all of the panel has.
void TokenWindowModel::FillFrequencies(const HaplotypePanel& panel, const WindowStudy& study, WindowDosages& dosages) {
  for (size_t m = dosages.range.begin; m < dosages.range.end; ++m) {
    const bool is_typed = std::ranges::binary_search(study.typed(), static_cast<uint32_t>(m));
    if (!is_typed && !IsMonomorphic(panel, m)) continue;
    const double frequency = static_cast<double>(panel.alt_count(m)) / static_cast<double>(panel.num_haplotypes());
    for (size_t h = 0; h < dosages.num_haplotypes(); ++h) dosages.Set(h, m, frequency);
  }
}

// Writes the markers of `range`.
void TokenWindowModel::ImputeOne(const HaplotypePanel& panel, const WindowStudy& study, const TokenWindow& window,
                                 MarkerRange range, WindowDosages& dosages) const {
  const TokenTable study_tokens = StudyTokens(panel, study, window, shape());
  const EncodedContext context = Encode(panel, window);
  const auto k = static_cast<int64_t>(shape().kmer);
  const int64_t n = study_tokens.tokens.size(0);
  for (int64_t first = 0; first < n; first += kMaxQueryRows) {
    const torch::Tensor rows = torch::arange(first, std::min(first + kMaxQueryRows, n));
    const torch::Tensor logits = network_->Predict(context, study_tokens.Rows(rows).ToTable(device_));
    const torch::Tensor p = AlleleProbabilities(logits, shape()).clamp(0, 1).cpu().contiguous();  // [q, d, k]
    const auto write = [&](uint32_t marker, int64_t token, int64_t bit) {
      if (marker == kNoMarker || !range.Contains(marker)) return;
      const bool flip = BitIsRef(panel, marker, shape());
      const float* value = p.data_ptr<float>() + token * k + bit;
      for (int64_t h = 0; h < rows.numel(); ++h, value += p.size(1) * k) {
        dosages.Set(static_cast<size_t>(first + h), marker, flip ? 1 - *value : *value);
      }
    };
    const auto inputs = static_cast<int64_t>(window.inputs.size());
    const auto targets = static_cast<int64_t>(window.targets.size());
    const auto first_target = static_cast<int64_t>(shape().input_tokens());
    // Inputs that are not in the study, or have missing alleles, are predicted too.
    for (int64_t i = 0; i < inputs; ++i) write(window.inputs[static_cast<size_t>(i)], i / k, i % k);
    for (int64_t i = 0; i < targets; ++i) write(window.targets[static_cast<size_t>(i)], first_target + i / k, i % k);
  }
}

}  // namespace

std::unique_ptr<WindowModel> MakeTokenWindowModel(const Safetensors& file, const std::string& device,
                                                  int64_t max_bytes) {
  SetTorchThreads(Threads());
  return std::make_unique<TokenWindowModel>(ParseTokenModel(file), ParseDevice(device), max_bytes);
}

}  // namespace haplospin
