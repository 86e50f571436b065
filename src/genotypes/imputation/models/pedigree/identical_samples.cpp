#include "genotypes/imputation/models/pedigree/identical_samples.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>

namespace haplospin {
namespace {

constexpr double kMinAgreement = 0.98;  // two arrays disagree at 0.1 to 1 % of the markers
constexpr size_t kMinMarkers = 200;
constexpr double kMaxRelative = 0.05;  // of the expected number of markers that differ
constexpr size_t kWordsAtATime = 4;    // after which a pair that disagrees far more often is left

// Returns the agreement of two samples, or nothing if it is too small.
std::optional<double> Agreement(const SpacedGenotypes& genotypes, size_t a, size_t b) {
  size_t both = 0, same = 0;
  for (size_t w = 0; w < genotypes.num_words(); ++w) {
    const auto markers = genotypes.Compare(a, b, w);
    both += static_cast<size_t>(std::popcount(markers.both));
    same += static_cast<size_t>(std::popcount(markers.same));
    if ((w + 1) % kWordsAtATime == 0 && both >= kMinMarkers && 2 * (both - same) > both / 2) return std::nullopt;
  }
  const double agreement = both == 0 ? 0 : static_cast<double>(same) / static_cast<double>(both);
  return both >= kMinMarkers && agreement >= kMinAgreement ? std::optional(agreement) : std::nullopt;
}

// The probability of two people to have different genotypes in Hardy-Weinberg equilibrium, [markers].
std::vector<double> DifferentShares(const SpacedGenotypes& genotypes) {
  std::vector<double> shares;
  for (const SpacedMarker& marker : genotypes.markers()) {
    const double p = marker.frequency, q = 1 - p, het = 2 * p * q;
    shares.push_back(1 - q * q * q * q - het * het - p * p * p * p);
  }
  return shares;
}

// The mean of `different` [markers] where both samples have a genotype.
double ExpectedShare(const SpacedGenotypes& genotypes, const std::vector<double>& different, size_t a, size_t b) {
  double sum = 0, both = 0;
  for (size_t m = 0; m < different.size(); ++m) {
    if (genotypes.Genotype(a, m) > 2 || genotypes.Genotype(b, m) > 2) continue;
    sum += different[m];
    ++both;
  }
  return sum / both;
}

}  // namespace

bool AreTooShortForIdentical(const SpacedGenotypes& genotypes) {
  constexpr double kMinSpan = 400, kMinSpanOfSeveral = 100;  // cM
  constexpr size_t kSeveral = 5;
  const double span = genotypes.Span();
  return span < kMinSpan && (span < kMinSpanOfSeveral || genotypes.NumContigs() < kSeveral);
}

std::vector<IdenticalPair> FindIdenticalSamples(const SpacedGenotypes& genotypes) {
  if (AreTooShortForIdentical(genotypes)) return {};
  const std::vector<double> different = DifferentShares(genotypes);
  std::vector<std::vector<IdenticalPair>> pairs(genotypes.num_samples());
  tbb::parallel_for(size_t{0}, genotypes.num_samples(), [&](size_t a) {
    for (size_t b = a + 1; b < genotypes.num_samples(); ++b) {
      const auto agreement = Agreement(genotypes, a, b);
      if (agreement && 1 - *agreement <= kMaxRelative * ExpectedShare(genotypes, different, a, b)) {
        pairs[a].push_back({a, b, *agreement});
      }
    }
  });
  std::vector<IdenticalPair> all;
  for (const std::vector<IdenticalPair>& found : pairs) std::ranges::copy(found, std::back_inserter(all));
  return all;
}

}  // namespace haplospin
