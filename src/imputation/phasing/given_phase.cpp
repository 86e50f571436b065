#include "imputation/phasing/given_phase.h"

#include <array>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Of a heterozygote: its phase set, or 0; nothing where it is not phased.
std::optional<uint32_t> SetOf(const WindowStudy& study, size_t j, size_t sample) {
  return study.IsUnphased(j, sample) ? std::nullopt : std::optional(study.PhaseSet(j, sample));
}

// [hets] the sets in their order along the chromosome: one that begins inside another begins after it instead.
void KeepSets(const std::vector<std::optional<uint32_t>>& sets, DiploidSample& sample) {
  std::unordered_map<uint32_t, size_t> last;  // heterozygote of each set
  for (size_t h = 0; h < sets.size(); ++h) {
    if (sets[h]) last[*sets[h]] = h;
  }
  sample.can_flip.assign(sets.size(), true);
  sample.can_switch_after.assign(sets.size(), true);
  for (size_t h = 0; h < sets.size(); ++h) {
    if (!sets[h]) continue;
    const uint32_t set = *sets[h];
    if (set != 0 && last[set] == h) continue;  // by itself
    for (const size_t end = last[set]; h < end; ++h) {
      sample.can_flip[h] = sets[h] != set;
      sample.can_switch_after[h] = false;
    }
    sample.can_flip[h] = false;
  }
}

}  // namespace

bool HasPhase(const WindowStudy& study, size_t sample) {
  if (study.samples->ploidy(sample) != 2) return true;
  for (size_t j = 0; j < study.typed.size(); ++j) {
    if (study.IsUnphased(j, sample) || study.PhaseSet(j, sample) != 0) return false;
  }
  return true;
}

DiploidSample DiploidOf(const WindowStudy& study, size_t sample) {
  DiploidSample result;
  const uint32_t first = study.samples->first_haplotype[sample];
  std::vector<std::optional<uint32_t>> sets;  // [hets]
  for (size_t j = 0; j < study.typed.size(); ++j) {
    std::array<uint8_t, 2> alleles{(*study.rows[j])[first], (*study.rows[j])[first + 1]};
    const bool is_het = alleles[0] != alleles[1] && alleles[0] != kMissingAllele && alleles[1] != kMissingAllele;
    // Whatever an earlier window found: a region has the phase of the whole contig, but for the orientation.
    if (is_het && study.IsUnphased(j, sample)) alleles = {0, 1};
    for (size_t c = 0; c < 2; ++c) result.alleles[c].push_back(alleles[c]);
    if (!is_het) continue;
    result.hets.push_back(static_cast<uint32_t>(j));
    sets.push_back(SetOf(study, j, sample));
  }
  KeepSets(sets, result);
  return result;
}

void KeepOrientation(const WindowStudy& study, size_t sample, DiploidSample& phased) {
  const uint32_t first = study.samples->first_haplotype[sample];
  std::ptrdiff_t in_no_set = 0, earlier = 0;  // heterozygotes that agree, less those that do not
  for (size_t h = 0; h < phased.hets.size(); ++h) {
    const uint32_t j = phased.hets[h];
    const std::ptrdiff_t agreement = (*study.rows[j])[first] == phased.alleles[0][j] ? 1 : -1;
    if (!phased.can_flip[h] && study.PhaseSet(j, sample) == 0) {
      in_no_set += agreement;
    } else if (study.phased.Contains(j)) {
      earlier += agreement;
    }
  }
  if ((in_no_set != 0 ? in_no_set : earlier) >= 0) return;
  for (const uint32_t j : phased.hets) std::swap(phased.alleles[0][j], phased.alleles[1][j]);
}

}  // namespace haplospin
