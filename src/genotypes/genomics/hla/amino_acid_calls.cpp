#include "genotypes/genomics/hla/amino_acid_calls.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

// [letters]
using Probabilities = std::vector<double>;

Probabilities SumOverAlleles(std::string_view letters, std::string_view amino_acids, std::span<const float> alleles) {
  const double sum = std::accumulate(alleles.begin(), alleles.end(), 0.0);
  HS_ASSERT(sum > 0 && alleles.size() == amino_acids.size());
  Probabilities p(letters.size());
  for (size_t a = 0; a < alleles.size(); ++a) p[letters.find(amino_acids[a])] += alleles[a] / sum;
  return p;
}

}  // namespace

AminoAcidCall CallAminoAcids(std::string_view amino_acids, std::span<const std::span<const float>> probabilities) {
  std::string letters(amino_acids);
  std::ranges::sort(letters);
  const auto repeated = std::ranges::unique(letters);
  letters.erase(repeated.begin(), repeated.end());

  std::vector<Probabilities> p;
  for (const std::span<const float> haplotype : probabilities) {
    p.push_back(SumOverAlleles(letters, amino_acids, haplotype));
  }
  AminoAcidCall call;
  for (size_t x = 0; x < letters.size(); ++x) {
    double dosage = 0;
    for (const Probabilities& haplotype : p) dosage += haplotype[x];
    call.dosages.emplace_back(letters[x], dosage);
    for (size_t y = x; y < letters.size(); ++y) {
      if (p.size() == 1 && y > x) continue;
      const double exchanged = x == y ? 0 : p.front()[y] * p.back()[x];
      const double pair = p.size() == 1 ? p[0][x] : p.front()[x] * p.back()[y] + exchanged;
      if (pair <= call.probability) continue;
      call.best = {letters[x], letters[y]};
      call.probability = pair;
    }
  }
  return call;
}

}  // namespace haplospin
