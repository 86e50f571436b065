#include "genotypes/imputation/stages/phasing/family_phase.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "genotypes/imputation/models/pedigree/family_sampler.h"
#include "genotypes/imputation/models/pedigree/repeated_draws.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"
#include "genotypes/imputation/stages/phasing/family_members.h"
#include "genotypes/imputation/stages/phasing/family_targets.h"
#include "genotypes/imputation/stages/phasing/founder_study.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Returns the people of the families, all of whose samples have genotypes.
FamilyPeople PeopleOf(const WindowStudy& study, FamilyPart part) {
  return ListFamilyPeople(study.samples(), *study.families(), part,
                          std::vector<bool>(study.samples().num_samples(), true));
}

// Returns the samples that founders may have haplotypes of, beside those of each other: those that are in no family
// and, if there is a founder with few genotypes or none, children with many. Its parents are not known, so that it may
// be related to all of them, or be one of them.
std::vector<size_t> ListOthers(const FamilyPeople& people, std::span<const FamilyMember> members) {
  std::vector<bool> is_member(people.has_genotypes.size());
  bool has_sparse_founder = false;
  for (size_t k = 0; k < members.size(); ++k) {
    if (people.samples[k]) is_member[*people.samples[k]] = true;
    has_sparse_founder = has_sparse_founder || (!members[k].parents[0] && IsSparse(members[k]));
  }
  for (size_t k = 0; has_sparse_founder && k < members.size(); ++k) {
    if (people.samples[k] && members[k].parents[0] && !IsSparse(members[k])) is_member[*people.samples[k]] = false;
  }
  std::vector<size_t> others;
  for (size_t s = 0; s < is_member.size(); ++s) {
    if (!is_member[s] && people.has_genotypes[s]) others.push_back(s);
  }
  return others;
}

// Returns the haplotypes of a child that are certain, in one phase set.
InferredHaplotypes CertainHaplotypes(const FamilyHaplotypes& found) {
  InferredHaplotypes certain{.alleles = {}, .set = std::vector<uint32_t>(found[0].size())};
  for (size_t c = 0; c < 2; ++c) {
    for (const float alt : found[c]) {
      certain.alleles[c].push_back(std::max(alt, 1 - alt) < kCertainByFamily ? kMissingAllele : alt > 0.5f ? 1 : 0);
    }
  }
  for (size_t j = 0; j < certain.set.size(); ++j) {
    certain.set[j] = certain.alleles[0][j] + certain.alleles[1][j] == 1 ? 1 : 0;
  }
  return certain;
}

// Returns the founders of `members` and the others that these may have haplotypes of, and what families tell of them.
std::vector<Founder> ListFounders(const WindowStudy& study, const FamilyPeople& people,
                                  std::span<const FamilyMember> members, std::span<const double> centimorgans,
                                  uint64_t seed) {
  FamilySampler sampler(members, centimorgans, seed);
  const std::vector<FamilyHaplotypes> found = sampler.Run();
  std::vector<Founder> founders;
  std::vector<std::optional<size_t>> member_of(study.samples().num_samples());
  for (size_t k = 0; k < members.size(); ++k) {
    if (people.samples[k]) member_of[*people.samples[k]] = k;
    if (members[k].parents[0]) continue;
    const std::optional<size_t>& sample = people.samples[k];
    const bool is_phased = sample && HasPhase(study, *sample);
    founders.push_back({.sample = sample,
                        .inferred = is_phased ? std::nullopt : std::optional(sampler.Inferred(k)),
                        .haplotypes = members[k].has_one_haplotype ? 1u : 2u});
  }
  for (const size_t sample : ListOthers(people, members)) {
    Founder& other = founders.emplace_back(Founder{.sample = sample, .inferred = std::nullopt});
    if (member_of[sample] && !HasPhase(study, sample)) other.inferred = CertainHaplotypes(found[*member_of[sample]]);
  }
  return founders;
}

// Takes the haplotypes of the founders, which were phased again.
void SetFounders(const FounderStudy& study, std::span<const Founder> founders, std::span<const SampleTargets> phased,
                 std::vector<FamilyMember>& members) {
  size_t f = 0;
  for (FamilyMember& member : members) {
    if (member.parents[0]) continue;
    const size_t first = study.first_sample(f);
    if (founders[f++].sample) {
      SetCopied(phased[first], member);
    } else {
      for (size_t c = 0; c < (member.has_one_haplotype ? 1 : 2); ++c) {
        SetCopiedHaplotype(phased[first + c], c, member);
      }
    }
  }
}

// Founders have the haplotypes in `targets` or, without genotypes, in `absent`.
std::vector<FamilyMember> MembersWithAbsent(const WindowStudy& study, const FamilyPeople& people,
                                            std::span<const SampleTargets> absent,
                                            std::span<const SampleTargets> targets) {
  std::vector<FamilyMember> members = MakeMembers(study, people, targets);
  size_t next = 0;
  for (size_t k = 0; k < members.size(); ++k) {
    if (members[k].parents[0] || people.samples[k]) continue;
    for (size_t c = 0; c < (members[k].has_one_haplotype ? 1 : 2); ++c) {
      SetCopiedHaplotype(absent[next++], c, members[k]);
    }
  }
  return members;
}

}  // namespace

std::vector<bool> HaveGenotypes(const WindowStudy& study) {
  std::vector<bool> have(study.samples().num_samples());
  for (size_t j = 0; j < study.num_typed(); ++j) {
    for (size_t s = 0; s < have.size(); ++s) {
      if (!have[s] && !HasMissing(study.Genotype(j, s))) have[s] = true;
    }
  }
  return have;
}

struct FamilyRefinement::Members {
  FamilyPeople people;
  std::vector<FamilyMember> members;
  std::vector<Founder> founders;  // and the others who are phased again
};

FamilyRefinement::FamilyRefinement(const WindowStudy& study, std::vector<double> centimorgans, uint64_t seed,
                                   std::span<const SampleTargets> targets, FamilyPart part)
    : study_(study), centimorgans_(std::move(centimorgans)), seed_(seed) {
  FamilyPeople people = part == FamilyPart::kSamples
                            ? PeopleOf(study, part)
                            : ListFamilyPeople(study.samples(), *study.families(), part, HaveGenotypes(study));
  if (people.samples.empty() || study.num_typed() == 0) return;
  std::vector<FamilyMember> members = MakeMembers(study, people, targets);
  SetCopiedGenotypes(study, people, targets, members);
  std::vector<Founder> founders = ListFounders(study, people, members, centimorgans_, seed);
  founders_.emplace(study, founders);
  members_ = std::make_unique<Members>(std::move(people), std::move(members), std::move(founders));
}

FamilyRefinement::~FamilyRefinement() = default;

bool FamilyRefinement::HasAny(const WindowStudy& study) {
  return study.num_typed() > 0 && !PeopleOf(study, FamilyPart::kSamples).samples.empty();
}

std::vector<FamilyMember> FamilyRefinement::MembersWith(std::span<const SampleTargets> phased) const {
  std::vector<FamilyMember> members = members_->members;
  SetFounders(*founders_, members_->founders, phased, members);
  return members;
}

void FamilyRefinement::Refine(std::span<const SampleTargets> phased, std::span<SampleTargets> targets) const {
  const std::vector<FamilyMember> members = MembersWith(phased);
  SetFound(study_, members_->people, members, FamilySampler(members, centimorgans_, seed_).Run(), targets);
  SetOthers(*founders_, members_->people, members_->founders, phased, targets);
}

std::vector<FamilyHaplotypes> FamilyRefinement::FindAnimals(std::span<const SampleTargets> phased,
                                                            std::span<SampleTargets> targets) const {
  const FamilyPeople& people = members_->people;
  RepeatedDraws draws(centimorgans_, seed_);
  draws.Add(MembersWith(phased));
  for (size_t k = 0; k < people.samples.size(); ++k) {
    const size_t person = people.people[k];
    if (person < targets.size() && !people.samples[k]) {
      SetTargets(study_, person, draws.Haplotypes(k), targets[person]);
    }
  }
  return draws.Animals(*study_.families(), people);
}

std::vector<Founder> FindAbsentFounders(const WindowStudy& study, std::span<const double> centimorgans, uint64_t seed,
                                        std::span<const SampleTargets> targets, FamilyPart part) {
  const FamilyPeople people = PeopleOf(study, part);
  const std::vector<FamilyMember> members = MakeMembers(study, people, targets);
  const auto is_absent = [&](size_t k) { return !members[k].parents[0] && !people.samples[k]; };
  bool has_absent = false;
  for (size_t k = 0; k < members.size(); ++k) has_absent = has_absent || is_absent(k);
  if (!has_absent || study.num_typed() == 0) return {};
  std::vector<Founder> founders = ListFounders(study, people, members, centimorgans, seed);
  std::erase_if(founders, [](const Founder& founder) { return founder.sample.has_value(); });
  return founders;
}

void DrawFamilies(const WindowStudy& study, std::span<const double> centimorgans, uint64_t seed,
                  std::span<const SampleTargets> absent, std::span<SampleTargets> targets) {
  const FamilyPeople people = PeopleOf(study, FamilyPart::kSamples);
  const std::vector<FamilyMember> members = MembersWithAbsent(study, people, absent, targets);
  SetFound(study, people, members, FamilySampler(members, centimorgans, seed).Run(), targets);
}

std::vector<FamilyHaplotypes> DrawAnimals(const WindowStudy& study, std::span<const double> centimorgans, uint64_t seed,
                                          std::span<const SampleTargets> absent,
                                          std::span<const SampleTargets> targets) {
  const FamilyPeople people = PeopleOf(study, FamilyPart::kAnimals);
  RepeatedDraws draws(centimorgans, seed);
  draws.Add(MembersWithAbsent(study, people, absent, targets));
  return draws.Animals(*study.families(), people);
}

}  // namespace haplospin
