// The haplotypes that were found of families, as those of the study's samples.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "genotypes/imputation/models/pedigree/family_people.h"
#include "genotypes/imputation/models/pedigree/family_sampler.h"
#include "genotypes/imputation/models/phasing/sample_targets.h"
#include "genotypes/imputation/stages/phasing/founder_study.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

// From this probability on, an allele that families decide serves as an observed one.
inline constexpr float kCertainByFamily = 0.95f;

// Takes the haplotypes that were found. Genotypes of the study are kept.
void SetTargets(const WindowStudy& study, size_t sample, const FamilyHaplotypes& found, SampleTargets& targets);

// Takes what was found of the members of families.
void SetFound(const WindowStudy& study, const FamilyPeople& people, std::span<const FamilyMember> members,
              std::vector<FamilyHaplotypes> found, std::span<SampleTargets> targets);

// Takes the haplotypes of samples that are in no family, which were phased again, in the orientation that they had.
void SetOthers(const FounderStudy& study, const FamilyPeople& people, std::span<const Founder> founders,
               std::span<const SampleTargets> phased, std::span<SampleTargets> targets);

}  // namespace haplospin
