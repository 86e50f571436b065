#include "genotypes/variant_io/joining/panel_weights.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace haplospin {
namespace {

constexpr double kSwitchesPerBp = 2e-5;
constexpr float kError = 0.02F;  // the probability that an allele says nothing about the panels
constexpr int kIterations = 4;   // of expectation maximization, for the panels' shares

// Divides the values by their sum.
void Normalize(std::span<float> values) {
  float sum = 0;
  for (const float value : values) sum += value;
  for (float& value : values) value /= sum;
}

// The values of a site, one for each panel.
template <typename Values>
auto SiteValues(Values& values, size_t i, size_t num_panels) {
  return std::span(values).subspan(i * num_panels, num_panels);
}

// The model of one haplotype.
class PanelChain {
 public:
  PanelChain(std::span<const int64_t> positions, size_t num_panels, std::span<const float> observed)
      : num_sites_(positions.size()), num_panels_(num_panels), switches_(num_sites_), evidence_(observed.size()) {
    for (size_t i = 1; i < num_sites_; ++i) {
      const auto distance = static_cast<double>(positions[i] - positions[i - 1]);
      switches_[i] = static_cast<float>(-std::expm1(-kSwitchesPerBp * distance));
    }
    std::ranges::transform(observed, evidence_.begin(), [](float p) { return kError + (1 - 2 * kError) * p; });
  }

  // The weights, given the share of the haplotype that each panel has.
  PanelWeights Weights(std::span<const float> shares) const {
    PanelWeights weights{Forward(shares), {}};
    weights.left_out.resize(weights.posterior.size());
    std::vector<float> later(num_panels_, 1.0F);  // the likelihood of the alleles after the site
    for (size_t i = num_sites_; i-- > 0;) {
      const auto posterior = SiteValues(weights.posterior, i, num_panels_),
                 left_out = SiteValues(weights.left_out, i, num_panels_);
      const auto evidence = SiteValues(evidence_, i, num_panels_);
      float switched = 0;
      for (size_t k = 0; k < num_panels_; ++k) {
        posterior[k] *= later[k];
        left_out[k] = posterior[k] / evidence[k];
        later[k] *= evidence[k];
        switched += shares[k] * later[k];
      }
      Normalize(posterior);
      Normalize(left_out);
      for (float& value : later) value = (1 - switches_[i]) * value + switches_[i] * switched;
      Normalize(later);
    }
    return weights;
  }

 private:
  // [sites * panels] the probabilities given the alleles up to each site.
  std::vector<float> Forward(std::span<const float> shares) const {
    std::vector<float> probabilities(evidence_.size());
    std::vector<float> state(shares.begin(), shares.end());
    for (size_t i = 0; i < num_sites_; ++i) {
      const auto row = SiteValues(probabilities, i, num_panels_);
      const auto evidence = SiteValues(evidence_, i, num_panels_);
      for (size_t k = 0; k < num_panels_; ++k) {
        state[k] = ((1 - switches_[i]) * state[k] + switches_[i] * shares[k]) * evidence[k];
      }
      Normalize(state);
      std::ranges::copy(state, row.begin());
    }
    return probabilities;
  }

  const size_t num_sites_, num_panels_;
  std::vector<float> switches_;  // [sites] the probability of a switch before the site
  std::vector<float> evidence_;  // [sites * panels]
};

}  // namespace

PanelWeights FindPanelWeights(std::span<const int64_t> positions, size_t num_panels, std::span<const float> observed) {
  const PanelChain chain(positions, num_panels, observed);
  std::vector<float> shares(num_panels, 1.0F / static_cast<float>(num_panels));
  for (int i = 0; i < kIterations; ++i) {
    const PanelWeights weights = chain.Weights(shares);
    std::ranges::fill(shares, 1.0F);
    for (size_t w = 0; w < weights.posterior.size(); ++w) shares[w % num_panels] += weights.posterior[w];
    Normalize(shares);
  }
  return chain.Weights(shares);
}

}  // namespace haplospin
