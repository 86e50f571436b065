#include "genotypes/imputation/models/phasing/het_matches.h"

#include <algorithm>

namespace haplospin {
namespace {

// Returns the cM from each marker to the beginning of the longest match that includes the marker before it; 0 where
// there is none: [typed].
std::vector<float> ReachBefore(std::span<const HaplotypeMatch> matches, std::span<const float> centimorgans) {
  std::vector<float> reach(centimorgans.size());
  size_t known = 0;  // the last marker whose match is known: the first matches begin furthest away
  for (const HaplotypeMatch& match : matches) {
    for (size_t j = std::max<size_t>(known, match.begin) + 1; j <= match.end && j < reach.size(); ++j) {
      reach[j] = centimorgans[j] - centimorgans[match.begin];
      known = j;
    }
  }
  return reach;
}

// Returns the cM from each marker to the end of the longest match that includes the marker after it; 0 where there is
// none: [typed].
std::vector<float> ReachAfter(std::span<const HaplotypeMatch> matches, std::span<const float> centimorgans) {
  std::vector<float> reach(centimorgans.size());
  size_t next = 0, end = 0;  // of the matches that begin at or before the marker
  for (size_t j = 0; j + 1 < reach.size(); ++j) {
    for (; next < matches.size() && matches[next].begin <= j + 1; ++next) {
      end = std::max<size_t>(end, matches[next].end);
    }
    if (end > j + 1) reach[j] = centimorgans[end - 1] - centimorgans[j];
  }
  return reach;
}

}  // namespace

HetMatches MatchesAtHets(const SampleGenotypes& sample, const std::array<std::span<const HaplotypeMatch>, 2>& matches,
                         std::span<const float> centimorgans, std::span<const float> alt_frequency) {
  HetMatches result;
  for (size_t c = 0; c < 2; ++c) {
    const std::vector<float> before = ReachBefore(matches[c], centimorgans);
    const std::vector<float> after = ReachAfter(matches[c], centimorgans);
    for (const uint32_t j : sample.hets) {
      result.before[c].push_back(before[j]);
      result.after[c].push_back(after[j]);
    }
  }
  for (const uint32_t j : sample.hets) {
    result.alt_frequency.push_back(alt_frequency[j]);
    result.first_allele.push_back(sample.alleles[0][j]);
  }
  return result;
}

}  // namespace haplospin
