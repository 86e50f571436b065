// The haplotypes of a study's families, from what was found of their people one by one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "genotypes/imputation/models/pedigree/family_people.h"
#include "genotypes/imputation/models/pedigree/family_sampler.h"
#include "genotypes/imputation/models/phasing/sample_targets.h"
#include "genotypes/imputation/stages/phasing/founder_study.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

// Returns which samples have any genotype.
std::vector<bool> HaveGenotypes(const WindowStudy& study);

// Finds the haplotypes of the diploid samples that belong to the families of the study, as FamilySampler does. A person
// is a child if one of its parents is a sample, or one of its grandparents (family_trios.h); its parents are members of
// the family too, if they have genotypes or not. What the families tell of the haplotypes of founders is found first;
// with it, these are to be phased again, together with the samples that are in no family and, if a founder has few
// genotypes, the children that have many. Then the families are drawn with these haplotypes. Of a parent without
// genotypes who has one child, there is only the haplotype that it passed on.
//
// The phase of families is certain then, and so are missing alleles that families decide. Given phases of samples
// without known parents keep their first orientation. Missing alleles that stay uncertain have probabilities if they
// had any before.
class FamilyRefinement {
 public:
  // `targets` are those of all samples; `centimorgans` [typed] are the places of the markers. The study must outlive
  // the object.
  FamilyRefinement(const WindowStudy& study, std::vector<double> centimorgans, uint64_t seed,
                   std::span<const SampleTargets> targets, FamilyPart part);
  ~FamilyRefinement();

  // Returns whether anybody in a study has a family.
  static bool HasAny(const WindowStudy& study);
  bool HasAny() const { return founders_.has_value(); }

  // The founders and all others who are to be phased again, as a study without families.
  const WindowStudy& founders() const { return founders_->study(); }

  // Changes the targets of the families' samples, and takes those of samples in no family from `phased`, the targets of
  // founders().
  void Refine(std::span<const SampleTargets> phased, std::span<SampleTargets> targets) const;

  // Returns the haplotypes of the animals, of FamilyPart::kAnimals: [Pedigree::animals]. Changes the targets of samples
  // without any genotype.
  std::vector<FamilyHaplotypes> FindAnimals(std::span<const SampleTargets> phased,
                                            std::span<SampleTargets> targets) const;

 private:
  struct Members;

  std::vector<FamilyMember> MembersWith(std::span<const SampleTargets> phased) const;

  const WindowStudy& study_;
  const std::vector<double> centimorgans_;
  const uint64_t seed_;
  std::unique_ptr<const Members> members_;
  std::optional<FounderStudy> founders_;
};

// Returns the founders of the families who are no samples, and what their children tell of them.
std::vector<Founder> FindAbsentFounders(const WindowStudy& study, std::span<const double> centimorgans, uint64_t seed,
                                        std::span<const SampleTargets> targets, FamilyPart part);

// Does as FamilyRefinement, but founders keep the haplotypes in `targets`, and those who are no samples have `absent`:
// a haploid target for each of their haplotypes, in the order of FindAbsentFounders().
void DrawFamilies(const WindowStudy& study, std::span<const double> centimorgans, uint64_t seed,
                  std::span<const SampleTargets> absent, std::span<SampleTargets> targets);

// Returns the haplotypes of people without genotypes, [Pedigree::animals], from the same; all samples have genotypes.
std::vector<FamilyHaplotypes> DrawAnimals(const WindowStudy& study, std::span<const double> centimorgans, uint64_t seed,
                                          std::span<const SampleTargets> absent,
                                          std::span<const SampleTargets> targets);

}  // namespace haplospin
