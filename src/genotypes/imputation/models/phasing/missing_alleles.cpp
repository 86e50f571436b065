#include "genotypes/imputation/models/phasing/missing_alleles.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Calls visit(k, exchanged) for each missing genotype, where `exchanged` tells that the second haplotype of the sample
// is the first one of the sums.
template <typename Visit>
void ForEachMissing(const SampleGenotypes& sample, const Visit& visit) {
  size_t next = 0;  // first heterozygote after the marker
  for (size_t k = 0; k < sample.missing.size(); ++k) {
    while (next < sample.hets.size() && sample.hets[next] < sample.missing[k]) ++next;
    visit(k, !sample.hets.empty() && sample.alleles[0][sample.hets[next > 0 ? next - 1 : 0]] == 0);
  }
}

// Returns whether both alleles are missing at a marker of a diploid sample. Otherwise only one of them is to be found.
bool IsWholeGenotype(const SampleGenotypes& sample, size_t j) {
  return sample.ploidy == 2 && sample.alleles[0][j] == kMissingAllele && sample.alleles[1][j] == kMissingAllele;
}

}  // namespace

void MissingAlleles::Add(const SampleGenotypes& drawn, std::span<const float> first, std::span<const float> second,
                         std::span<const float> both, float weight) {
  sums_.resize(drawn.missing.size());
  ForEachMissing(drawn, [&](size_t k, bool exchanged) {
    sums_[k].first += weight * (exchanged ? second[k] : first[k]);
    sums_[k].second += weight * (exchanged ? first[k] : second[k]);
    sums_[k].both += weight * both[k];
  });
  draws_ += weight;
}

std::array<std::vector<float>, 2> MissingAlleles::Probabilities(const SampleGenotypes& phased) const {
  std::array<std::vector<float>, 2> probability;
  for (std::vector<float>& row : probability) row.resize(sums_.size());
  const float draws = draws_ > 0 ? draws_ : 1;
  ForEachMissing(phased, [&](size_t k, bool exchanged) {
    const Sum& sum = sums_[k];
    if (!IsWholeGenotype(phased, phased.missing[k])) {
      probability[exchanged ? 1 : 0][k] = sum.first / draws;
      probability[exchanged ? 0 : 1][k] = sum.second / draws;
      return;
    }
    const float mean = 0.5f * (sum.first + sum.second) / draws;
    const float difference = std::sqrt(std::max(mean * mean - sum.both / draws, 0.0f));
    const bool first_is_larger = (sum.first >= sum.second) != exchanged;
    probability[first_is_larger ? 0 : 1][k] = std::min(mean + difference, 1.0f);
    probability[first_is_larger ? 1 : 0][k] = std::max(mean - difference, 0.0f);
  });
  return probability;
}

}  // namespace haplospin
