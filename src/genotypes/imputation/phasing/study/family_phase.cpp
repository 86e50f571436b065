#include "genotypes/imputation/phasing/study/family_phase.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "genotypes/imputation/families/family_sampler.h"
#include "genotypes/imputation/phasing/study/marker_facts.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr float kCertain = 0.95f;  // from this probability on, an allele that families decide serves as an observed one

// The diploid samples of families, each after its parents.
struct FamilyPeople {
  std::vector<size_t> samples;                                      // [members]
  std::vector<std::array<std::optional<size_t>, 2>> parents;        // [members] members
  std::vector<std::optional<size_t>> member;                        // [samples]
  std::vector<std::array<std::optional<size_t>, 2>> known_parents;  // [samples] samples
};

void AddMember(size_t sample, FamilyPeople& people) {
  std::vector<std::pair<size_t, bool>> open{{sample, false}};  // and whether its parents were added
  while (!open.empty()) {
    const auto [s, has_parents] = open.back();
    open.pop_back();
    if (people.member[s]) continue;
    if (!has_parents) {
      open.emplace_back(s, true);
      for (const auto& parent : people.known_parents[s]) {
        if (parent) open.emplace_back(*parent, false);
      }
      continue;
    }
    people.member[s] = people.samples.size();
    people.samples.push_back(s);
    auto& parents = people.parents.emplace_back();
    for (size_t p = 0; p < 2; ++p) {
      if (people.known_parents[s][p]) parents[p] = people.member[*people.known_parents[s][p]];
    }
  }
}

FamilyPeople ListPeople(const WindowStudy& study) {
  const SampleTable& samples = study.samples();
  FamilyPeople people;
  people.member.resize(samples.num_samples());
  people.known_parents.resize(samples.num_samples());
  std::vector<size_t> listed;
  const auto add = [&](const Trio& trio) {
    if (samples.ploidy(trio.child) != 2) return;
    const auto diploid = [&](const std::optional<size_t>& parent) {
      return parent && samples.ploidy(*parent) == 2 ? parent : std::nullopt;
    };
    people.known_parents[trio.child] = {diploid(trio.father), diploid(trio.mother)};
    if (diploid(trio.father) || diploid(trio.mother)) listed.push_back(trio.child);
  };
  for (const Trio& trio : study.families()->trios) add(trio);
  for (const Trio& trio : study.families()->selfed) add(trio);
  for (const size_t sample : listed) AddMember(sample, people);
  return people;
}

FamilyMember MakeMember(const WindowStudy& study, size_t sample, const SampleTargets& targets) {
  FamilyMember member;
  for (size_t j = 0; j < study.num_typed(); ++j) {
    const std::span<const uint8_t> alleles = study.Genotype(j, sample);
    member.genotype.push_back(HasMissing(alleles) ? kUnknownGenotype : static_cast<uint8_t>(alleles[0] + alleles[1]));
  }
  for (size_t c = 0; c < 2; ++c) {
    if (!targets.alt_probability.empty()) {
      member.alt[c] = targets.alt_probability[c];
      continue;
    }
    for (const uint8_t allele : targets.most_probable()[c].alleles) {
      member.alt[c].push_back(allele == kMissingAllele ? 0.5f : static_cast<float>(allele));
    }
  }
  member.turn.resize(study.num_typed());
  for (size_t j = 0; j < targets.phase_probability.size(); ++j) {
    if (targets.phase_probability[j] > 0) member.turn[j] = 1 - targets.phase_probability[j];
  }
  return member;
}

// Returns whether most heterozygotes of two pairs of haplotypes have the other order.
bool IsExchanged(const FamilyHaplotypes& found, const std::array<std::vector<float>, 2>& before) {
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

}  // namespace

void RefineFamilies(const PanelWindow& window, const WindowStudy& study, uint64_t seed,
                    std::span<SampleTargets> targets) {
  const FamilyPeople people = ListPeople(study);
  if (people.samples.empty() || study.num_typed() == 0) return;
  std::vector<FamilyMember> members;
  for (size_t k = 0; k < people.samples.size(); ++k) {
    const size_t s = people.samples[k];
    members.push_back(MakeMember(study, s, targets[s]));
    members.back().parents = people.parents[k];
  }
  std::vector<FamilyHaplotypes> found = FamilySampler(members, TypedCentimorgans(window), seed).Run();
  for (size_t k = 0; k < found.size(); ++k) {
    const bool is_founder = !members[k].parents[0] && !members[k].parents[1];
    if (is_founder && IsExchanged(found[k], members[k].alt)) std::swap(found[k][0], found[k][1]);
    SetTargets(study, people.samples[k], found[k], targets[people.samples[k]]);
  }
}

}  // namespace haplospin
