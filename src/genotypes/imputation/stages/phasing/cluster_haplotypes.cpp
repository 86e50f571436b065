#include "genotypes/imputation/stages/phasing/cluster_haplotypes.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/random.h"
#include "genotypes/imputation/models/clusters/cluster_model.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Several fits of few clusters, each begun from other samples, find more than one fit of many.
constexpr size_t kFits = 6;
constexpr ClusterFit kFit = {.clusters = kFewClusters, .steps = 24, .parts = 4, .first_rate = 200};
constexpr size_t kMaxSamples = 1000;  // evenly spaced, to which the clusters are fitted
constexpr float kWrongCall = 1e-3f;   // likelihood of a genotype that was called otherwise
constexpr float kWeight = 2;          // of a fit, in draws of the phase

bool IsUnknown(const ClusterLikelihoods& l) { return l[0] == l[1] && l[1] == l[2]; }

// Returns the likelihoods of a sample's genotypes: [typed].
std::vector<ClusterLikelihoods> AllLikelihoods(const SampleGenotypes& sample) {
  std::vector<ClusterLikelihoods> genotypes;
  for (size_t j = 0; j < sample.alleles[0].size(); ++j) {
    const uint8_t first = sample.alleles[0][j], second = sample.ploidy == 1 ? first : sample.alleles[1][j];
    ClusterLikelihoods& likelihoods = genotypes.emplace_back(ClusterLikelihoods{1, 1, 1});
    if (first == kMissingAllele || second == kMissingAllele) continue;
    likelihoods.fill(kWrongCall);
    likelihoods[size_t{first} + second] = 1;
  }
  for (size_t k = 0; k < sample.missing.size(); ++k) {
    if (sample.likelihoods[k].IsFlat()) continue;
    for (size_t alts = 0; alts < 3; ++alts)
      genotypes[sample.missing[k]][alts] = Likelihood(sample.likelihoods[k], alts);
  }
  return genotypes;
}

float ExpectedAlt(const ClusterLikelihoods& l) { return (0.5f * l[1] + l[2]) / (l[0] + l[1] + l[2]); }

ClusterEvidence SampleEvidence(std::span<const double> centimorgans, std::span<const SampleGenotypes> samples) {
  ClusterEvidence evidence;
  for (size_t j = 0; j < centimorgans.size(); ++j) {
    evidence.morgans.push_back(j == 0 ? 0 : (centimorgans[j] - centimorgans[j - 1]) / 100);
  }
  const size_t fitted = std::min(kMaxSamples, samples.size());
  std::vector<float> sums(centimorgans.size(), 0.5f), counts(centimorgans.size(), 1);
  for (size_t k = 0; k < fitted; ++k) {
    const std::vector<ClusterLikelihoods> genotypes = AllLikelihoods(samples[k * samples.size() / fitted]);
    for (size_t j = 0; j < genotypes.size(); ++j) {
      if (IsUnknown(genotypes[j])) continue;
      sums[j] += ExpectedAlt(genotypes[j]);
      ++counts[j];
    }
    evidence.likelihoods.insert(evidence.likelihoods.end(), genotypes.begin(), genotypes.end());
  }
  for (size_t j = 0; j < sums.size(); ++j) evidence.frequency.push_back(sums[j] / counts[j]);
  return evidence;
}

// The first clusters of a fit are samples at even distances: the mean number of ALT alleles by their likelihoods.
std::vector<float> FirstClusters(const ClusterEvidence& evidence, size_t fit) {
  std::vector<float> alt;
  for (size_t j = 0; j < evidence.num_markers(); ++j) {
    for (size_t k = 0; k < kFewClusters; ++k) {
      const size_t i = (k * kFits + fit) * evidence.size() / (kFewClusters * kFits);
      const ClusterLikelihoods& l = evidence.likelihoods[i * evidence.num_markers() + j];
      alt.push_back(IsUnknown(l) ? evidence.frequency[j] : 0.5f * (evidence.frequency[j] + ExpectedAlt(l)));
    }
  }
  return alt;
}

// Gives the sample the most probable alleles of its clusters.
void SetHaplotypes(const ClusterModel& model, std::span<const std::array<size_t, 2>> clusters,
                   SampleGenotypes& sample) {
  for (size_t h = 0; h < sample.hets.size(); ++h) {
    const uint32_t j = sample.hets[h];
    const bool alt_is_first = model.alt(j, clusters[j][0]) > model.alt(j, clusters[j][1]);
    if (sample.IsGiven(h)) continue;
    sample.alleles[0][j] = alt_is_first;
    sample.alleles[1][j] = !alt_is_first;
  }
  for (std::vector<uint8_t>& imputed : sample.imputed) imputed.clear();
  for (size_t k = 0; k < sample.missing.size(); ++k) {
    const uint32_t j = sample.missing[k];
    const float first = model.alt(j, clusters[j][0]), second = model.alt(j, clusters[j][1]);
    const auto likelihood = [&](size_t alts) { return Likelihood(sample.likelihoods[k], alts); };
    const std::array weight{(1 - first) * (1 - second) * likelihood(0), (1 - first) * second * likelihood(1),
                            first * (1 - second) * likelihood(1), first * second * likelihood(2)};
    const auto best = static_cast<size_t>(std::ranges::max_element(weight) - weight.begin());
    for (size_t c = 0; c < 2; ++c) {
      const uint8_t known = sample.alleles[c][j], found = c == 0 ? best / 2 : best % 2;
      sample.imputed[c].push_back((known == kMissingAllele ? found : known) * kCertainAlt);
    }
  }
}

// Adds the probabilities of the genotypes at the missing ones of the sample, of which `alt` and `both` are those by all
// other genotypes: [typed].
void AddGenotypes(std::span<const float> alt, std::span<const float> both, const SampleGenotypes& sample,
                  MissingAlleles& average) {
  std::vector<float> alts, boths;
  for (size_t k = 0; k < sample.missing.size(); ++k) {
    const uint32_t j = sample.missing[k];
    const float zero = (1 - 2 * alt[j] + both[j]) * Likelihood(sample.likelihoods[k], 0);
    const float one = 2 * (alt[j] - both[j]) * Likelihood(sample.likelihoods[k], 1);
    const float two = both[j] * Likelihood(sample.likelihoods[k], 2);
    const float scale = 1 / std::max(zero + one + two, 1e-30f);
    alts.push_back(scale * (0.5f * one + two));
    boths.push_back(scale * two);
  }
  average.Add(sample, alts, alts, boths, kWeight);
}

}  // namespace

void GuessFromClusters(std::span<const double> centimorgans, std::span<const std::string> names, uint64_t seed,
                       std::span<SampleGenotypes> samples, std::span<MissingAlleles> average) {
  const ClusterEvidence evidence = SampleEvidence(centimorgans, samples);
  std::vector<uint32_t> markers;
  for (uint32_t j = 0; j < centimorgans.size(); ++j) markers.push_back(j);
  for (size_t fit = 0; fit < kFits; ++fit) {
    const ClusterModel model(evidence, kFit, FirstClusters(evidence, fit));
    const ClusterSteps steps(model, markers);
    tbb::parallel_for(size_t{0}, samples.size(), [&](size_t s) {
      const std::vector<ClusterLikelihoods> genotypes = AllLikelihoods(samples[s]);
      std::vector<float> forward(markers.size() * kFewClusters * kFewClusters), alt(markers.size()), both = alt;
      LeaveOutGenotypes(model.tables(), steps.steps(), genotypes.data(), forward.data(), alt.data(), both.data());
      AddGenotypes(alt, both, samples[s], average[s]);
      if (fit > 0) return;
      RandomStream random(seed, {HashName(names[s]), 2000});
      SetHaplotypes(model, model.DrawPairs(forward, random), samples[s]);
    });
  }
}

}  // namespace haplospin
