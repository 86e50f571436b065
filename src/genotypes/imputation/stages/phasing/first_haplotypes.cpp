#include "genotypes/imputation/stages/phasing/first_haplotypes.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr int kSweeps = 4;
constexpr size_t kVotes = 8;      // neighbors that vote, on either side
constexpr size_t kFarthest = 64;  // places from which a neighbor votes: more take too long where few have a vote

// The positional Burrows-Wheeler order of haplotypes. Entry i of the order matches the entry before it from marker
// begin(i) of the sweep on.
class PrefixOrder {
 public:
  explicit PrefixOrder(size_t haplotypes) : order_(haplotypes), begin_(haplotypes), place_(haplotypes) {
    std::iota(order_.begin(), order_.end(), 0);
    std::iota(place_.begin(), place_.end(), 0);
  }

  size_t size() const { return order_.size(); }
  uint32_t haplotype(size_t i) const { return order_[i]; }
  uint32_t begin(size_t i) const { return begin_[i]; }
  uint32_t place(size_t haplotype) const { return place_[haplotype]; }

  // Sorts by the alleles of the k-th marker of the sweep (Durbin 2014, algorithm 2).
  void Sort(const std::vector<uint8_t>& alleles, uint32_t k) {
    uint32_t begins[2] = {k + 1, k + 1};
    for (size_t i = 0; i < order_.size(); ++i) {
      const uint8_t allele = alleles[order_[i]];
      HS_ASSERT(allele <= 1);
      for (uint32_t& begin : begins) begin = std::max(begin, begin_[i]);
      next_[allele].push_back({order_[i], begins[allele]});
      begins[allele] = 0;
    }
    size_t i = 0;
    for (auto& entries : next_) {
      for (const auto& [haplotype, begin] : entries) {
        order_[i] = haplotype;
        begin_[i] = begin;
        place_[haplotype] = static_cast<uint32_t>(i++);
      }
      entries.clear();
    }
  }

 private:
  std::vector<uint32_t> order_, begin_, place_;
  std::vector<std::pair<uint32_t, uint32_t>> next_[2];
};

// A heterozygote whose phase, or a genotype whose missing alleles are to be found.
struct OpenGenotype {
  uint32_t first;  // first haplotype of the sample
  bool is_missing[2] = {false, false};

  bool is_het() const { return !is_missing[0] && !is_missing[1]; }
};

// A pass over the markers that finds all open genotypes.
class Sweep {
 public:
  Sweep(std::span<const double> centimorgans, const std::vector<std::vector<OpenGenotype>>& open, bool is_forward,
        bool is_first, std::vector<std::vector<uint8_t>>& alleles)
      : centimorgans_(centimorgans),
        open_(open),
        is_forward_(is_forward),
        is_first_(is_first),
        alleles_(alleles),
        order_(alleles.front().size()) {}

  void Run() {
    for (uint32_t k = 0; k < alleles_.size(); ++k) {
      const size_t j = MarkerIndex(k);
      SetVotes(j);
      tbb::parallel_for(size_t{0}, open_[j].size(), [&](size_t g) { Find(open_[j][g], k, alleles_[j]); });
      order_.Sort(alleles_[j], k);
    }
  }

 private:
  size_t MarkerIndex(uint32_t k) const { return is_forward_ ? k : alleles_.size() - 1 - k; }

  // Guesses of missing alleles do not vote, nor do heterozygotes whose phase is still random.
  void SetVotes(size_t j) {
    votes_ = alleles_[j];
    for (const OpenGenotype& genotype : open_[j]) {
      for (uint32_t c = 0; c < 2; ++c) {
        if (genotype.is_missing[c] || (genotype.is_het() && is_first_)) votes_[genotype.first + c] = kMissingAllele;
      }
    }
    major_ = std::ranges::count(votes_, uint8_t{1}) > std::ranges::count(votes_, uint8_t{0}) ? 1 : 0;
  }

  void Find(const OpenGenotype& genotype, uint32_t k, std::vector<uint8_t>& alleles) const {
    if (genotype.is_het()) {
      const bool alt_is_first = Score(genotype.first, genotype.first, k) > Score(genotype.first + 1, genotype.first, k);
      alleles[genotype.first] = alt_is_first;
      alleles[genotype.first + 1] = !alt_is_first;
    }
    for (uint32_t c = 0; c < 2; ++c) {
      if (!genotype.is_missing[c]) continue;
      const float score = Score(genotype.first + c, genotype.first, k);
      alleles[genotype.first + c] = score == 0 ? major_ : score > 0;
    }
  }

  // Returns the mean vote of the neighbors of a haplotype, 1 for ALT and -1 for REF, weighted by the lengths of their
  // matches; 0 where none of them votes. The haplotypes `own` and the next do not vote.
  float Score(uint32_t haplotype, uint32_t own, uint32_t k) const {
    float sum = 0, total = 0;
    size_t votes = 0;
    const auto vote = [&](uint32_t other, uint32_t begin) {
      if (other == own || other == own + 1 || votes_[other] == kMissingAllele) return;
      const float weight = Weight(begin, k);
      sum += votes_[other] == 1 ? weight : -weight;
      total += weight;
      ++votes;
    };
    const size_t place = order_.place(haplotype);
    const size_t first = place - std::min(place, kFarthest), last = std::min(place + kFarthest, order_.size() - 1);
    uint32_t begin = 0;
    for (size_t i = place; i > first && votes < kVotes; --i) {
      begin = std::max(begin, order_.begin(i));
      vote(order_.haplotype(i - 1), begin);
    }
    begin = 0;
    votes = 0;
    for (size_t i = place + 1; i <= last && votes < kVotes; ++i) {
      begin = std::max(begin, order_.begin(i));
      vote(order_.haplotype(i), begin);
    }
    return total > 0 ? sum / total : 0;
  }

  // Returns the weight of a match from marker `begin` of the sweep up to marker k.
  float Weight(uint32_t begin, uint32_t k) const {
    constexpr double kMin = 1e-4;  // cM
    if (begin >= k) return kMin;
    return static_cast<float>(kMin + std::abs(centimorgans_[MarkerIndex(k)] - centimorgans_[MarkerIndex(begin)]));
  }

  const std::span<const double> centimorgans_;
  const std::vector<std::vector<OpenGenotype>>& open_;
  const bool is_forward_, is_first_;
  std::vector<std::vector<uint8_t>>& alleles_;
  PrefixOrder order_;
  std::vector<uint8_t> votes_;  // [haplotypes] alleles at the present marker, kMissingAllele for no vote
  uint8_t major_ = 0;           // the more frequent vote
};

// Returns the genotypes to be found: [typed].
std::vector<std::vector<OpenGenotype>> OpenGenotypes(const std::vector<std::vector<uint8_t>>& alleles,
                                                     std::span<const uint32_t> first,
                                                     std::span<const SampleGenotypes> samples) {
  std::vector<std::vector<OpenGenotype>> open(alleles.size());
  for (size_t k = 0; k < samples.size(); ++k) {
    const SampleGenotypes& sample = samples[k];
    for (size_t h = 0; h < sample.hets.size(); ++h) {
      if (!sample.IsGiven(h)) open[sample.hets[h]].push_back({first[k]});
    }
    for (const uint32_t j : sample.missing) {
      OpenGenotype& genotype = open[j].emplace_back(first[k]);
      for (uint32_t c = 0; c < sample.ploidy; ++c) {
        genotype.is_missing[c] = alleles[j][first[k] + c] == kMissingAllele;
      }
    }
  }
  return open;
}

}  // namespace

void GuessHaplotypes(std::vector<std::vector<uint8_t>> alleles, std::span<const uint32_t> first,
                     std::span<const double> centimorgans, std::span<SampleGenotypes> samples) {
  const std::vector<std::vector<OpenGenotype>> open = OpenGenotypes(alleles, first, samples);
  for (int sweep = 0; sweep < kSweeps; ++sweep) Sweep(centimorgans, open, sweep % 2 == 0, sweep == 0, alleles).Run();
  for (size_t k = 0; k < samples.size(); ++k) {
    SampleGenotypes& sample = samples[k];
    for (uint32_t c = 0; c < sample.ploidy; ++c) {
      for (const uint32_t j : sample.hets) sample.alleles[c][j] = alleles[j][first[k] + c];
      sample.imputed[c].clear();
      for (const uint32_t j : sample.missing)
        sample.imputed[c].push_back(alleles[j][first[k] + c] == 1 ? kCertainAlt : 0);
    }
  }
}

}  // namespace haplospin
