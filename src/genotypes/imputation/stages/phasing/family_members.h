// The members of families, with what is known of each of them without the others.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "genotypes/imputation/models/pedigree/family_people.h"
#include "genotypes/imputation/models/pedigree/family_sampler.h"
#include "genotypes/imputation/models/phasing/sample_targets.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

// Returns the probabilities of ALT on a haplotype, 0.5 where nothing is known.
std::vector<float> AltProbabilities(const SampleTargets& targets, size_t c);

// Returns the members of families. Those without genotypes have the frequencies of alleles.
std::vector<FamilyMember> MakeMembers(const WindowStudy& study, const FamilyPeople& people,
                                      std::span<const SampleTargets> targets);

// Sets what is known of a founder with genotypes, without its children.
void SetCopied(const SampleTargets& targets, FamilyMember& member);

// Sets what the copying model tells of a haplotype of a founder without genotypes, for which the frequencies of alleles
// are set. Copying is too certain of it, and frequencies do not know what haplotypes share: the mean of both is more
// often right than either, and about as certain as it should be.
void SetCopiedHaplotype(const SampleTargets& targets, size_t c, FamilyMember& member);

// Returns whether a member lacks many of its genotypes.
bool IsSparse(const FamilyMember& member);

// Sets what the copying model tells of the missing genotypes of children one of whose parents is unknown, or all of
// whose ancestors have few genotypes: its probabilities relative to those by the frequencies of alleles. Whose
// haplotypes these children have may be among the samples, and the copying model finds it where the family knows
// nothing.
void SetCopiedGenotypes(const WindowStudy& study, const FamilyPeople& people, std::span<const SampleTargets> targets,
                        std::vector<FamilyMember>& members);

}  // namespace haplospin
