// The haplotypes of families, drawn from the genotypes of parents and children and from copying models together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/random.h"

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
  // it is not drawn, and nothing is found of it but what the child tells.
  bool has_one_haplotype = false;
};

// What is found of a person: [2][m] the probabilities of ALT on its haplotypes, whose products are those of its
// genotypes. A child's haplotype from its father comes first.
using FamilyHaplotypes = std::array<std::vector<float>, 2>;

// A founder's haplotypes as far as they follow from its genotype and its children.
struct InferredHaplotypes {
  std::array<std::vector<uint8_t>, 2> alleles;  // [2][m] or kMissingAllele
  std::vector<uint32_t> set;                    // [m] of a heterozygote: its phase set, whose phase most draws have
};

// A Gibbs sampler. A child's two haplotypes are mosaics of those of its parents, with a recombination per Morgan: a
// hidden Markov model of four states, which are what it has inherited of either parent (Lander and Green 1987). The
// haplotypes of founders are drawn marker by marker given the genotypes of all of their children, summed over what
// these have inherited: at a heterozygote, its order and whether the haplotypes are exchanged at all markers ahead, as
// in PairSampler. Time and memory are linear in people and markers.
class FamilySampler {
 public:
  // `centimorgans` [m] are the places of the markers. `members` must outlive the object.
  FamilySampler(std::span<const FamilyMember> members, std::span<const double> centimorgans, uint64_t seed);

  // Returns the haplotypes of each member.
  std::vector<FamilyHaplotypes> Run();

  // Returns the alleles of founder i's haplotypes, in the order that Run() found, that its genotype and its children
  // tell, without what is known of its haplotypes otherwise.
  InferredHaplotypes Inferred(size_t i) const;

 private:
  // A state is a bit for either side: the haplotype of the parent that the child's allele is of.
  static constexpr size_t kStates = 4;
  using States = std::array<float, kStates>;
  using Genotypes = std::array<float, 4>;  // by the first allele and twice the second

  struct Person {
    std::array<std::vector<uint8_t>, 2> haplotypes;  // [2][m] the present draw
    std::array<std::vector<uint8_t>, 2> inherited;   // [2][m] the present state of either side
    std::vector<size_t> children;
    std::vector<Genotypes> evidence;  // [m] likelihoods of genotypes given the children; empty without any
    std::vector<Genotypes> sum;       // [m] of the genotype probabilities of the sweeps that are averaged
    std::vector<float>
        switches;  // [m] sum of the probabilities of a founder's phase to differ from the copying model's
    std::vector<uint16_t> first;     // [m] a founder's alleles on the first haplotype in these sweeps, a bit for each
    std::vector<bool> is_exchanged;  // [m] whether a founder's first haplotype is the copying model's second one
  };

  // What a founder may have at a marker: a genotype, and whether its haplotypes are exchanged at all markers ahead.
  struct Option {
    size_t genotype;
    bool exchanges_ahead;
    float prior;
  };
  struct Offspring;

  // A genotype that a parent is taken to have in place of its present one, for the sides of a child in the mask.
  struct ParentGenotype {
    size_t mask, genotype;  // {} is none
  };

  size_t num_markers() const { return centimorgans_.size(); }
  bool IsFounder(size_t i) const { return !members_[i].parents[0]; }
  size_t Mask(size_t child, size_t parent) const;
  float CopiedAlt(size_t i, size_t haplotype, size_t j) const;
  bool HasData(size_t i, size_t j) const;
  float Penetrance(size_t i, size_t j, size_t genotype) const;
  bool IsUninformative(size_t i, size_t j) const;

  bool IsInformative(size_t i, size_t j) const;
  float Alt(size_t i, size_t haplotype, size_t j) const;

  States Moved(size_t j, const States& from) const;
  float AlleleProbability(size_t child, size_t side, size_t j, size_t state, size_t allele) const;
  float InheritedProbability(size_t child, size_t side, size_t j, size_t state, size_t allele) const;
  Genotypes Weights(size_t i, size_t j) const;
  float Likelihood(const Genotypes& weights, size_t child, size_t j, size_t state, ParentGenotype given) const;
  States Emission(size_t child, size_t j, ParentGenotype given = {}) const;

  void Begin(size_t i);
  void Sweep(Choice choice, bool is_averaged);
  void UpdateEvidence(size_t i);
  void AddEvidence(size_t child, size_t parent, size_t j, Genotypes& evidence) const;
  void DrawChild(size_t i, Choice choice, bool is_averaged);
  void DrawGenotype(size_t i, size_t j, size_t state, Choice choice);
  void AddChild(size_t i, size_t j, const States& probability);
  std::vector<States> Backward(size_t child) const;
  std::vector<States> Forward(size_t child) const;
  void SetGenotype(size_t i, size_t j, size_t genotype);
  void DrawFounder(size_t i, Choice choice, bool is_averaged);
  std::vector<Option> ListOptions(size_t i, size_t j) const;
  void MoveTo(size_t j, bool is_exchanged, Offspring& c);
  void Pass(size_t j, size_t genotype, Offspring& c) const;
  double LogLikelihood(const Offspring& c, size_t j, size_t genotype, bool is_exchanged) const;
  void AddFounder(size_t i, size_t j, size_t genotype, float probability);
  bool AreTogether(size_t i, size_t j, size_t k, bool is_cis) const;
  void SetMeanPhase(size_t i);
  FamilyHaplotypes Result(size_t i) const;

  std::span<const FamilyMember> members_;
  std::span<const double> centimorgans_;
  std::vector<float> recombination_;  // [m] between the marker before and this one
  std::vector<Person> people_;
  RandomStream random_;
};

}  // namespace haplospin
