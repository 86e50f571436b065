#include "genotypes/imputation/stages/phasing/identical_stretches.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// A stretch has genotypes that two random samples share with a probability of exp(-kMinInformation). In people, blocks
// of linked markers are shared by many, and are short.
constexpr double kMinInformation = 15;
constexpr double kMinCentimorgans = 1;
constexpr size_t kMinHets = 2;  // a single one has no phase

constexpr size_t kWord = 64;

// The genotypes of a sample, a bit per typed marker.
struct GenotypeBits {
  std::vector<uint64_t> observed, is_het, has_two;  // has_two: of the ALT allele
};

GenotypeBits MakeBits(const SampleGenotypes& sample) {
  const size_t words = (sample.alleles[0].size() + kWord - 1) / kWord;
  GenotypeBits bits{std::vector<uint64_t>(words), std::vector<uint64_t>(words), std::vector<uint64_t>(words)};
  if (sample.ploidy != 2) return bits;
  for (size_t j = 0; j < sample.alleles[0].size(); ++j) {
    const uint8_t first = sample.alleles[0][j], second = sample.alleles[1][j];
    if (first == kMissingAllele || second == kMissingAllele) continue;
    const uint64_t bit = uint64_t{1} << (j % kWord);
    bits.observed[j / kWord] |= bit;
    if (first != second) bits.is_het[j / kWord] |= bit;
    if (first + second == 2) bits.has_two[j / kWord] |= bit;
  }
  return bits;
}

// Returns the sums of -log P over the markers before each: [typed + 1]. P is the probability that two random samples
// have the same genotype.
std::vector<double> SumInformation(std::span<const GenotypeBits> samples, size_t markers) {
  std::vector<double> sums(markers + 1);
  for (size_t j = 0; j < markers; ++j) {
    std::array<double, 3> count{};
    for (const GenotypeBits& bits : samples) {
      const auto has = [&](const std::vector<uint64_t>& row) { return (row[j / kWord] >> (j % kWord) & 1) != 0; };
      if (has(bits.observed)) ++count[has(bits.is_het) ? 1 : has(bits.has_two) ? 2 : 0];
    }
    const double total = count[0] + count[1] + count[2];
    double same = total == 0 ? 1 : 0;
    for (const double c : count) same += total == 0 ? 0 : c * c / (total * total);
    sums[j + 1] = sums[j] - std::log(same);
  }
  return sums;
}

class StretchSearch {
 public:
  StretchSearch(std::span<const SampleGenotypes> samples, std::span<const double> centimorgans)
      : centimorgans_(centimorgans) {
    for (const SampleGenotypes& sample : samples) bits_.push_back(MakeBits(sample));
    information_ = SumInformation(bits_, centimorgans.size());
  }

  // Adds the stretches that samples a and b share to those of a.
  void Compare(size_t a, size_t b, std::vector<IdenticalStretch>& stretches) const {
    const auto markers = static_cast<uint32_t>(centimorgans_.size());
    uint32_t begin = 0;
    for (size_t word = 0; word < bits_[a].observed.size(); ++word) {
      for (uint64_t differing = Differences(a, b, word); differing != 0; differing &= differing - 1) {
        const auto end = static_cast<uint32_t>(word * kWord) + static_cast<uint32_t>(std::countr_zero(differing));
        AddIfLong(a, b, begin, end, stretches);
        begin = end + 1;
      }
    }
    AddIfLong(a, b, begin, markers, stretches);
  }

 private:
  uint64_t Observed(size_t a, size_t b, size_t word) const { return bits_[a].observed[word] & bits_[b].observed[word]; }

  uint64_t Differences(size_t a, size_t b, size_t word) const {
    const uint64_t differing =
        (bits_[a].is_het[word] ^ bits_[b].is_het[word]) | (bits_[a].has_two[word] ^ bits_[b].has_two[word]);
    return differing & Observed(a, b, word);
  }

  void AddIfLong(size_t a, size_t b, uint32_t begin, uint32_t end, std::vector<IdenticalStretch>& stretches) const {
    if (begin >= end || information_[end] - information_[begin] < kMinInformation ||
        centimorgans_[end - 1] - centimorgans_[begin] < kMinCentimorgans) {
      return;
    }
    double information = 0;
    size_t hets = 0;
    for (uint32_t j = begin; j < end; ++j) {
      if ((Observed(a, b, j / kWord) >> (j % kWord) & 1) == 0) continue;
      information += information_[j + 1] - information_[j];
      hets += bits_[a].is_het[j / kWord] >> (j % kWord) & 1;
    }
    if (information >= kMinInformation && hets >= kMinHets) stretches.push_back({b, begin, end});
  }

  const std::span<const double> centimorgans_;
  std::vector<GenotypeBits> bits_;   // [samples]
  std::vector<double> information_;  // [typed + 1]
};

}  // namespace

std::vector<std::vector<IdenticalStretch>> FindIdenticalStretches(std::span<const SampleGenotypes> samples,
                                                                  std::span<const double> centimorgans,
                                                                  const std::vector<bool>& is_left_out) {
  const StretchSearch search(samples, centimorgans);
  std::vector<std::vector<IdenticalStretch>> stretches(samples.size());
  tbb::parallel_for(size_t{0}, samples.size(), [&](size_t a) {
    for (size_t b = 0; b < samples.size(); ++b) {
      const bool is_other = a != b && (is_left_out.empty() || !is_left_out[b]);
      if (is_other) search.Compare(a, b, stretches[a]);
    }
  });
  return stretches;
}

}  // namespace haplospin
