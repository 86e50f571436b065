#include "genotypes/imputation/models/pedigree/family_completion.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "genotypes/genomics/quantized_probability.h"
#include "genotypes/genomics/sites/contig_names.h"

namespace haplospin {
namespace {

// A genotype is two bits, the alleles of the father's and the mother's haplotype; a haploid one has its allele twice. A
// set of genotypes has a bit for each of the four.
using Genotypes = uint8_t;
constexpr unsigned kNumGenotypes = 4;
constexpr Genotypes kAll = 0b1111, kHomozygous = 0b1001, kHeterozygous = 0b0110;
constexpr std::array<Genotypes, 2> kHaving{0b0111, 0b1110};                                     // [allele]
constexpr std::array<std::array<Genotypes, 2>, 2> kWith{{{0b0101, 0b1010}, {0b0011, 0b1100}}};  // [haplotype][allele]

constexpr unsigned Allele(unsigned genotype, size_t haplotype) { return genotype >> haplotype & 1; }
constexpr bool Contains(Genotypes set, unsigned genotype) { return (set >> genotype & 1) != 0; }

// The haplotype of a child that is a parent's.
struct Link {
  size_t parent, child, haplotype;
};

// The genotypes that the people of some families may have at a marker.
class PossibleGenotypes {
 public:
  PossibleGenotypes(const SampleTable& samples, const std::string& contig, const std::vector<Trio>& trios,
                    const std::vector<std::vector<size_t>>& trios_of)
      : samples_(samples),
        haploid_parent_(HaploidParent(contig)),
        trios_(trios),
        trios_of_(trios_of),
        is_left_out_(trios.size()),
        genotypes_(samples.num_samples()) {
    for (size_t s = 0; s < genotypes_.size(); ++s) genotypes_[s] = samples.ploidy(s) == 1 ? kHomozygous : kAll;
  }

  Genotypes of(size_t sample) const { return genotypes_[sample]; }

  // Leaves the genotypes that have the given alleles [haplotypes], of which some may be missing. Heterozygotes may have
  // either order unless they are ordered.
  void RestrictTo(std::span<const uint8_t> alleles, bool are_ordered) {
    for (size_t s = 0; s < genotypes_.size(); ++s) {
      const uint32_t first = samples_.first_haplotype[s];
      for (size_t h = 0; h < static_cast<size_t>(samples_.ploidy(s)); ++h) {
        if (const uint8_t allele = alleles[first + h]; allele != kMissingAllele) genotypes_[s] &= kWith[h][allele];
      }
      if (!are_ordered && (genotypes_[s] & ~kHeterozygous) == 0) genotypes_[s] = kHeterozygous;
    }
  }

  std::array<std::optional<Link>, 2> Links(const Trio& trio) const {
    std::array<std::optional<Link>, 2> links;
    const std::array<std::optional<size_t>, 2> parents{trio.father, trio.mother};
    for (size_t p = 0; p < 2; ++p) {
      if (!parents[p] || (samples_.ploidy(trio.child) == 1 && p != haploid_parent_)) continue;
      links[p] = {*parents[p], trio.child, p};
    }
    return links;
  }

  // Removes genotypes with which no genotype of a parent or a child agrees, first in some trios, then in those of the
  // people who have fewer genotypes after that. Returns false if a person would keep none: the trio where this happens
  // is left out from then on.
  bool Prune(std::vector<size_t> queue) {
    while (!queue.empty()) {
      const size_t trio = queue.back();
      queue.pop_back();
      if (is_left_out_[trio]) continue;
      for (const std::optional<Link>& link : Links(trios_[trio])) {
        if (!link) continue;
        for (const size_t changed : PruneLink(*link)) {
          if (genotypes_[changed] == 0) {
            is_left_out_[trio] = true;
            return false;
          }
          queue.insert(queue.end(), trios_of_[changed].begin(), trios_of_[changed].end());
        }
      }
    }
    return true;
  }

  // Does so from all trios on; changes no genotypes if it leaves one out.
  bool PruneAll() {
    std::vector<size_t> all(trios_.size());
    std::iota(all.rbegin(), all.rend(), 0);
    std::vector<Genotypes> before = genotypes_;
    if (Prune(std::move(all))) return true;
    genotypes_ = std::move(before);
    return false;
  }

  // Chooses genotypes of some people, unless others would keep none.
  bool Choose(std::span<const std::pair<size_t, unsigned>> chosen) {
    PossibleGenotypes next = *this;
    std::vector<size_t> queue;
    for (const auto& [sample, genotype] : chosen) {
      next.genotypes_[sample] &= static_cast<Genotypes>(1u << genotype);
      queue.insert(queue.end(), trios_of_[sample].begin(), trios_of_[sample].end());
    }
    if (!next.Prune(std::move(queue))) return false;
    genotypes_ = std::move(next.genotypes_);
    return true;
  }

 private:
  // Returns the people who have fewer genotypes.
  std::vector<size_t> PruneLink(const Link& link) {
    Genotypes& parent = genotypes_[link.parent];
    Genotypes& child = genotypes_[link.child];
    const Genotypes parent_before = parent, child_before = child;
    Genotypes transmitting = 0;
    for (size_t allele = 0; allele < 2; ++allele) {
      const Genotypes with = kWith[link.haplotype][allele];
      if ((parent & kHaving[allele]) == 0) child &= static_cast<Genotypes>(~with);
      if ((child & with) != 0) transmitting |= kHaving[allele];
    }
    parent &= transmitting;
    std::vector<size_t> changed;
    if (parent != parent_before) changed.push_back(link.parent);
    if (child != child_before) changed.push_back(link.child);
    return changed;
  }

  const SampleTable& samples_;
  const size_t haploid_parent_;  // of a child with one haplotype
  const std::vector<Trio>& trios_;
  const std::vector<std::vector<size_t>>& trios_of_;
  std::vector<bool> is_left_out_;     // [trios]
  std::vector<Genotypes> genotypes_;  // [samples]
};

// Chooses missing genotypes trio by trio.
class Completion {
 public:
  Completion(const SampleTable& samples, PossibleGenotypes possible, const std::vector<uint8_t>* known,
             std::span<float> alt)
      : samples_(samples),
        possible_(std::move(possible)),
        known_(known),
        alt_(alt),
        is_chosen_(samples.num_samples()) {}

  // Chooses the most probable genotypes with which the others keep one, and changes probabilities to those given that
  // the trio keeps Mendel's laws.
  void Choose(const Trio& trio) {
    std::vector<Choice> choices = ListChoices(trio);
    std::ranges::stable_sort(choices, std::ranges::greater{}, &Choice::probability);
    for (const Choice& choice : choices) {
      if (!possible_.Choose(choice.genotypes)) continue;
      for (size_t p = 0; p < choice.genotypes.size(); ++p) Change(p, choice.genotypes[p], choices);
      return;
    }
  }

 private:
  struct Choice {
    double probability;
    std::vector<std::pair<size_t, unsigned>> genotypes;  // of the child and its parents
  };

  std::vector<Choice> ListChoices(const Trio& trio) const {
    std::vector<Choice> choices{{1, {}}};
    for (const std::optional<size_t>& sample : {std::optional(trio.child), trio.father, trio.mother}) {
      if (!sample) continue;
      std::vector<Choice> longer;
      for (const Choice& choice : choices) {
        for (unsigned genotype = 0; genotype < kNumGenotypes; ++genotype) {
          if (!Contains(possible_.of(*sample), genotype)) continue;
          longer.push_back({choice.probability * Probability(*sample, genotype), choice.genotypes});
          longer.back().genotypes.emplace_back(*sample, genotype);
        }
      }
      choices = std::move(longer);
    }
    for (const std::optional<Link>& link : possible_.Links(trio)) {
      if (link) std::erase_if(choices, [&](const Choice& choice) { return !Keeps(choice, *link); });
    }
    return choices;
  }

  static bool Keeps(const Choice& choice, const Link& link) {
    const auto genotype = [&](size_t sample) {
      return std::ranges::find(choice.genotypes, sample, &std::pair<size_t, unsigned>::first)->second;
    };
    return Contains(kHaving[Allele(genotype(link.child), link.haplotype)], genotype(link.parent));
  }

  bool IsFree(size_t haplotype) const { return known_ == nullptr || (*known_)[haplotype] == kMissingAllele; }

  double Probability(size_t sample, unsigned genotype) const {
    double probability = 1;
    for (size_t h = 0; h < static_cast<size_t>(samples_.ploidy(sample)); ++h) {
      const double p = std::clamp<double>(alt_[samples_.first_haplotype[sample] + h], 1e-6, 1 - 1e-6);
      probability *= Allele(genotype, h) == 1 ? p : 1 - p;
    }
    return probability;
  }

  // Changes the probabilities of a person of the choices to their mean, on the side of the genotype that was chosen.
  void Change(size_t person, const std::pair<size_t, unsigned>& chosen, std::span<const Choice> choices) {
    const auto [sample, genotype] = chosen;
    if (is_chosen_[sample]) return;
    is_chosen_[sample] = true;
    for (size_t h = 0; h < static_cast<size_t>(samples_.ploidy(sample)); ++h) {
      const uint32_t haplotype = samples_.first_haplotype[sample] + static_cast<uint32_t>(h);
      if (!IsFree(haplotype)) continue;
      double total = 0, alt = 0;
      for (const Choice& choice : choices) {
        total += choice.probability;
        alt += Allele(choice.genotypes[person].second, h) * choice.probability;
      }
      const auto mean = static_cast<float>(alt / total);
      alt_[haplotype] = Allele(genotype, h) == 1 ? std::max(mean, kLeastAlt) : std::min(mean, 0.5f);
    }
  }

  static constexpr float kLeastAlt = 0.5001f;  // what is called ALT

  const SampleTable& samples_;
  PossibleGenotypes possible_;
  const std::vector<uint8_t>* const known_;
  const std::span<float> alt_;
  std::vector<bool> is_chosen_;
};

}  // namespace

FamilyCompletion::FamilyCompletion(const Pedigree& pedigree, size_t samples)
    : trios_(pedigree.trios), trios_of_(samples) {
  for (size_t t = 0; t < trios_.size(); ++t) {
    for (const std::optional<size_t>& sample : {std::optional(trios_[t].child), trios_[t].father, trios_[t].mother}) {
      if (sample) trios_of_[*sample].push_back(t);
    }
  }
}

void FamilyCompletion::Complete(const SampleTable& samples, const std::string& contig,
                                const std::vector<uint8_t>* known, std::span<float> alt) const {
  const PossibleGenotypes any(samples, contig, trios_, trios_of_);
  std::vector<uint8_t> calls(alt.size());
  for (size_t h = 0; h < alt.size(); ++h) {
    const bool is_known = known != nullptr && (*known)[h] != kMissingAllele;
    calls[h] = is_known ? (*known)[h] : static_cast<uint8_t>(CallsAlt(alt[h]));
  }
  PossibleGenotypes called = any;
  called.RestrictTo(calls, true);
  if (called.PruneAll()) return;

  std::optional<PossibleGenotypes> possible = any;
  if (known != nullptr) {
    possible->RestrictTo(*known, true);
    if (!possible->PruneAll()) {  // the order of heterozygotes may be wrong, and some of the genotypes too
      possible.emplace(any);
      possible->RestrictTo(*known, false);
      while (!possible->PruneAll()) {
      }
    }
  }
  Completion completion(samples, *std::move(possible), known, alt);
  for (const Trio& trio : trios_) completion.Choose(trio);
}

}  // namespace haplospin
