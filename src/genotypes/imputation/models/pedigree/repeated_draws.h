// The mean of several draws of families.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/pedigree/family_people.h"
#include "genotypes/imputation/models/pedigree/family_sampler.h"

namespace haplospin {

// The mean genotype probabilities of several draws of a person.
class MeanGenotypes {
 public:
  void Add(const FamilyHaplotypes& found);

  // Returns haplotypes that have these probabilities.
  FamilyHaplotypes Haplotypes() const;

 private:
  std::vector<float> alt_, both_;  // [m] sums
  float count_ = 0;
};

// Draws families several times, as one draw may stay with haplotypes that others do not have.
class RepeatedDraws {
 public:
  // `centimorgans` must outlive the object; each draw has the next seed.
  RepeatedDraws(std::span<const double> centimorgans, uint64_t seed) : centimorgans_(centimorgans), seed_(seed) {}

  void Add(const std::vector<FamilyMember>& members);

  // Returns what was found of the people without genotypes who are wanted: [Pedigree::animals].
  std::vector<FamilyHaplotypes> Animals(const Pedigree& pedigree, const FamilyPeople& people) const;

  FamilyHaplotypes Haplotypes(size_t member) const { return means_[member].Haplotypes(); }

 private:
  const std::span<const double> centimorgans_;
  uint64_t seed_;                     // of the next draw
  std::vector<MeanGenotypes> means_;  // [members]
};

}  // namespace haplospin
