#include "genotypes/imputation/stages/phasing/family_targets.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "genotypes/imputation/stages/phasing/family_members.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

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

void ExchangeHaplotypes(SampleTargets& targets) {
  for (PhaseVersion& version : targets.versions) std::ranges::reverse(version.haplotypes);
  std::ranges::reverse(targets.alt_probability);
}

}  // namespace

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
      } else if (!has_probabilities && std::max(alt, 1 - alt) >= kCertainByFamily) {
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

}  // namespace haplospin
