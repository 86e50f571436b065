#include "genotypes/imputation/stages/phasing/rare_alleles.h"

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "genotypes/imputation/models/copying/copying_kernels.h"
#include "genotypes/imputation/models/copying/forward_backward.h"
#include "genotypes/imputation/models/copying/haplotype_matches.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr size_t kCarrierStates = 512;
constexpr float kMinCopied = 1e-4f;      // smallest probability of copying a haplotype, relative to the largest one
constexpr int kPlacingRounds = 10;       // in which all carriers are placed in turn
constexpr double kLost = 1e-3;           // probability that a haplotype does not have the allele of the copied one
constexpr double kMutation = 1e-4;       // probability of a mutation, times the cM of the match
constexpr float kShortestMatch = 5e-3f;  // shorter matches tell no more
constexpr double kLeastProbability = 1e-9;

// A haplotype of the reference that has the rare allele with some probability.
struct RareCarrier {
  uint32_t haplotype;
  float probability;
};

struct RareMarker {
  uint32_t typed;     // marker of the study
  uint32_t interval;  // of the scaffold's markers
  uint8_t allele;
  std::vector<RareCarrier> carriers;  // ascending by haplotype
};

// What a haplotype copies at a rare marker.
struct CopiedCarriers {
  std::vector<std::pair<uint32_t, float>> shares;  // index of a carrier, and the probability of copying it
  float centimorgans = kShortestMatch;             // longest match
};

struct RareHet {
  uint32_t marker;  // index of a RareMarker
  uint32_t interval;
  uint32_t carrier = 0;  // the sample's first haplotype among the carriers
  std::array<CopiedCarriers, 2> copied = {};
  float on_first = 0.5f;  // probability that the first haplotype has the rare allele
};

class RarePlacement {
 public:
  RarePlacement(const WindowStudy& study, const Scaffold& scaffold, const PhasedHaplotypes& phased,
                const SampleGroup& group)
      : study_(study),
        scaffold_(scaffold),
        phased_(phased),
        index_(group.index),
        sources_(group.range),
        frequency_(AltFrequencies(study)) {}

  std::vector<PlacedSample> Run() {
    FindCarriers();
    for (size_t begin = 0; begin < index_.size(); begin += kSamplesAtATime) {
      FindCopied(begin, std::min(begin + kSamplesAtATime, index_.size()));
    }
    for (int round = 0; round < kPlacingRounds; ++round) {
      for (std::vector<RareHet>& hets : hets_) {
        for (RareHet& het : hets) Place(het);
      }
    }
    std::vector<PlacedSample> placed;
    for (size_t k = 0; k < index_.size(); ++k) placed.push_back(Placed(k));
    return placed;
  }

 private:
  // The workspace of one thread.
  struct Workspace {
    CopyingStates states;
    ForwardBackward recursions;
    std::vector<float> products, found;
    std::vector<uint32_t> indices;
  };

  void FindCarriers();
  void AddCarriers(RareMarker& marker);
  void FindCopied(size_t begin, size_t end);
  void FindLongestMatches(std::span<const HaplotypeMatch> matches, size_t c, std::vector<RareHet>& hets) const;
  void FindShares(const TargetHaplotype& target, std::span<const HaplotypeMatch> matches, size_t c,
                  std::vector<RareHet>& hets, Workspace& workspace) const;
  double CarrierProbability(const RareHet& het, size_t c) const;
  void Place(RareHet& het);
  PlacedSample Placed(size_t k) const;
  void TurnRareGiven(SampleGenotypes& sample) const;
  void SetMissing(const SampleGenotypes& phased, SampleGenotypes& sample) const;

  const WindowStudy& study_;
  const Scaffold& scaffold_;
  const PhasedHaplotypes& phased_;
  const std::span<const size_t> index_;
  const SampleRange sources_;
  const std::vector<float> frequency_;  // [typed]
  std::vector<RareMarker> markers_;
  std::vector<std::vector<RareHet>> hets_;  // [samples]
};

void RarePlacement::FindCarriers() {
  hets_.resize(index_.size());
  uint32_t interval = 0;
  for (uint32_t j = 0; j < study_.num_typed(); ++j) {
    if (interval < scaffold_.markers.size() && scaffold_.markers[interval] == j) {
      ++interval;
    } else {
      AddCarriers(markers_.emplace_back(j, interval, FindMinorAllele(study_, j).allele));
    }
  }
}

// Adds the carriers of a marker. Both haplotypes of a heterozygote that is not phased have the probability 1/2.
void RarePlacement::AddCarriers(RareMarker& marker) {
  const std::vector<uint8_t>& row = study_.alleles(marker.typed);
  const std::vector<uint32_t>& first_haplotype = study_.samples().first_haplotype;
  const uint32_t first_of_all = first_haplotype[sources_.begin];
  auto k = static_cast<size_t>(std::ranges::lower_bound(index_, sources_.begin) - index_.begin());
  for (size_t s = sources_.begin; s < sources_.end; ++s) {
    const bool is_unphased = k < index_.size() && index_[k] == s;
    const uint32_t first = first_haplotype[s], end = first_haplotype[s + 1];
    const bool is_het = is_unphased && end == first + 2 && row[first] + row[first + 1] == 1;
    if (is_het) {
      const auto carrier = static_cast<uint32_t>(marker.carriers.size());
      hets_[k].push_back({static_cast<uint32_t>(&marker - markers_.data()), marker.interval, carrier});
    }
    for (uint32_t h = first; h < end; ++h) {
      if (is_het || row[h] == marker.allele) marker.carriers.push_back({h - first_of_all, is_het ? 0.5f : 1.0f});
    }
    k += is_unphased ? 1 : 0;
  }
}

void RarePlacement::FindCopied(size_t begin, size_t end) {
  const PhasingReference& reference = phased_.reference;
  std::vector<TargetHaplotype> targets;
  for (size_t k = begin; k < end; ++k) {
    const ExcludedHaplotypes own = reference.Own(study_, index_[k]);
    for (const std::vector<uint8_t>& alleles : phased_.samples[k].alleles) targets.emplace_back(alleles, own);
  }
  const auto matches = FindMatches(reference.rows(), PointersTo(targets), MatchOptions());
  tbb::enumerable_thread_specific<Workspace> workspaces;
  tbb::parallel_for(begin, end, [&](size_t k) {
    const bool has_others =
        std::ranges::any_of(hets_[k], [&](const RareHet& het) { return markers_[het.marker].carriers.size() > 2; });
    for (size_t c = 0; c < 2; ++c) {
      const size_t t = 2 * (k - begin) + c;
      FindLongestMatches(matches[t], c, hets_[k]);
      if (has_others) FindShares(targets[t], matches[t], c, hets_[k], workspaces.local());
    }
  });
}

void RarePlacement::FindLongestMatches(std::span<const HaplotypeMatch> matches, size_t c,
                                       std::vector<RareHet>& hets) const {
  const std::span<const float> cm = phased_.reference.rows().centimorgans;
  for (const HaplotypeMatch& match : matches) {
    auto het = std::ranges::lower_bound(hets, match.begin + 1, {}, &RareHet::interval);
    for (; het != hets.end() && het->interval < match.end; ++het) {
      float& longest = het->copied[c].centimorgans;
      longest = std::max(longest, cm[match.end - 1] - cm[match.begin]);
    }
  }
}

// Finds the probabilities of copying each carrier, in the middle of the interval of each heterozygote.
void RarePlacement::FindShares(const TargetHaplotype& target, std::span<const HaplotypeMatch> matches, size_t c,
                               std::vector<RareHet>& hets, Workspace& workspace) const {
  auto& [states, recursions, products, found, indices] = workspace;
  const TypedPanel& panel = phased_.reference.panel();
  states.Assign(panel.rows(), matches, kCarrierStates, target.excluded);
  const size_t n = states.size();
  for (std::vector<float>* values : {&products, &found}) values->resize(n);
  indices.resize(n);
  size_t next = hets.size();
  recursions.Run(panel, phased_.model, target, states, [&](size_t interval, const CopyState& f, const CopyState& b) {
    if (next == 0 || hets[next - 1].interval != interval) return;
    const bool is_inner = interval > 0 && interval < panel.num_typed();
    const float half = is_inner ? 0.5f * phased_.model.switch_probability[interval - 1] : 0;
    const size_t copied = states.num_copied();
    const float largest =
        MultiplyTransitions(f.values, f.Move(half, copied), b.values, b.Move(half, copied), n, products.data());
    const float sum = std::accumulate(products.begin(), products.end(), 0.0f);
    const size_t count = CollectAbove(products.data(), kMinCopied * largest, n, indices.data(), found.data());
    for (; next > 0 && hets[next - 1].interval == interval; --next) {
      RareHet& het = hets[next - 1];
      const std::vector<RareCarrier>& carriers = markers_[het.marker].carriers;
      for (size_t i = 0; i < count; ++i) {
        const uint32_t haplotype = states.haplotype(indices[i], interval);
        const auto at = std::ranges::lower_bound(carriers, haplotype, {}, &RareCarrier::haplotype);
        if (at == carriers.end() || at->haplotype != haplotype) continue;
        het.copied[c].shares.emplace_back(static_cast<uint32_t>(at - carriers.begin()), found[i] / sum);
      }
    }
  });
}

// Returns the probability that haplotype c of a heterozygote has the rare allele, if nothing were known of the other.
double RarePlacement::CarrierProbability(const RareHet& het, size_t c) const {
  const CopiedCarriers& copied = het.copied[c];
  double share = 0;
  for (const auto& [carrier, probability] : copied.shares) {
    share += probability * markers_[het.marker].carriers[carrier].probability;
  }
  const double probability = share * (1 - kLost) + std::max(0.0, 1 - share) * kMutation / copied.centimorgans;
  return std::clamp(probability, kLeastProbability, 1 - kLeastProbability);
}

void RarePlacement::Place(RareHet& het) {
  const double first = CarrierProbability(het, 0), second = CarrierProbability(het, 1);
  const double weight = first * (1 - second);
  het.on_first = static_cast<float>(weight / (weight + second * (1 - first)));
  std::vector<RareCarrier>& carriers = markers_[het.marker].carriers;
  carriers[het.carrier].probability = het.on_first;
  carriers[het.carrier + 1].probability = 1 - het.on_first;
}

PlacedSample RarePlacement::Placed(size_t k) const {
  PlacedSample placed{.sample = ReadGenotypes(study_, index_[k], /*imputes_missing=*/true), .certainty = {}};
  SampleGenotypes& sample = placed.sample;
  const SampleGenotypes& phased = phased_.samples[k];
  for (const uint32_t j : phased.hets) {
    for (size_t c = 0; c < 2; ++c) sample.alleles[c][scaffold_.markers[j]] = phased.alleles[c][j];
  }
  std::vector<float> certainty(study_.num_typed(), 1);
  for (const RareHet& het : hets_[k]) {
    const RareMarker& marker = markers_[het.marker];
    const size_t with_allele = het.on_first >= 0.5f ? 0 : 1;
    sample.alleles[with_allele][marker.typed] = marker.allele;
    sample.alleles[1 - with_allele][marker.typed] = 1 - marker.allele;
    certainty[marker.typed] = std::max(het.on_first, 1 - het.on_first);
  }
  TurnRareGiven(sample);
  for (size_t h = 0; h < sample.hets.size(); ++h) {
    placed.certainty.push_back(sample.IsGiven(h) ? 1 : certainty[sample.hets[h]]);
  }
  SetMissing(phased, sample);
  return placed;
}

// Gives the rare alleles of a phase set the given phase, relative to the last given heterozygote of the scaffold before
// them or the first one after them. A set of rare alleles is turned as most of them are.
void RarePlacement::TurnRareGiven(SampleGenotypes& sample) const {
  const auto is_frequent = [&](size_t h) { return std::ranges::binary_search(scaffold_.markers, sample.hets[h]); };
  for (size_t begin = 0, end = 0; begin < sample.hets.size(); begin = end) {
    while (end < sample.hets.size() && sample.ContinuesSet(end)) ++end;
    ++end;
    size_t first = begin, given = 0, exchanged = 0;
    while (first < end && !(sample.IsGiven(first) && is_frequent(first))) ++first;
    for (size_t h = begin; h < end && first == end; ++h) {
      if (!sample.IsGiven(h)) continue;
      ++given;
      exchanged += sample.IsExchanged(h) ? 1 : 0;
    }
    bool is_exchanged = first < end ? sample.IsExchanged(first) : 2 * exchanged > given;
    for (size_t h = begin; h < end; ++h) {
      if (!sample.IsGiven(h)) continue;
      const bool differs = sample.IsExchanged(h) != is_exchanged;
      if (is_frequent(h)) {
        is_exchanged ^= differs;
      } else if (differs) {
        std::swap(sample.alleles[0][sample.hets[h]], sample.alleles[1][sample.hets[h]]);
      }
    }
  }
}

void RarePlacement::SetMissing(const SampleGenotypes& phased, SampleGenotypes& sample) const {
  size_t next = 0;  // missing genotype of the scaffold
  for (const uint32_t j : sample.missing) {
    const bool is_frequent = next < phased.missing.size() && scaffold_.markers[phased.missing[next]] == j;
    for (size_t c = 0; c < 2; ++c) {
      if (is_frequent) sample.alleles[c][j] = phased.alleles[c][phased.missing[next]];
      sample.imputed[c].push_back(is_frequent ? phased.imputed[c][next]
                                              : static_cast<uint8_t>(std::lround(kCertainAlt * frequency_[j])));
    }
    next += is_frequent ? 1 : 0;
  }
}

}  // namespace

std::vector<PlacedSample> PlaceRareAlleles(const WindowStudy& study, const Scaffold& scaffold,
                                           const PhasedHaplotypes& phased, const SampleGroup& group) {
  return RarePlacement(study, scaffold, phased, group).Run();
}

}  // namespace haplospin
