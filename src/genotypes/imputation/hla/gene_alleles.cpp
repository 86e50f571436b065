#include "genotypes/imputation/hla/gene_alleles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int kMaxRounds = 50;
constexpr float kStable = 1e-3f;  // largest change of a probability after which no more rounds follow

// The probability at the start that the first haplotype of a person has the first allele.
constexpr float kFirstShare = 0.51f;

// The probability that a haplotype has an allele by its frequency, whatever the haplotypes that it copies have.
constexpr float kAnyAllele = 1e-3f;

constexpr float kMinCopies = 1e-3f;  // of an allele, so that none that a person may have becomes impossible

// [alleles]
using Probabilities = std::vector<float>;

class GeneAlleles {
 public:
  GeneAlleles(const HlaGeneTypes& types, const SampleTable& samples, const CopiedAtGene& copied);

  std::vector<uint32_t> Place();

 private:
  bool Update();  // returns whether a probability has changed by more than kStable
  void UpdateFrequencies();
  std::array<Probabilities, 2> ExpectedOf(uint32_t sample) const;
  Probabilities Expected(uint32_t haplotype) const;
  std::span<const uint32_t> Candidates(uint32_t sample, size_t c) const;
  Probabilities Share(uint32_t sample, size_t haplotype, const std::array<Probabilities, 2>& expected) const;
  std::array<uint32_t, 2> BestPair(uint32_t sample, const std::array<Probabilities, 2>& expected) const;

  const HlaGeneTypes& types_;
  const SampleTable& samples_;
  const CopiedAtGene& copied_;
  std::vector<uint32_t> all_;  // all alleles
  Probabilities frequency_;
  std::vector<Probabilities> probabilities_;  // [haplotypes]
};

float Sum(const Probabilities& p, std::span<const uint32_t> alleles) {
  return std::accumulate(alleles.begin(), alleles.end(), 0.0f, [&](float sum, uint32_t a) { return sum + p[a]; });
}

void Normalize(Probabilities& p) {
  const float sum = std::accumulate(p.begin(), p.end(), 0.0f);
  for (float& value : p) value /= sum;
}

// The first haplotype begins with a little more of the first allele: if both were equal, nothing might tell the orders
// of several people apart that only support each other.
GeneAlleles::GeneAlleles(const HlaGeneTypes& types, const SampleTable& samples, const CopiedAtGene& copied)
    : types_(types), samples_(samples), copied_(copied), all_(types.alleles.size()), frequency_(types.alleles.size()) {
  std::iota(all_.begin(), all_.end(), 0);
  for (uint32_t s = 0; s < samples.num_samples(); ++s) {
    for (size_t h = 0; h < static_cast<size_t>(samples.ploidy(s)); ++h) {
      Probabilities& p = probabilities_.emplace_back(all_.size());
      for (size_t c = 0; c < 2; ++c) {
        const std::span<const uint32_t> candidates = Candidates(s, c);
        const float share = c == h ? kFirstShare : 1 - kFirstShare;
        for (const uint32_t a : candidates) p[a] += share / static_cast<float>(candidates.size());
      }
    }
  }
}

std::span<const uint32_t> GeneAlleles::Candidates(uint32_t sample, size_t c) const {
  const HlaCandidates& candidates = types_.people[sample][c];
  return candidates.empty() ? all_ : candidates;
}

std::vector<uint32_t> GeneAlleles::Place() {
  for (int round = 0; round < kMaxRounds && Update(); ++round) {
  }
  std::vector<uint32_t> alleles;
  for (uint32_t s = 0; s < samples_.num_samples(); ++s) {
    const std::array<uint32_t, 2> pair = BestPair(s, ExpectedOf(s));
    for (uint32_t h = samples_.first_haplotype[s]; h < samples_.first_haplotype[s + 1]; ++h) {
      alleles.push_back(pair[h - samples_.first_haplotype[s]]);
      std::ranges::fill(probabilities_[h], 0.0f);
      probabilities_[h][alleles.back()] = 1;
    }
  }
  return alleles;
}

// People are updated one after the other, each by what is known of those before.
bool GeneAlleles::Update() {
  UpdateFrequencies();
  float change = 0;
  for (uint32_t s = 0; s < samples_.num_samples(); ++s) {
    const std::array<Probabilities, 2> expected = ExpectedOf(s);
    for (uint32_t h = samples_.first_haplotype[s]; h < samples_.first_haplotype[s + 1]; ++h) {
      Probabilities updated = Share(s, h - samples_.first_haplotype[s], expected);
      for (const uint32_t a : all_) change = std::max(change, std::abs(updated[a] - probabilities_[h][a]));
      probabilities_[h] = std::move(updated);
    }
  }
  return change > kStable;
}

void GeneAlleles::UpdateFrequencies() {
  std::ranges::fill(frequency_, kMinCopies);
  for (const Probabilities& p : probabilities_) {
    for (const uint32_t a : all_) frequency_[a] += p[a];
  }
  Normalize(frequency_);
}

// Returns what is expected of both haplotypes of a person, which are the same one if the person is haploid.
std::array<Probabilities, 2> GeneAlleles::ExpectedOf(uint32_t sample) const {
  return {Expected(samples_.first_haplotype[sample]), Expected(samples_.first_haplotype[sample + 1] - 1)};
}

// Returns the probabilities of a haplotype's alleles by those that it copies.
Probabilities GeneAlleles::Expected(uint32_t haplotype) const {
  Probabilities expected(all_.size());
  for (const uint32_t a : all_) expected[a] = kAnyAllele * frequency_[a];
  for (const CopiedHaplotype& copied : copied_[haplotype]) {
    const Probabilities& other = probabilities_[copied.haplotype];
    for (const uint32_t a : all_) expected[a] += copied.probability * other[a];
  }
  return expected;
}

// Returns the probabilities of one haplotype's alleles, given the person's two types: one allele is among the first
// candidates and the other, of the other haplotype, among the second, or the other way round. A pair for which both is
// true counts once.
Probabilities GeneAlleles::Share(uint32_t sample, size_t haplotype,
                                 const std::array<Probabilities, 2>& expected) const {
  const std::span<const uint32_t> first = Candidates(sample, 0), second = Candidates(sample, 1);
  const Probabilities &own = expected[haplotype], &other = expected[1 - haplotype];
  std::vector<uint32_t> both;
  std::ranges::set_intersection(first, second, std::back_inserter(both));
  const float sum_first = Sum(other, first), sum_second = Sum(other, second), sum_both = Sum(other, both);
  Probabilities share(all_.size());
  for (const uint32_t a : first) share[a] += own[a] * sum_second;
  for (const uint32_t a : second) share[a] += own[a] * sum_first;
  for (const uint32_t a : both) share[a] -= own[a] * sum_both;
  for (float& p : share) p = std::max(p, 0.0f);
  Normalize(share);
  return share;
}

std::array<uint32_t, 2> GeneAlleles::BestPair(uint32_t sample, const std::array<Probabilities, 2>& expected) const {
  const auto best = [&](size_t haplotype, size_t candidates) {
    return *std::ranges::max_element(Candidates(sample, candidates), {},
                                     [&](uint32_t a) { return expected[haplotype][a]; });
  };
  const std::array<uint32_t, 2> given{best(0, 0), best(1, 1)}, exchanged{best(0, 1), best(1, 0)};
  const auto probability = [&](const std::array<uint32_t, 2>& pair) {
    return expected[0][pair[0]] * expected[1][pair[1]];
  };
  return probability(exchanged) > probability(given) ? exchanged : given;
}

}  // namespace

std::vector<uint32_t> PlaceAlleles(const HlaGeneTypes& types, const SampleTable& samples, const CopiedAtGene& copied) {
  HS_ASSERT(types.people.size() == samples.num_samples() && copied.size() == samples.num_haplotypes());
  HS_ASSERT(!types.alleles.empty());
  return GeneAlleles(types, samples, copied).Place();
}

}  // namespace haplospin
