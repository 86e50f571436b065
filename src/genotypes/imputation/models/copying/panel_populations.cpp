#include "genotypes/imputation/models/copying/panel_populations.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/random.h"
#include "genotypes/genomics/distinct_haplotypes.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// The populations are estimated from markers with at least kMinCarriers carriers of the minor allele, and at most a
// twentieth of the panel or kMaxCarriers. In small panels, kMinRareHaplotypes replaces the twentieth.
constexpr size_t kMinCarriers = 2;
constexpr size_t kMaxCarriers = 200;
constexpr size_t kMinRareHaplotypes = 10;
constexpr size_t kMaxChosen = 2500;          // samples; in larger panels the others are assigned to these populations
constexpr size_t kSamplesOfRange = 1 << 14;  // number of samples that are assigned together
constexpr int kRounds = 22;
constexpr int kCoarseRounds = 12;  // of these, the first ones, to every kCoarseStep-th marker
constexpr size_t kCoarseStep = 4;
constexpr size_t kMinCoarseRows = 500;   // markers of these rounds; with fewer, all rounds are to all markers
constexpr float kOverrelaxation = 0.8f;  // extension of each step, which halves the number of rounds
constexpr size_t kParts = 16;            // parts whose sums are added in order, whatever the number of threads
constexpr float kSharePrior = 0.02f;     // weight of equal shares in the rounds
constexpr float kCarriersPrior = 0.1f;   // prior carriers of a marker in every population
constexpr double kInbredShare = 0.8;     // least share of carriers with two minor alleles in a panel of inbred lines

using population_mixture::kMinProbability;

// Returns the end of a longer step from `before` to `after`; it stays positive.
float Overrelaxed(float before, float after) {
  return std::max(0.1f * after, after + kOverrelaxation * (after - before));
}

// Adds four sums at a time, as a processor does not have to wait for one before the next.
float Sum(const float (&values)[kNumPopulations]) {
  static_assert(kNumPopulations % 4 == 0);
  float sums[4] = {};
  for (size_t k = 0; k < kNumPopulations; k += 4) {
    for (size_t i = 0; i < 4; ++i) sums[i] += values[k + i];
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

void Normalize(PopulationMixture& mixture) {
  float sum = 0;
  for (float share : mixture) sum += share;
  for (float& share : mixture) share /= sum;
}

// The samples that the populations are estimated from, evenly spaced.
class ChosenSamples {
 public:
  explicit ChosenSamples(size_t num_samples)
      : num_samples_(num_samples), count_(std::min(num_samples, kMaxChosen)), index_of_(num_samples, kNone) {
    for (size_t p = 0; p < count_; ++p) index_of_[sample(p)] = static_cast<uint32_t>(p);
  }

  static constexpr uint32_t kNone = UINT32_MAX;
  size_t count() const { return count_; }
  size_t sample(size_t p) const { return p * num_samples_ / count_; }
  uint32_t index_of(size_t sample) const { return index_of_[sample]; }

 private:
  size_t num_samples_;
  size_t count_;
  std::vector<uint32_t> index_of_;  // [samples]
};

// The chosen samples that carry the minor alleles of rare panel markers, one row per marker.
struct CarrierRows {
  std::vector<uint32_t> samples;  // indices of chosen samples
  std::vector<size_t> first = {0};
  std::vector<uint32_t> marker;

  size_t size() const { return marker.size(); }
  std::span<const uint32_t> row(size_t r) const { return {&samples[first[r]], first[r + 1] - first[r]}; }
};

// The haplotypes of the chosen samples, ascending.
std::vector<uint32_t> ChosenHaplotypes(const std::vector<uint32_t>& sample_of, const ChosenSamples& chosen) {
  std::vector<uint32_t> haplotypes;
  for (uint32_t h = 0; h < sample_of.size(); ++h) {
    if (chosen.index_of(sample_of[h]) != ChosenSamples::kNone) haplotypes.push_back(h);
  }
  return haplotypes;
}

// Appends the chosen samples that carry the minor allele of a marker; samples with two of them twice.
void AddCarriers(const HaplotypePanel& panel, size_t marker, const std::vector<uint32_t>& sample_of,
                 const ChosenSamples& chosen, const std::vector<bool>& is_chosen,
                 const std::vector<uint32_t>& chosen_haplotypes, std::vector<uint32_t>& samples) {
  if (panel.is_rare(marker)) {
    for (const uint32_t h : panel.carriers(marker)) {
      if (is_chosen[h]) samples.push_back(chosen.index_of(sample_of[h]));
    }
    return;
  }
  const auto [group, column] = DistinctHaplotypes::FindColumn(panel, marker);
  const bool minor_is_alt = panel.minor_is_alt(marker);
  for (const uint32_t h : chosen_haplotypes) {
    const bool is_alt = group != nullptr ? (group->Bits(h, column) & 1) != 0 : panel.allele(marker, h) != 0;
    if (is_alt == minor_is_alt) samples.push_back(chosen.index_of(sample_of[h]));
  }
}

CarrierRows RareCarriers(const HaplotypePanel& panel, const std::vector<uint32_t>& sample_of,
                         const ChosenSamples& chosen) {
  std::vector<uint32_t> markers;
  for (uint32_t m = 0; m < panel.num_markers(); ++m) {
    if (PanelPopulations::UsesMarker(panel, m)) markers.push_back(m);
  }
  const std::vector<uint32_t> chosen_haplotypes = ChosenHaplotypes(sample_of, chosen);
  std::vector<bool> is_chosen(panel.num_haplotypes());
  for (const uint32_t h : chosen_haplotypes) is_chosen[h] = true;
  CarrierRows rows;
  const size_t taken = std::min(markers.size(), PanelPopulations::kMaxMarkers);
  for (size_t k = 0; k < taken; ++k) {
    const uint32_t marker = markers[k * markers.size() / taken];
    AddCarriers(panel, marker, sample_of, chosen, is_chosen, chosen_haplotypes, rows.samples);
    if (rows.samples.size() < rows.first.back() + kMinCarriers) {
      rows.samples.resize(rows.first.back());
      continue;
    }
    rows.first.push_back(rows.samples.size());
    rows.marker.push_back(marker);
  }
  return rows;
}

// Returns whether nearly all carriers have the minor allele on both haplotypes. Such a sample is one haplotype twice:
// what its rare alleles tell about its relatives is what its match in the window tells already, and would count twice.
bool AreInbred(const CarrierRows& rows) {
  size_t homozygous = 0;
  for (size_t r = 0; r < rows.size(); ++r) {
    const std::span<const uint32_t> row = rows.row(r);
    for (size_t i = 1; i < row.size(); ++i) homozygous += row[i] == row[i - 1] ? 2 : 0;
  }
  return static_cast<double>(homozygous) >= kInbredShare * static_cast<double>(rows.samples.size());
}

// Makes every population's shares sum to 1. `shares` is [samples, populations].
void NormalizePopulations(std::vector<float>& shares) {
  float sums[kNumPopulations] = {};
  for (size_t i = 0; i < shares.size(); ++i) sums[i % kNumPopulations] += shares[i];
  for (size_t i = 0; i < shares.size(); ++i) shares[i] /= sums[i % kNumPopulations];
}

// Runs the expectation step for every `step`-th of the rows [begin, end): estimates the population that each carrier
// belongs to, adds to `expected` [samples, populations] and updates the rows' mixtures.
void Expect(const CarrierRows& rows, size_t begin, size_t end, size_t step, const std::vector<float>& shares,
            std::vector<PopulationMixture>& mixtures, std::vector<float>& expected) {
  for (size_t r = begin; r < end; r += step) {
    PopulationMixture& mixture = mixtures[r];
    PopulationMixture updated;
    updated.fill(kCarriersPrior);
    for (uint32_t s : rows.row(r)) {
      const float* share = &shares[s * kNumPopulations];
      float* to = &expected[s * kNumPopulations];
      float joint[kNumPopulations];
      for (size_t k = 0; k < kNumPopulations; ++k) joint[k] = mixture[k] * share[k];
      const float scale = 1 / (Sum(joint) + kMinProbability * kMinProbability);
      for (size_t k = 0; k < kNumPopulations; ++k) {
        to[k] += joint[k] * scale;
        updated[k] += joint[k] * scale;
      }
    }
    Normalize(updated);
    for (size_t k = 0; k < kNumPopulations; ++k) mixture[k] = Overrelaxed(mixture[k], updated[k]);
  }
}

// Random initial shares break the symmetry of the populations. They depend on the names of the samples, not on their
// order in the file.
std::vector<float> RandomShares(const SampleTable& samples, const ChosenSamples& chosen) {
  std::vector<float> shares(chosen.count() * kNumPopulations);
  for (size_t p = 0; p < chosen.count(); ++p) {
    RandomStream random(HashName(samples.names[chosen.sample(p)]));
    for (size_t k = 0; k < kNumPopulations; ++k)
      shares[p * kNumPopulations + k] = 0.5f + static_cast<float>(random.Uniform());
  }
  NormalizePopulations(shares);
  return shares;
}

// Returns the prior number of alleles that each sample carries as a member of each population.
float CarriersPrior(const CarrierRows& rows, const ChosenSamples& chosen) {
  return kSharePrior * static_cast<float>(rows.samples.size()) / static_cast<float>(chosen.count() * kNumPopulations) +
         kMinProbability;
}

// Returns the expected number of rare alleles that each chosen sample carries as a member of each population [samples,
// populations], and sets the mixture of each row.
std::vector<float> EstimateCarriers(const CarrierRows& rows, float prior, std::vector<float> shares,
                                    std::vector<PopulationMixture>& mixtures) {
  std::vector<float> expected(shares.size());
  std::vector<std::vector<float>> parts(kParts);
  const bool has_coarse_rounds = rows.size() >= kCoarseStep * kMinCoarseRows;
  for (int round = 0; round < kRounds; ++round) {
    const size_t step = has_coarse_rounds && round < kCoarseRounds ? kCoarseStep : 1;
    tbb::parallel_for(size_t{0}, kParts, [&](size_t p) {
      parts[p].assign(shares.size(), 0);
      Expect(rows, p * rows.size() / kParts, (p + 1) * rows.size() / kParts, step, shares, mixtures, parts[p]);
    });
    std::fill(expected.begin(), expected.end(), prior / static_cast<float>(step));
    for (const std::vector<float>& part : parts) {
      for (size_t i = 0; i < expected.size(); ++i) expected[i] += part[i];
    }
    std::vector<float> updated = expected;
    NormalizePopulations(updated);
    for (size_t i = 0; i < shares.size(); ++i) shares[i] = Overrelaxed(shares[i], updated[i]);
  }
  return expected;
}

// Adds the alleles of the samples that were not chosen to `shares` [samples, populations]. Each allele counts as its
// mixture of populations; only alleles that the panel stores as lists of carriers are used. A range of samples is done
// at a time, whose shares fit into a processor's cache.
void AddOthers(const HaplotypePanel& panel, const std::vector<uint32_t>& sample_of, const ChosenSamples& chosen,
               const CarrierRows& rows, const std::vector<PopulationMixture>& mixtures, std::vector<float>& shares) {
  const SampleTable& samples = panel.samples();
  const size_t ranges = (samples.num_samples() + kSamplesOfRange - 1) / kSamplesOfRange;
  tbb::parallel_for(size_t{0}, ranges, [&](size_t range) {
    const size_t first = range * kSamplesOfRange;
    const size_t begin = samples.first_haplotype[first];
    const size_t end = samples.first_haplotype[std::min(first + kSamplesOfRange, samples.num_samples())];
    for (size_t r = 0; r < rows.size(); ++r) {
      if (!panel.is_rare(rows.marker[r])) continue;
      const std::span<const uint32_t> carriers = panel.carriers(rows.marker[r]);
      for (auto h = std::ranges::lower_bound(carriers, begin); h != carriers.end() && *h < end; ++h) {
        if (chosen.index_of(sample_of[*h]) != ChosenSamples::kNone) continue;
        float* to = &shares[sample_of[*h] * kNumPopulations];
        for (size_t k = 0; k < kNumPopulations; ++k) to[k] += mixtures[r][k];
      }
    }
  });
}

}  // namespace

PopulationMixture EvenMixture() {
  PopulationMixture mixture;
  mixture.fill(1.0f / kNumPopulations);
  return mixture;
}

PanelPopulations::PanelPopulations(const HaplotypePanel& panel)
    : num_samples_(panel.samples().num_samples()),
      sample_of_(panel.samples().SampleOfHaplotype()),
      shares_(num_samples_ * kNumPopulations) {
  const ChosenSamples chosen(num_samples_);
  const CarrierRows rows = RareCarriers(panel, sample_of_, chosen);
  if (rows.size() == 0 || AreInbred(rows)) {
    std::fill(shares_.begin(), shares_.end(), 1.0f / static_cast<float>(num_samples_));
    return;
  }
  std::vector<PopulationMixture> mixtures(rows.size(), EvenMixture());
  const float prior = CarriersPrior(rows, chosen);
  const std::vector<float> expected = EstimateCarriers(rows, prior, RandomShares(panel.samples(), chosen), mixtures);

  std::fill(shares_.begin(), shares_.end(), prior);
  for (size_t p = 0; p < chosen.count(); ++p) {
    std::copy_n(&expected[p * kNumPopulations], kNumPopulations, &shares_[chosen.sample(p) * kNumPopulations]);
  }
  if (chosen.count() < num_samples_) AddOthers(panel, sample_of_, chosen, rows, mixtures, shares_);
  NormalizePopulations(shares_);
}

PanelPopulations::PanelPopulations(const SampleTable& samples, std::vector<float> shares)
    : num_samples_(samples.num_samples()), sample_of_(samples.SampleOfHaplotype()), shares_(std::move(shares)) {
  HS_ASSERT(shares_.size() == num_samples_ * kNumPopulations);
  NormalizePopulations(shares_);
}

bool PanelPopulations::UsesMarker(const HaplotypePanel& panel, size_t marker) {
  const size_t n = panel.num_haplotypes(), samples = panel.samples().num_samples();
  const size_t chosen = std::min(samples, kMaxChosen);
  const size_t max_carriers = std::min(kMaxCarriers, std::max(kMinRareHaplotypes, n * chosen / samples / 20));
  const size_t carriers = std::min<size_t>(panel.alt_count(marker), n - panel.alt_count(marker));
  return carriers >= kMinCarriers && carriers * chosen <= max_carriers * samples;
}

void PanelPopulations::Update(std::span<const uint32_t> people, std::span<const float> copied, float total, int rounds,
                              PopulationMixture& mixture) const {
  const float scale = total > 0 ? std::min(population_mixture::kObservationsPerCentimorgan,
                                           population_mixture::kMaxObservations / total)
                                : 0;
  for (int round = 0; round < rounds; ++round) {
    PopulationMixture updated;
    updated.fill(population_mixture::kPrior);
    for (size_t p = 0; p < people.size(); ++p) {
      if (copied[p] <= 0) continue;
      const float* share = &shares_[people[p] * kNumPopulations];
      float joint[kNumPopulations];
      for (size_t k = 0; k < kNumPopulations; ++k) joint[k] = mixture[k] * share[k];
      const float weight = scale * copied[p] / (Sum(joint) + kMinProbability);
      for (size_t k = 0; k < kNumPopulations; ++k) updated[k] += joint[k] * weight;
    }
    mixture = updated;
    Normalize(mixture);
  }
}

void PanelPopulations::Shares(std::span<const uint32_t> people, const PopulationMixture& mixture,
                              std::vector<float>& shares) const {
  shares.resize(people.size());
  for (size_t p = 0; p < people.size(); ++p) shares[p] = Share(people[p], mixture);
}

std::vector<float> PanelPopulations::RelativeShares() const {
  std::vector<float> shares = shares_;
  for (float& share : shares) share *= static_cast<float>(num_samples_);
  return shares;
}

float PanelPopulations::Share(uint32_t person, const PopulationMixture& mixture) const {
  float sum = 0;
  for (size_t k = 0; k < kNumPopulations; ++k) sum += mixture[k] * shares_[person * kNumPopulations + k];
  return std::max(sum * static_cast<float>(num_samples_), population_mixture::kMinShare);
}

}  // namespace haplospin
