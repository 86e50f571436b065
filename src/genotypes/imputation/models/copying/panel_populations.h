// Populations of panel samples, found from shared rare alleles: which panel samples are related to a study sample in
// general, even where it has not copied from them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/copying_constants.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// A person's share of each population; sums to 1.
using PopulationMixture = std::array<float, kNumPopulations>;

PopulationMixture EvenMixture();

// A mixture of multinomials: a carrier of an allele that belongs to population k is panel sample s with probability
// share(k, s); an allele is a mixture of populations, and so is what a study person copies. Estimated by
// expectation-maximization (probabilistic latent semantic analysis, Hofmann 1999) to the carriers of the panel's rare
// alleles, which tell who is related to whom far better than the typed markers can.
class PanelPopulations {
 public:
  // Runs on all threads; the result does not depend on their number.
  explicit PanelPopulations(const HaplotypePanel& panel);

  // Populations that were found before: `shares` as shares() or RelativeShares() returned them.
  PanelPopulations(const SampleTable& samples, std::vector<float> shares);

  // Returns whether the populations are estimated from the carriers of a marker: its minor allele is rare, but not
  // unique. If there are more than kMaxMarkers such markers, evenly spaced ones are taken.
  static bool UsesMarker(const HaplotypePanel& panel, size_t marker);
  static constexpr size_t kMaxMarkers = 20000;

  size_t num_samples() const { return num_samples_; }

  // [haplotypes] the panel sample of each haplotype.
  const std::vector<uint32_t>& sample_of() const { return sample_of_; }

  // Runs rounds of expectation-maximization for the mixture of a study sample that copies copied[p] cM from panel
  // sample people[p], and `total` cM in all.
  void Update(std::span<const uint32_t> people, std::span<const float> copied, float total, int rounds,
              PopulationMixture& mixture) const;

  // Returns the mixture's share of a panel sample, or sets those of several, relative to equal shares of all samples.
  float Share(uint32_t person, const PopulationMixture& mixture) const;
  void Shares(std::span<const uint32_t> people, const PopulationMixture& mixture, std::vector<float>& shares) const;

  // [samples, populations] the probability that a carrier of an allele of a population is this sample.
  std::span<const float> shares() const { return shares_; }

  // The same relative to equal shares of all samples.
  std::vector<float> RelativeShares() const;

 private:
  size_t num_samples_;
  std::vector<uint32_t> sample_of_;
  std::vector<float> shares_;  // [samples, populations], so that a sample's populations lie together
};

}  // namespace haplospin
