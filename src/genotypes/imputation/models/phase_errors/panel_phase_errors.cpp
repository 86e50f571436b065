#include "genotypes/imputation/models/phase_errors/panel_phase_errors.h"

#include <algorithm>
#include <span>
#include <utility>

#include "genotypes/imputation/models/phase_errors/phase_errors.h"
#include "genotypes/imputation/models/phasing/sample_targets.h"
#include "genotypes/imputation/window/panel_window.h"

namespace haplospin {
namespace {

constexpr double kMinFrequency = 0.02;      // smallest minor allele frequency of a marker
constexpr size_t kMaxAlleles = 1ULL << 30;  // largest number of alleles at all markers: an eighth as many bytes
constexpr size_t kMinMarkers = 4096;        // markers that are used even if they have more alleles than that

constexpr double kMinLogOdds = 0;  // log odds from which an error is corrected

// Largest panel that the number of matches and states grows with: they only show which of two haplotypes continues.
constexpr size_t kMaxPanelHaplotypes = 5000;

// Returns the number of samples that share a sort of the panel, which takes longer in a larger panel.
size_t BatchSamples(size_t num_haplotypes) {
  return std::clamp(num_haplotypes / 256, 4 * kSamplesAtATime, 16 * kSamplesAtATime);
}

// Returns evenly spaced markers among the frequent ones at different positions.
std::vector<uint32_t> MarkersToCompare(const HaplotypePanel& panel) {
  const size_t n = panel.num_haplotypes();
  std::vector<uint32_t> frequent;
  for (uint32_t m = 0; m < panel.num_markers(); ++m) {
    const size_t minor = std::min<size_t>(panel.alt_count(m), n - panel.alt_count(m));
    if (static_cast<double>(minor) < kMinFrequency * static_cast<double>(n)) continue;
    if (!frequent.empty() && panel.marker(frequent.back()).position == panel.marker(m).position) continue;
    frequent.push_back(m);
  }
  const size_t max_markers = std::max(kMinMarkers, kMaxAlleles / n);
  const size_t spacing = (frequent.size() + max_markers - 1) / max_markers;
  std::vector<uint32_t> markers;
  for (size_t k = 0; k < frequent.size(); k += spacing) markers.push_back(frequent[k]);
  return markers;
}

// Diploid samples of the panel that are compared with all others at the same time.
struct Batch {
  std::vector<uint32_t> samples;
  std::vector<SampleTargets> targets;
};

class PanelComparison {
 public:
  explicit PanelComparison(const PanelWindow& window) : window_(window) {
    PanelCopying copying = EstimatePanelCopying(window.typed_panel(), window.options());
    model_ = std::move(copying.last_round);
    model_.mismatch_probability = copying.model.mismatch_probability;
  }

  // Returns whether the panel has enough haplotypes and markers to be compared with itself.
  bool HasModel() const { return !model_.switch_probability.empty(); }

  // Returns the errors at typed markers [begin, end).
  PanelPhaseErrors Find(size_t begin, size_t end) const;

 private:
  Batch NextBatch(size_t& sample) const;
  void Correct(Batch& batch) const;
  void AddErrors(const Batch& batch, size_t begin, size_t end, PanelPhaseErrors& errors) const;
  int64_t ExchangePosition(const SampleTargets& sample, size_t j) const;

  const SampleTable& table() const { return window_.panel().samples(); }

  const PanelWindow& window_;
  CopyingModel model_;
};

PanelPhaseErrors PanelComparison::Find(size_t begin, size_t end) const {
  PanelPhaseErrors errors;
  for (size_t sample = 0; sample < table().num_samples();) {
    Batch batch = NextBatch(sample);
    Correct(batch);
    AddErrors(batch, begin, end, errors);
    errors.counts += CountPhaseErrors(batch.targets, begin, end);
  }
  std::ranges::sort(errors.exchanges, [](const PhaseExchange& a, const PhaseExchange& b) {
    return a.position != b.position ? a.position < b.position : a.sample < b.sample;
  });
  return errors;
}

// Returns the batch that begins at `sample`, and moves `sample` to the end of the batch.
Batch PanelComparison::NextBatch(size_t& sample) const {
  const size_t max_samples = BatchSamples(window_.panel().num_haplotypes());
  Batch batch;
  for (; sample < table().num_samples() && batch.samples.size() < max_samples; ++sample) {
    if (table().ploidy(sample) != 2) continue;
    const uint32_t first = table().first_haplotype[sample];
    const ExcludedHaplotypes own{{first, first + 1}, 2};
    PhaseVersion version;
    for (const uint32_t h : {first, first + 1}) {
      version.haplotypes.push_back(PanelHaplotype(window_.typed_panel(), h, own));
    }
    batch.samples.push_back(static_cast<uint32_t>(sample));
    batch.targets.push_back({.versions = {std::move(version)}});
  }
  return batch;
}

void PanelComparison::Correct(Batch& batch) const {
  std::vector<const TargetHaplotype*> matched;
  std::vector<size_t> selected;
  for (const SampleTargets& sample : batch.targets) {
    selected.push_back(matched.size());
    for (const TargetHaplotype& haplotype : sample.most_probable()) matched.push_back(&haplotype);
  }
  const TypedPanel& panel = window_.typed_panel();
  const StateSelection selection(panel, matched, window_.options().states);
  const SearchedBatch searched{{panel, model_, selection, selected}, batch.targets};
  CorrectPhaseErrors({&searched, 1}, kMinLogOdds);
}

void PanelComparison::AddErrors(const Batch& batch, size_t begin, size_t end, PanelPhaseErrors& errors) const {
  for (size_t s = 0; s < batch.samples.size(); ++s) {
    const std::vector<bool>& swapped = batch.targets[s].versions[0].swapped;
    if (swapped.empty()) continue;
    for (size_t j = std::max<size_t>(begin, 1); j < end; ++j) {
      if (swapped[j] == swapped[j - 1]) continue;
      errors.exchanges.push_back({ExchangePosition(batch.targets[s], j), batch.samples[s]});
    }
  }
}

// Returns the position halfway between heterozygote j and the one before it, as the error is somewhere between them.
int64_t PanelComparison::ExchangePosition(const SampleTargets& sample, size_t j) const {
  const std::vector<TargetHaplotype>& haplotypes = sample.most_probable();
  size_t before = j - 1;
  while (before > 0 && haplotypes[0].alleles[before] == haplotypes[1].alleles[before]) --before;
  const int64_t first = window_.panel().marker(window_.typed_markers()[before]).position;
  const int64_t last = window_.panel().marker(window_.typed_markers()[j]).position;
  return first + (last - first + 1) / 2;
}

}  // namespace

PanelPhaseErrors FindPanelPhaseErrors(const HaplotypePanel& panel, const GeneticMap& map, int64_t first, int64_t last) {
  std::vector<uint32_t> markers = MarkersToCompare(panel);
  if (markers.size() < 2) return {};
  const auto before = [&](int64_t position) {
    const auto at =
        std::ranges::partition_point(markers, [&](uint32_t m) { return panel.marker(m).position < position; });
    return static_cast<size_t>(at - markers.begin());
  };
  const size_t begin = before(first), end = last == INT64_MAX ? markers.size() : before(last + 1);
  const PanelWindow window(panel, map, std::move(markers), {},
                           CopyingOptions().ForPanel(std::min(panel.num_haplotypes(), kMaxPanelHaplotypes)));
  const PanelComparison comparison(window);
  return comparison.HasModel() ? comparison.Find(begin, end) : PanelPhaseErrors{};
}

}  // namespace haplospin
