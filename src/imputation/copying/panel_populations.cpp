#include "imputation/copying/panel_populations.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"

namespace haplospin {
namespace {

constexpr size_t kMinCarriers = 2;  // of the markers that the populations are fitted to
constexpr size_t kMaxCarriers = 200;
constexpr size_t kMinRareHaplotypes = 10;  // a twentieth of the panel may carry the allele, in small panels so many
constexpr size_t kMaxMarkers = 20000;
constexpr int kFitRounds = 40;
constexpr size_t kFitParts = 16;      // summed in order, whatever the number of threads
constexpr float kSharePrior = 0.02f;  // of even carrying while fitting
constexpr float kFitPrior = 0.1f;     // carriers of a marker in every population, seen beforehand

constexpr float kMixturePrior = 0.03f;            // of every population in a study person,
constexpr float kObservationsPerCentimorgan = 2;  // whose copying counts as so many observations,
constexpr float kMaxObservations = 100;           // because more observations add no certainty
constexpr float kMin = 1e-9f;
constexpr float kMinShare = 1e-3f;  // relative to an even one

void Normalize(PopulationMixture& mixture) {
  float sum = 0;
  for (float share : mixture) sum += share;
  for (float& share : mixture) share /= sum;
}

// The carriers of the minor alleles of rare panel markers, one row per marker.
struct CarrierRows {
  std::vector<uint32_t> samples;
  std::vector<size_t> first = {0};

  size_t size() const { return first.size() - 1; }
  std::span<const uint32_t> row(size_t r) const { return {&samples[first[r]], first[r + 1] - first[r]}; }
};

template <typename Visit>
void ForEachCarrier(const HaplotypePanel& panel, size_t marker, Visit&& visit) {
  if (panel.is_rare(marker)) {
    for (uint32_t h : panel.carriers(marker)) visit(h);
    return;
  }
  const int minor = panel.minor_is_alt(marker) ? 1 : 0;
  for (uint32_t h = 0; h < panel.num_haplotypes(); ++h) {
    if (panel.allele(marker, h) == minor) visit(h);
  }
}

CarrierRows RareCarriers(const HaplotypePanel& panel, const std::vector<uint32_t>& sample_of) {
  const size_t n = panel.num_haplotypes();
  const size_t most = std::min(kMaxCarriers, std::max(kMinRareHaplotypes, n / 20));
  std::vector<uint32_t> markers;
  for (size_t m = 0; m < panel.num_markers(); ++m) {
    const size_t carriers = std::min<size_t>(panel.alt_count(m), n - panel.alt_count(m));
    if (carriers >= kMinCarriers && carriers <= most) markers.push_back(static_cast<uint32_t>(m));
  }
  CarrierRows rows;
  const size_t taken = std::min(markers.size(), kMaxMarkers);
  for (size_t k = 0; k < taken; ++k) {
    ForEachCarrier(panel, markers[k * markers.size() / taken],
                   [&](uint32_t h) { rows.samples.push_back(sample_of[h]); });
    rows.first.push_back(rows.samples.size());
  }
  return rows;
}

// Makes every population's shares sum to 1. `shares` is [samples, populations].
void NormalizePopulations(std::vector<float>& shares) {
  float sums[kNumPopulations] = {};
  for (size_t i = 0; i < shares.size(); ++i) sums[i % kNumPopulations] += shares[i];
  for (size_t i = 0; i < shares.size(); ++i) shares[i] /= sums[i % kNumPopulations];
}

// Expectation for the rows [begin, end): which population each carrier belongs to. Adds to `expected` [samples,
// populations] and updates the rows' mixtures.
void Expect(const CarrierRows& rows, size_t begin, size_t end, const std::vector<float>& shares,
            std::vector<PopulationMixture>& mixtures, std::vector<float>& expected) {
  for (size_t r = begin; r < end; ++r) {
    PopulationMixture& mixture = mixtures[r];
    PopulationMixture updated;
    updated.fill(kFitPrior);
    for (uint32_t s : rows.row(r)) {
      const float* share = &shares[s * kNumPopulations];
      float* to = &expected[s * kNumPopulations];
      float joint[kNumPopulations];
      float sum = kMin * kMin;
      for (size_t k = 0; k < kNumPopulations; ++k) sum += joint[k] = mixture[k] * share[k];
      const float scale = 1 / sum;
      for (size_t k = 0; k < kNumPopulations; ++k) {
        to[k] += joint[k] * scale;
        updated[k] += joint[k] * scale;
      }
    }
    mixture = updated;
    Normalize(mixture);
  }
}

}  // namespace

PanelPopulations::PanelPopulations(const HaplotypePanel& panel, const std::vector<uint32_t>& sample_of)
    : num_samples_(panel.samples().num_samples()), shares_(num_samples_ * kNumPopulations) {
  const CarrierRows rows = RareCarriers(panel, sample_of);
  if (rows.size() == 0) {
    std::fill(shares_.begin(), shares_.end(), 1.0f / static_cast<float>(num_samples_));
    return;
  }
  // Random initial shares break the symmetry of the populations. They depend on the names of the samples, not on their
  // order in the file.
  for (size_t s = 0; s < num_samples_; ++s) {
    RandomStream random(HashOf(panel.samples().names[s]));
    for (size_t k = 0; k < kNumPopulations; ++k)
      shares_[s * kNumPopulations + k] = 0.5f + static_cast<float>(random.Uniform());
  }
  NormalizePopulations(shares_);

  PopulationMixture even;
  even.fill(1.0f / kNumPopulations);
  std::vector<PopulationMixture> mixtures(rows.size(), even);
  const float prior =
      kSharePrior * static_cast<float>(rows.samples.size()) / static_cast<float>(num_samples_ * kNumPopulations) + kMin;
  std::vector<std::vector<float>> parts(kFitParts);
  for (int round = 0; round < kFitRounds; ++round) {
    tbb::parallel_for(size_t{0}, kFitParts, [&](size_t p) {
      parts[p].assign(shares_.size(), 0);
      Expect(rows, p * rows.size() / kFitParts, (p + 1) * rows.size() / kFitParts, shares_, mixtures, parts[p]);
    });
    std::fill(shares_.begin(), shares_.end(), prior);
    for (const std::vector<float>& part : parts) {
      for (size_t i = 0; i < shares_.size(); ++i) shares_[i] += part[i];
    }
    NormalizePopulations(shares_);
  }
}

void PanelPopulations::Update(std::span<const float> copied, float total, PopulationMixture& mixture) const {
  const float scale = total > 0 ? std::min(kObservationsPerCentimorgan, kMaxObservations / total) : 0;
  PopulationMixture updated;
  updated.fill(kMixturePrior);
  for (size_t s = 0; s < num_samples_; ++s) {
    if (copied[s] <= 0) continue;
    const float* share = &shares_[s * kNumPopulations];
    float joint[kNumPopulations];
    float sum = kMin;
    for (size_t k = 0; k < kNumPopulations; ++k) sum += joint[k] = mixture[k] * share[k];
    const float weight = scale * copied[s] / sum;
    for (size_t k = 0; k < kNumPopulations; ++k) updated[k] += joint[k] * weight;
  }
  mixture = updated;
  Normalize(mixture);
}

void PanelPopulations::Shares(const PopulationMixture& mixture, std::vector<float>& shares) const {
  shares.resize(num_samples_);
  for (size_t s = 0; s < num_samples_; ++s) {
    float sum = 0;
    for (size_t k = 0; k < kNumPopulations; ++k) sum += mixture[k] * shares_[s * kNumPopulations + k];
    shares[s] = std::max(sum * static_cast<float>(num_samples_), kMinShare);
  }
}

}  // namespace haplospin
