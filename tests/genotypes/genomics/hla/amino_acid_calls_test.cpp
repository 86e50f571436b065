#include "genotypes/genomics/hla/amino_acid_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/random.h"

namespace haplospin {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pair;

AminoAcidCall Call(const std::string& amino_acids, const std::vector<std::vector<float>>& probabilities) {
  const std::vector<std::span<const float>> spans(probabilities.begin(), probabilities.end());
  return CallAminoAcids(amino_acids, spans);
}

TEST(AminoAcidCalls, SumOverAlleles) {
  // No allele is certain, but all probable ones of the second haplotype have the same amino acid.
  const AminoAcidCall call = Call("YFF.", {{0.9f, 0, 0, 0.1f}, {0, 0.5f, 0.5f, 0}});
  EXPECT_THAT(call.best, ElementsAre('F', 'Y'));
  EXPECT_THAT(call.probability, DoubleNear(0.9, 1e-6));
  EXPECT_THAT(call.dosages, ElementsAre(Pair('.', DoubleNear(0.1, 1e-6)), Pair('F', DoubleNear(1, 1e-6)),
                                        Pair('Y', DoubleNear(0.9, 1e-6))));
}

// Against the sum over all ordered pairs of alleles.
TEST(AminoAcidCalls, AreThoseOfAllPairsOfAlleles) {
  const std::string amino_acids = "YF*SYF.S";
  RandomStream random(1);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::vector<float>> p(2, std::vector<float>(amino_acids.size()));
    for (auto& row : p) {
      float sum = 0;
      for (float& value : row) sum += value = static_cast<float>(std::pow(random.Uniform(), 4));
      for (float& value : row) value /= sum;
    }
    std::map<std::string, double> pairs;
    std::map<char, double> dosages;
    for (size_t a = 0; a < amino_acids.size(); ++a) {
      dosages[amino_acids[a]] += p[0][a] + p[1][a];
      for (size_t b = 0; b < amino_acids.size(); ++b) {
        std::string pair{amino_acids[a], amino_acids[b]};
        std::ranges::sort(pair);
        pairs[pair] += p[0][a] * p[1][b];
      }
    }
    // They need not sum to 1.
    for (float& value : p[0]) value *= 0.5f;
    const AminoAcidCall call = Call(amino_acids, p);
    const auto best = std::ranges::max_element(pairs, {}, [](const auto& pair) { return pair.second; });
    ASSERT_NEAR(call.probability, best->second, 1e-6);
    ASSERT_NEAR(pairs.at({call.best[0], call.best[1]}), best->second, 1e-6);
    ASSERT_EQ(call.dosages.size(), dosages.size());
    for (const auto& [amino_acid, dosage] : call.dosages) ASSERT_NEAR(dosage, dosages.at(amino_acid), 1e-6);
  }
}

TEST(AminoAcidCalls, OfOneHaplotype) {
  const AminoAcidCall call = Call("YF", {{0.2f, 0.8f}});
  EXPECT_THAT(call.best, ElementsAre('F', 'F'));
  EXPECT_THAT(call.probability, DoubleNear(0.8, 1e-6));
  EXPECT_THAT(call.dosages, ElementsAre(Pair('F', DoubleNear(0.8, 1e-6)), Pair('Y', DoubleNear(0.2, 1e-6))));
}

}  // namespace
}  // namespace haplospin
