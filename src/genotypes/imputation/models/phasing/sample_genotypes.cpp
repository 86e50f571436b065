#include "genotypes/imputation/models/phasing/sample_genotypes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Returns the phase set of a heterozygote, 0 if it is phased in no set, or nullopt if it is not phased.
std::optional<uint32_t> HetPhaseSet(const WindowStudy& study, size_t j, size_t sample) {
  return study.row(j).IsUnphased(sample) ? std::nullopt : std::optional(study.row(j).PhaseSet(sample));
}

// Sets `given` and `continues_set` from the phase sets of the heterozygotes [hets]. A set that begins inside another
// one begins after it instead. A set of one heterozygote tells nothing, unless it is phased in no set: this gives the
// order of the haplotypes.
void KeepSets(const std::vector<std::optional<uint32_t>>& sets, SampleGenotypes& sample) {
  std::unordered_map<uint32_t, size_t> last;  // the last heterozygote of each set
  for (size_t h = 0; h < sets.size(); ++h) {
    if (sets[h]) last[*sets[h]] = h;
  }
  if (last.empty()) return;
  sample.given.assign(sets.size(), kMissingAllele);
  sample.continues_set.assign(sets.size(), false);
  for (size_t h = 0; h < sets.size(); ++h) {
    if (!sets[h] || (sets[h] != 0u && last[*sets[h]] == h)) continue;
    const uint32_t set = *sets[h];
    const size_t end = last[set];
    for (size_t k = h; k <= end; ++k) {
      if (sets[k] == set) sample.given[k] = sample.alleles[0][sample.hets[k]];
      sample.continues_set[k] = k < end;
    }
    h = end;
  }
}

}  // namespace

float Likelihood(const GenotypeLikelihoods& genotype, size_t alts) {
  static const auto table = [] {
    std::array<float, 256> likelihoods{};
    for (size_t i = 0; i < likelihoods.size(); ++i) likelihoods[i] = std::pow(10.0f, -0.1f * static_cast<float>(i));
    return likelihoods;
  }();
  return table[genotype.phred[alts]];
}

size_t SampleGenotypes::CountKnown() const {
  const auto flat = std::ranges::count_if(likelihoods, [](const auto& genotype) { return genotype.IsFlat(); });
  return alleles[0].size() - static_cast<size_t>(flat);
}

std::vector<uint8_t> ImputedAlleles(const SampleGenotypes& sample, size_t c) {
  std::vector<uint8_t> alleles = sample.alleles[c];
  for (size_t k = 0; k < sample.imputed[c].size(); ++k)
    alleles[sample.missing[k]] = sample.imputed[c][k] > kCertainAlt / 2 ? 1 : 0;
  return alleles;
}

std::vector<bool> CisPhase(const SampleGenotypes& sample) {
  std::vector<bool> cis(sample.hets.size());
  for (size_t h = 1; h < cis.size(); ++h) {
    cis[h] = sample.alleles[0][sample.hets[h]] == sample.alleles[0][sample.hets[h - 1]];
  }
  return cis;
}

void SetCis(const std::vector<bool>& cis, SampleGenotypes& sample) {
  for (size_t h = 1; h < sample.hets.size(); ++h) {
    uint8_t& first = sample.alleles[0][sample.hets[h]];
    uint8_t& second = sample.alleles[1][sample.hets[h]];
    if ((first == sample.alleles[0][sample.hets[h - 1]]) != cis[h]) std::swap(first, second);
  }
}

bool HasPhase(const WindowStudy& study, size_t sample) {
  if (study.samples().ploidy(sample) != 2) return true;
  for (size_t j = 0; j < study.num_typed(); ++j) {
    if (study.row(j).IsUnphased(sample) || study.row(j).PhaseSet(sample) != 0) return false;
  }
  return true;
}

bool HasMissing(const WindowStudy& study, size_t sample) {
  for (size_t j = 0; j < study.num_typed(); ++j) {
    if (HasMissing(study.Genotype(j, sample))) return true;
  }
  return false;
}

bool IsIncomplete(const SampleGenotypes& sample) {
  return static_cast<double>(sample.missing.size()) >= kIncompleteShare * static_cast<double>(sample.alleles[0].size());
}

std::vector<bool> PassiveGenotypes(const SampleGenotypes& sample, std::span<const float> alt_frequency,
                                   float min_frequency) {
  std::vector<bool> is_passive(sample.missing.size());
  for (size_t k = 0; k < is_passive.size(); ++k) {
    const float alt = alt_frequency[sample.missing[k]];
    const GenotypeLikelihoods& genotype = sample.likelihoods[k];
    const bool is_major = genotype.phred[alt > 0.5f ? 2 : 0] == 0;
    is_passive[k] = genotype.IsFlat() || (std::min(alt, 1 - alt) < min_frequency && is_major);
  }
  return is_passive;
}

SampleGenotypes ReadGenotypes(const WindowStudy& study, size_t sample, bool imputes_missing) {
  SampleGenotypes result{.ploidy = static_cast<uint32_t>(study.samples().ploidy(sample))};
  const uint32_t first = study.samples().first_haplotype[sample];
  const bool is_haploid = result.ploidy == 1;
  std::vector<std::optional<uint32_t>> sets;  // [hets]
  for (size_t j = 0; j < study.num_typed(); ++j) {
    const std::vector<uint8_t>& row = study.alleles(j);
    std::array<uint8_t, 2> alleles{row[first], is_haploid ? kMissingAllele : row[first + 1]};
    const bool is_missing = alleles[0] == kMissingAllele || (alleles[1] == kMissingAllele && !is_haploid);
    const bool is_het = alleles[0] != alleles[1] && !is_missing && !is_haploid;
    // The order that an earlier window found is not used, so that a region is phased like the whole contig.
    if (is_het && study.row(j).IsUnphased(sample)) alleles = {0, 1};
    for (size_t c = 0; c < 2; ++c) result.alleles[c].push_back(alleles[c]);
    if (is_missing && imputes_missing) {
      result.missing.push_back(static_cast<uint32_t>(j));
      result.likelihoods.push_back(study.row(j).Likelihoods(sample));
    }
    if (!is_het) continue;
    result.hets.push_back(static_cast<uint32_t>(j));
    sets.push_back(HetPhaseSet(study, j, sample));
  }
  KeepSets(sets, result);
  return result;
}

std::vector<SampleGenotypes> ReadGenotypes(const WindowStudy& study, std::span<const size_t> samples,
                                           bool imputes_missing) {
  std::vector<SampleGenotypes> result;
  result.reserve(samples.size());
  for (const size_t s : samples) result.push_back(ReadGenotypes(study, s, imputes_missing));
  return result;
}

bool KeepOrientation(const WindowStudy& study, size_t sample, SampleGenotypes& phased) {
  const uint32_t first = study.samples().first_haplotype[sample];
  std::ptrdiff_t in_no_set = 0, earlier = 0;  // heterozygotes that agree minus those that do not
  for (size_t h = 0; h < phased.hets.size(); ++h) {
    const uint32_t j = phased.hets[h];
    const std::ptrdiff_t agreement = study.alleles(j)[first] == phased.alleles[0][j] ? 1 : -1;
    if (phased.IsGiven(h) && study.row(j).PhaseSet(sample) == 0) {
      in_no_set += agreement;
    } else if (study.phased().Contains(study.typed()[j])) {
      earlier += agreement;
    }
  }
  if ((in_no_set != 0 ? in_no_set : earlier) >= 0) return false;
  std::swap(phased.alleles[0], phased.alleles[1]);
  std::swap(phased.imputed[0], phased.imputed[1]);
  return true;
}

}  // namespace haplospin
