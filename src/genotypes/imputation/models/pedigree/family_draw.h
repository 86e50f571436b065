// The present draw of the haplotypes of families, and the likelihoods that follow from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace haplospin {

inline constexpr uint8_t kUnknownGenotype = 3;

// A diploid person of some families at m markers of a contig, with or without genotypes.
struct FamilyMember {
  // Father and mother, who come earlier; one person if it was selfed. Either both are there, or the person is a
  // founder.
  std::array<std::optional<size_t>, 2> parents;
  std::vector<uint8_t> genotype;  // [m] ALT alleles, or kUnknownGenotype

  // A founder's haplotypes without its children: [2][m] probabilities of ALT, and [m] that of a heterozygote's phase
  // relative to the one before it to be wrong. The haplotypes may be in either order.
  std::array<std::vector<float>, 2> alt = {};
  std::vector<float> switch_error = {};

  // [m] Of a child: how probable its other data are with 0, 1 and 2 ALT alleles, where its genotype is unknown; all 1
  // where they tell nothing. Empty: there are none.
  std::vector<std::array<float, 3>> likelihood = {};

  // Whether this is a founder without genotypes and with one child. What the child has of it is as probable as alt[0];
  // it is not drawn. Its first haplotype is what the child is found to have of it, and nothing more is found of its
  // second one, which stays alt[1].
  bool has_one_haplotype = false;
};

// Genotypes of two ordered alleles: the first one, and twice the second.
using OrderedGenotypes = std::array<float, 4>;
constexpr size_t FirstAllele(size_t genotype) { return genotype & 1; }
constexpr size_t SecondAllele(size_t genotype) { return genotype >> 1; }
constexpr size_t Exchanged(size_t genotype) { return FirstAllele(genotype) << 1 | SecondAllele(genotype); }

// What a child has inherited at a marker, a bit for either side: the haplotype of the parent that its allele is of.
using InheritedStates = std::array<float, 4>;
inline constexpr size_t kInheritedStates = 4;
constexpr size_t SideBit(size_t state, size_t side) { return state >> side & 1; }

// Returns the likelihoods of genotypes times their probabilities, if those of ALT on the two haplotypes are given.
inline OrderedGenotypes ByAlleles(OrderedGenotypes likelihoods, float first, float second) {
  likelihoods[0] *= (1 - first) * (1 - second);
  likelihoods[1] *= first * (1 - second);
  likelihoods[2] *= (1 - first) * second;
  likelihoods[3] *= first * second;
  return likelihoods;
}

// Makes the values add up to 1.
inline void Normalize(std::array<float, 4>& values) {
  const float sum = values[0] + values[1] + values[2] + values[3];
  for (float& value : values) value = sum > 0 ? value / sum : 0.25f;
}

// Haplotypes of the members of families and what children have inherited, with the likelihoods of all data given these.
// Children of a person are those whose father or mother it is.
class FamilyDraw {
 public:
  // `centimorgans` [m] are the places of the markers. The members must outlive the object. Founders have the haplotypes
  // of their copying models, and children none yet.
  FamilyDraw(std::span<const FamilyMember> members, std::span<const double> centimorgans);

  size_t num_markers() const { return recombination_.size(); }
  const FamilyMember& member(size_t i) const { return members_[i]; }
  bool IsFounder(size_t i) const { return !members_[i].parents[0]; }
  std::span<const size_t> children(size_t i) const { return people_[i].children; }

  uint8_t allele(size_t i, size_t haplotype, size_t j) const { return people_[i].haplotypes[haplotype][j]; }
  void SetGenotype(size_t i, size_t j, size_t genotype);

  size_t state(size_t child, size_t j) const {
    return people_[child].inherited[0][j] + 2u * people_[child].inherited[1][j];
  }
  void SetState(size_t child, size_t j, size_t state);

  // Returns the sides of a child that are a parent's, a bit for either.
  size_t Sides(size_t child, size_t parent) const;

  // Returns the probability of ALT on a founder's haplotype by its copying model.
  float CopiedAlt(size_t i, size_t haplotype, size_t j) const;

  // Returns the likelihood of a person's own data if it has a genotype.
  float Penetrance(size_t i, size_t j, size_t genotype) const;

  // Returns whether the genotype of a person, or those of its descendants, tell which alleles it has.
  bool IsInformative(size_t i, size_t j) const;

  // Returns the likelihoods of a person's genotypes, given all data but its parents'.
  OrderedGenotypes Weights(size_t i, size_t j) const;

  // Finds anew what the children of a person tell of it, given what they have inherited, after that of the children.
  void UpdateEvidence(size_t i);

  // Returns the probability of ALT on a child's haplotype that is of this haplotype of the parent on a side, whatever
  // its genotype.
  float AltProbability(size_t child, size_t side, size_t j, size_t haplotype) const;

  // Returns the probability of ALT on a haplotype of a person. Where nothing tells its alleles, it is that of the
  // founder whose haplotype this is by what was inherited, which is more than one draw tells.
  float Alt(size_t i, size_t haplotype, size_t j) const;

  // Founder i has its haplotypes at marker j in the other order than the copying model.
  void SetExchanged(size_t i, size_t j, bool is_exchanged) { people_[i].is_exchanged[j] = is_exchanged; }

  // A genotype that a parent is taken to have in place of its present one, on these sides of a child.
  struct ParentGenotype {
    size_t sides, genotype;  // {} is none
  };

  // Returns the likelihoods of a child's data and its descendants', by its state.
  InheritedStates Emission(size_t child, size_t j, ParentGenotype given = {}) const;

  // Moves the probabilities of a child's states to the next marker, or back, across the interval before marker j.
  InheritedStates Moved(size_t j, const InheritedStates& from) const;

  // Returns the probabilities of a child's states given all data up to each marker: [m].
  std::vector<InheritedStates> Forward(size_t child) const;

  // Returns the likelihoods of all data of a child after each marker, given its state there: [m].
  std::vector<InheritedStates> Backward(size_t child) const;

 private:
  struct Person {
    std::array<std::vector<uint8_t>, 2> haplotypes;  // [2][m]
    std::array<std::vector<uint8_t>, 2> inherited;   // [2][m] the state of either side
    std::vector<size_t> children;
    std::vector<OrderedGenotypes> evidence;  // [m] likelihoods of genotypes given the children; empty without any

    // [m] of a child: the likelihoods of its own data and its children's, by the alleles that it has inherited.
    std::vector<OrderedGenotypes> inherited_likelihoods;

    std::vector<bool> is_exchanged;  // [m] whether a founder's first haplotype is the copying model's second one
  };

  bool HasData(size_t i, size_t j) const;
  bool IsUninformative(size_t i, size_t j) const;
  OrderedGenotypes InheritedLikelihoods(size_t child, size_t j, size_t known_sides) const;
  void UpdateInherited(size_t i);
  void AddEvidence(size_t child, size_t parent, size_t j, OrderedGenotypes& evidence) const;

  std::span<const FamilyMember> members_;
  std::vector<float> recombination_;  // [m] between the marker before and this one
  std::vector<Person> people_;
};

}  // namespace haplospin
