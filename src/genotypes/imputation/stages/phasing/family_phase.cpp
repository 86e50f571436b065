#include "genotypes/imputation/stages/phasing/family_phase.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "genotypes/imputation/models/pedigree/family_sampler.h"
#include "genotypes/imputation/models/pedigree/repeated_draws.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"
#include "genotypes/imputation/stages/phasing/founder_study.h"
#include "genotypes/imputation/stages/phasing/scaffold.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr float kCertain = 0.95f;  // from this probability on, an allele that families decide serves as an observed one

// The power of what the copying model tells of a child's genotypes beside its family: both know the same genotypes.
constexpr float kCopiedPower = 0.1f;

// Returns the people of the families, all of whose samples have genotypes.
FamilyPeople PeopleOf(const WindowStudy& study, FamilyPart part) {
  return ListFamilyPeople(study.samples(), *study.families(), part,
                          std::vector<bool>(study.samples().num_samples(), true));
}

// Returns the genotypes of a sample. One with one haplotype, as a father's X, has its allele twice.
std::vector<uint8_t> Genotypes(const WindowStudy& study, size_t sample) {
  std::vector<uint8_t> genotypes;
  for (size_t j = 0; j < study.num_typed(); ++j) {
    const std::span<const uint8_t> alleles = study.Genotype(j, sample);
    genotypes.push_back(HasMissing(alleles) ? kUnknownGenotype
                                            : static_cast<uint8_t>(alleles.front() + alleles.back()));
  }
  return genotypes;
}

// Returns the probabilities of ALT on a haplotype, 0.5 where nothing is known.
std::vector<float> AltProbabilities(const SampleTargets& targets, size_t c) {
  if (!targets.alt_probability.empty()) return targets.alt_probability[c];
  std::vector<float> alt;
  for (const uint8_t allele : targets.most_probable()[c].alleles) {
    alt.push_back(allele == kMissingAllele ? 0.5f : static_cast<float>(allele));
  }
  return alt;
}

// Returns the frequencies of ALT as people who are not in the study may have them: few samples that all have one allele
// do not tell that others have it too (Laplace's rule of succession).
std::vector<float> FrequenciesOfOthers(const WindowStudy& study) {
  std::vector<float> frequency;
  for (size_t j = 0; j < study.num_typed(); ++j) {
    const MinorAllele minor = FindMinorAllele(study, j);
    const float share = static_cast<float>(minor.count + 1) / static_cast<float>(minor.observed + 2);
    frequency.push_back(minor.allele == 1 ? share : 1 - share);
  }
  return frequency;
}

// Sets what is known of a founder with genotypes, without its children.
void SetCopied(const SampleTargets& targets, FamilyMember& member) {
  for (size_t c = 0; c < 2; ++c) member.alt[c] = AltProbabilities(targets, std::min(c, targets.ploidy() - 1));
  member.switch_error.assign(member.genotype.size(), 0);
  for (size_t j = 0; j < targets.phase_probability.size(); ++j) {
    if (targets.phase_probability[j] > 0) member.switch_error[j] = 1 - targets.phase_probability[j];
  }
}

// Returns whether each member has one child, whose other parent is somebody else.
std::vector<bool> HaveOneChild(const FamilyPeople& people) {
  std::vector<size_t> gametes(people.parents.size());
  for (const FamilyPeople::Parents& parents : people.parents) {
    for (const std::optional<size_t>& parent : parents) {
      if (parent) ++gametes[*parent];
    }
  }
  std::vector<bool> result;
  for (const size_t count : gametes) result.push_back(count == 1);
  return result;
}

std::vector<FamilyMember> MakeMembers(const WindowStudy& study, const FamilyPeople& people,
                                      std::span<const SampleTargets> targets) {
  const std::vector<float> frequency = FrequenciesOfOthers(study);
  const std::vector<bool> has_one_child = HaveOneChild(people);
  std::vector<FamilyMember> members;
  for (size_t k = 0; k < people.samples.size(); ++k) {
    FamilyMember& member = members.emplace_back(people.parents[k]);
    if (const std::optional<size_t> sample = people.samples[k]) {
      member.genotype = Genotypes(study, *sample);
      SetCopied(targets[*sample], member);
    } else {
      member.genotype.assign(study.num_typed(), kUnknownGenotype);
      member.alt = {frequency, frequency};
      member.switch_error.assign(study.num_typed(), 0);
      member.has_one_haplotype = !people.parents[k][0] && has_one_child[k];
    }
  }
  return members;
}

// Sets what the copying model tells of a haplotype of a founder without genotypes, for which the frequencies of alleles
// are set. Copying is too certain of it, and frequencies do not know what haplotypes share: the mean of both is more
// often right than either, and about as certain as it should be.
void SetCopiedHaplotype(const SampleTargets& targets, size_t c, FamilyMember& member) {
  const std::vector<float> copied = AltProbabilities(targets, 0);
  for (size_t j = 0; j < copied.size(); ++j) member.alt[c][j] = (member.alt[c][j] + copied[j]) / 2;
}

size_t CountMissing(const FamilyMember& member) {
  return static_cast<size_t>(std::ranges::count(member.genotype, kUnknownGenotype));
}

bool IsSparse(const FamilyMember& member) {
  return static_cast<double>(CountMissing(member)) > kIncompleteShare * static_cast<double>(member.genotype.size());
}

// Returns whether all ancestors of each member have genotypes, but few, and it is no founder.
std::vector<bool> DescendFromSparse(std::span<const FamilyMember> members) {
  std::vector<bool> descend;
  const auto is_sparse = [&](const std::optional<size_t>& parent) {
    const FamilyMember& member = members[*parent];
    const bool has_genotypes = CountMissing(member) < member.genotype.size();
    return has_genotypes && IsSparse(member) && (!member.parents[0] || descend[*parent]);
  };
  for (const FamilyMember& member : members) {
    descend.push_back(member.parents[0] && std::ranges::all_of(member.parents, is_sparse));
  }
  return descend;
}

// Sets what the copying model tells of the missing genotypes of children one of whose parents is unknown, or all of
// whose ancestors have few genotypes: its probabilities relative to those by the frequencies of alleles. Whose
// haplotypes these children have may be among the samples, and the copying model finds it where the family knows
// nothing.
void SetCopiedGenotypes(const WindowStudy& study, const FamilyPeople& people, std::span<const SampleTargets> targets,
                        std::vector<FamilyMember>& members) {
  constexpr float kLeast = 1e-3f;
  const std::vector<float> frequency = FrequenciesOfOthers(study);
  const std::vector<bool> descends_from_sparse = DescendFromSparse(members);
  for (size_t k = 0; k < members.size(); ++k) {
    if (!members[k].parents[0]) continue;
    const bool has_unknown_parent = std::ranges::any_of(
        members[k].parents, [&](const std::optional<size_t>& parent) { return members[*parent].has_one_haplotype; });
    const std::optional<size_t>& sample = people.samples[k];
    const bool is_imputed = sample && !targets[*sample].alt_probability.empty();
    if (!is_imputed || !(has_unknown_parent || descends_from_sparse[k])) continue;
    const std::array<std::vector<float>, 2> alt{AltProbabilities(targets[*sample], 0),
                                                AltProbabilities(targets[*sample], 1)};
    for (size_t j = 0; j < frequency.size(); ++j) {
      const auto relative = [&](float first, float second) {
        const float p = frequency[j];
        const std::array prior{(1 - p) * (1 - p), 2 * p * (1 - p), p * p};
        return std::array{(1 - first) * (1 - second) / prior[0],
                          (first * (1 - second) + second * (1 - first)) / prior[1], first * second / prior[2]};
      };
      std::array<float, 3> likelihood = relative(alt[0][j], alt[1][j]);
      const float largest = std::ranges::max(likelihood);
      for (float& value : likelihood) value = std::pow(std::max(value / largest, kLeast), kCopiedPower);
      members[k].likelihood.push_back(likelihood);
    }
  }
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
      certain.alleles[c].push_back(std::max(alt, 1 - alt) < kCertain ? kMissingAllele : alt > 0.5f ? 1 : 0);
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

// Returns the haplotypes of a sample, which has one or two.
FamilyHaplotypes HaplotypesOf(const SampleTargets& targets) {
  return {AltProbabilities(targets, 0), AltProbabilities(targets, targets.ploidy() - 1)};
}

// Returns whether most heterozygotes of two pairs of haplotypes have the other order.
bool IsExchanged(const FamilyHaplotypes& found, const SampleTargets& targets) {
  const FamilyHaplotypes before = HaplotypesOf(targets);
  double agreement = 0;
  for (size_t j = 0; j < found[0].size(); ++j) {
    agreement += (found[0][j] - found[1][j]) * (before[0][j] - before[1][j]);
  }
  return agreement < 0;
}

// Takes the haplotypes that were found. Genotypes of the study are kept.
void SetTargets(const WindowStudy& study, size_t sample, const FamilyHaplotypes& found, SampleTargets& targets) {
  const bool has_probabilities = !targets.alt_probability.empty();
  std::vector<std::vector<uint8_t>> alleles(2, std::vector<uint8_t>(study.num_typed(), kMissingAllele));
  std::vector<float> certainty(study.num_typed());
  for (size_t j = 0; j < study.num_typed(); ++j) {
    const std::span<const uint8_t> known = study.Genotype(j, sample);
    const bool is_heterozygous = !HasMissing(known) && known[0] != known[1];
    if (is_heterozygous) certainty[j] = 1;
    for (size_t c = 0; c < 2; ++c) {
      const float alt = found[c][j];
      if (is_heterozygous) {
        alleles[c][j] = (found[0][j] >= found[1][j]) == (c == 0) ? 1 : 0;
      } else if (known[c] != kMissingAllele) {
        alleles[c][j] = known[c];
      } else if (!has_probabilities && std::max(alt, 1 - alt) >= kCertain) {
        alleles[c][j] = alt > 0.5f ? 1 : 0;
      }
      if (has_probabilities) {
        targets.alt_probability[c][j] = alleles[c][j] != kMissingAllele ? static_cast<float>(alleles[c][j]) : alt;
      }
    }
  }
  PhaseVersion version;
  for (size_t c = 0; c < 2; ++c) version.haplotypes.emplace_back(std::move(alleles[c]));
  targets.versions = {std::move(version)};
  targets.phase_probability = std::move(certainty);
}

// Takes what was found of the members of families.
void SetFound(const WindowStudy& study, const FamilyPeople& people, std::span<const FamilyMember> members,
              std::vector<FamilyHaplotypes> found, std::span<SampleTargets> targets) {
  for (size_t k = 0; k < found.size(); ++k) {
    const std::optional<size_t>& sample = people.samples[k];
    if (!sample || study.samples().ploidy(*sample) != 2) continue;
    const bool is_founder = !members[k].parents[0];
    if (is_founder && IsExchanged(found[k], targets[*sample])) std::swap(found[k][0], found[k][1]);
    SetTargets(study, *sample, found[k], targets[*sample]);
  }
}

void ExchangeHaplotypes(SampleTargets& targets) {
  for (PhaseVersion& version : targets.versions) std::ranges::reverse(version.haplotypes);
  std::ranges::reverse(targets.alt_probability);
}

// Takes the haplotypes of samples that are in no family, which were phased again, in the orientation that they had.
void SetOthers(const FounderStudy& study, const FamilyPeople& people, std::span<const Founder> founders,
               std::span<const SampleTargets> phased, std::span<SampleTargets> targets) {
  std::vector<bool> is_member(targets.size());
  for (const std::optional<size_t>& sample : people.samples) {
    if (sample) is_member[*sample] = true;
  }
  for (size_t f = 0; f < founders.size(); ++f) {
    const std::optional<size_t>& sample = founders[f].sample;
    if (!sample || is_member[*sample]) continue;
    SampleTargets found = phased[study.first_sample(f)];
    if (IsExchanged(HaplotypesOf(found), targets[*sample])) ExchangeHaplotypes(found);
    targets[*sample] = std::move(found);
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
