#include "haplospin/imputation/panel_populations.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "imputation/panel_target.h"

namespace haplospin {
namespace {

constexpr size_t kMostProfiles = 120;
constexpr int kFitRounds = 25;
constexpr int kMixtureRounds = 12;
constexpr float kEvenShare = 0.2f;                // of even copying in the populations to begin with
constexpr float kSharePrior = 0.02f;              // of even copying while fitting
constexpr float kFitPrior = 0.01f;                // of every population in a panel person
constexpr float kMixturePrior = 0.3f;             // of every population in a study person,
constexpr float kObservationsPerCentimorgan = 2;  // whose copying counts as so many observations,
constexpr float kMostObservations = 100;          // for it is soon as certain as it can be
constexpr float kLeast = 1e-9f;
constexpr float kLeastShare = 1e-3f;  // relative to an even one

// In 16 parts, so that the compiler can use vectors without changing the order of a sum.
float Dot(const float* a, const float* b, size_t n) {
  float parts[16] = {};
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    for (size_t l = 0; l < 16; ++l) parts[l] += a[i + l] * b[i + l];
  }
  float sum = 0;
  for (float part : parts) sum += part;
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

void AddScaled(float scale, const float* from, size_t n, float* to) {
  for (size_t i = 0; i < n; ++i) to[i] += scale * from[i];
}

void Normalise(float* values, size_t n) {
  float sum = 0;
  for (size_t i = 0; i < n; ++i) sum += values[i];
  for (size_t i = 0; i < n; ++i) values[i] /= sum;
}

// What panel people copy of each other: a row that sums to 1 for each of some people, evenly spaced.
std::vector<std::vector<float>> CopyingProfiles(const ArrayPanel& panel, const CopyingModel& model,
                                                const std::vector<uint32_t>& sample_of, size_t num_samples) {
  const size_t n = panel.num_haplotypes();
  std::vector<std::vector<float>> profiles(std::min(kMostProfiles, n));
  tbb::enumerable_thread_specific<CandidateFinder> finders;
  tbb::parallel_for(tbb::blocked_range<size_t>(0, profiles.size(), 1), [&](const tbb::blocked_range<size_t>& range) {
    CopyCandidates candidates;
    for (size_t p = range.begin(); p < range.end(); ++p) {
      const size_t h = p * n / profiles.size();
      finders.local().Find(panel, model, PanelHaplotype(panel, h), WithNeighbour(h, n), candidates);
      profiles[p].assign(num_samples, 0);
      ForEachCopied(panel, candidates, sample_of,
                    [&](uint32_t, uint32_t sample, float centimorgans) { profiles[p][sample] += centimorgans; });
      profiles[p][sample_of[h]] += kLeast;  // so that the sum is not 0 where the window has no length
      Normalise(profiles[p].data(), num_samples);
    }
  });
  return profiles;
}

}  // namespace

PanelPopulations::PanelPopulations(const ArrayPanel& panel, const CopyingModel& model,
                                   const std::vector<uint32_t>& sample_of, size_t num_samples)
    : num_samples_(num_samples), shares_(kPopulations * num_samples, 1.0f / static_cast<float>(num_samples)) {
  if (panel.num_haplotypes() > 2) Fit(CopyingProfiles(panel, model, sample_of, num_samples));
}

void PanelPopulations::Fit(const std::vector<std::vector<float>>& profiles) {
  const size_t n = num_samples_;
  const size_t people = profiles.size();
  const float even = 1.0f / static_cast<float>(n);
  // Evenly spaced people stand for the populations to begin with.
  for (size_t k = 0; k < kPopulations; ++k) {
    const std::vector<float>& profile = profiles[(2 * k + 1) * people / (2 * kPopulations)];
    for (size_t s = 0; s < n; ++s) {
      shares_[k * n + s] = (1 - kEvenShare) * profile[s] + kEvenShare * even;
    }
  }
  std::vector<float> mixtures(people * kPopulations, 1.0f / kPopulations);
  std::vector<float> next(kPopulations * n);
  std::vector<float> ratio(n);
  const float prior = kSharePrior * even * static_cast<float>(people) / kPopulations;
  for (int round = 0; round < kFitRounds; ++round) {
    std::fill(next.begin(), next.end(), 0.0f);
    for (size_t p = 0; p < people; ++p) {
      float* mixture = mixtures.data() + p * kPopulations;
      std::fill(ratio.begin(), ratio.end(), kLeast);
      for (size_t k = 0; k < kPopulations; ++k) AddScaled(mixture[k], &shares_[k * n], n, ratio.data());
      for (size_t s = 0; s < n; ++s) ratio[s] = profiles[p][s] / ratio[s];
      for (size_t k = 0; k < kPopulations; ++k) {
        AddScaled(mixture[k], ratio.data(), n, &next[k * n]);
        mixture[k] = mixture[k] * Dot(ratio.data(), &shares_[k * n], n) + kFitPrior;
      }
      Normalise(mixture, kPopulations);
    }
    for (size_t i = 0; i < shares_.size(); ++i) shares_[i] = shares_[i] * next[i] + prior;
    for (size_t k = 0; k < kPopulations; ++k) Normalise(&shares_[k * n], n);
  }
}

void PanelPopulations::LogShares(std::span<const float> copied, float total, std::vector<float>& log_shares) const {
  const size_t n = num_samples_;
  const float scale = total > 0 ? std::min(kObservationsPerCentimorgan, kMostObservations / total) : 0;
  float mixture[kPopulations];
  std::fill(std::begin(mixture), std::end(mixture), 1.0f / kPopulations);
  std::vector<float> ratio(n);
  for (int round = 0; round < kMixtureRounds; ++round) {
    std::fill(ratio.begin(), ratio.end(), kLeast);
    for (size_t k = 0; k < kPopulations; ++k) AddScaled(mixture[k], &shares_[k * n], n, ratio.data());
    for (size_t s = 0; s < n; ++s) ratio[s] = scale * copied[s] / ratio[s];
    for (size_t k = 0; k < kPopulations; ++k) {
      mixture[k] = mixture[k] * Dot(ratio.data(), &shares_[k * n], n) + kMixturePrior;
    }
    Normalise(mixture, kPopulations);
  }
  log_shares.assign(n, 0);
  for (size_t k = 0; k < kPopulations; ++k) AddScaled(mixture[k], &shares_[k * n], n, log_shares.data());
  for (float& share : log_shares) share = std::log(std::max(share * static_cast<float>(n), kLeastShare));
}

}  // namespace haplospin
