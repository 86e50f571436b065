// The haplotypes of families, drawn from the genotypes of parents and children and from copying models together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/random.h"
#include "genotypes/imputation/models/pedigree/family_draw.h"

namespace haplospin {

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
  // What a founder may have at a marker: a genotype, and whether its haplotypes are exchanged at all markers ahead.
  struct Option {
    size_t genotype;
    bool exchanges_ahead;
    double weight;       // in proportion to its probability
    bool order = false;  // of the haplotypes, relative to the copying model's
  };
  struct Offspring;

  // What the sweeps that are averaged found of a person.
  struct Sums {
    std::vector<OrderedGenotypes> genotypes;  // [m] sum of the probabilities
    std::vector<float> switches;              // [m] of a founder's phase to differ from the copying model's
    std::vector<uint16_t> first;  // [m] a founder's alleles on the first haplotype in these sweeps, a bit for each
  };

  size_t num_markers() const { return draw_.num_markers(); }
  std::optional<size_t> Twin(size_t i) const;

  void UpdateEvidence();
  void Sweep(Choice choice, bool is_averaged);
  void DrawChild(size_t i, Choice choice, bool is_averaged);
  void DrawGenotype(size_t i, size_t j, size_t state, Choice choice);
  void AddChild(size_t i, size_t j, const InheritedStates& probability);
  void DrawFounder(size_t i, Choice choice, bool is_averaged);
  void ListOptions(size_t i, size_t j, std::vector<Option>& options) const;
  void WeighOptions(const Offspring& c, size_t j, bool is_exchanged, std::vector<Option>& options) const;
  void AddFounder(size_t i, size_t j, bool order, std::span<const Option> options);
  void MoveTo(size_t j, bool is_exchanged, Offspring& c);
  void Pass(size_t j, size_t genotype, Offspring& c) const;
  bool AreTogether(size_t i, size_t j, size_t k, bool is_cis) const;
  void SetMeanPhase(size_t i);
  FamilyHaplotypes Result(size_t i) const;
  FamilyHaplotypes ResultOfOneHaplotype(size_t i) const;

  FamilyDraw draw_;
  std::vector<Sums> sums_;  // [members]
  RandomStream random_;
};

}  // namespace haplospin
