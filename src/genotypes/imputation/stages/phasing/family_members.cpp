#include "genotypes/imputation/stages/phasing/family_members.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "genotypes/imputation/models/phasing/sample_genotypes.h"
#include "genotypes/imputation/stages/phasing/scaffold.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// The power of what the copying model tells of a child's genotypes beside its family: both know the same genotypes.
constexpr float kCopiedPower = 0.1f;

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

size_t CountMissing(const FamilyMember& member) {
  return static_cast<size_t>(std::ranges::count(member.genotype, kUnknownGenotype));
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

}  // namespace

std::vector<float> AltProbabilities(const SampleTargets& targets, size_t c) {
  if (!targets.alt_probability.empty()) return targets.alt_probability[c];
  std::vector<float> alt;
  for (const uint8_t allele : targets.most_probable()[c].alleles) {
    alt.push_back(allele == kMissingAllele ? 0.5f : static_cast<float>(allele));
  }
  return alt;
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

void SetCopied(const SampleTargets& targets, FamilyMember& member) {
  for (size_t c = 0; c < 2; ++c) member.alt[c] = AltProbabilities(targets, std::min(c, targets.ploidy() - 1));
  member.switch_error.assign(member.genotype.size(), 0);
  for (size_t j = 0; j < targets.phase_probability.size(); ++j) {
    if (targets.phase_probability[j] > 0) member.switch_error[j] = 1 - targets.phase_probability[j];
  }
}

void SetCopiedHaplotype(const SampleTargets& targets, size_t c, FamilyMember& member) {
  const std::vector<float> copied = AltProbabilities(targets, 0);
  for (size_t j = 0; j < copied.size(); ++j) member.alt[c][j] = (member.alt[c][j] + copied[j]) / 2;
}

bool IsSparse(const FamilyMember& member) {
  return static_cast<double>(CountMissing(member)) > kIncompleteShare * static_cast<double>(member.genotype.size());
}

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

}  // namespace haplospin
