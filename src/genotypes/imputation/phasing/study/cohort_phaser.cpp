#include "genotypes/imputation/phasing/study/cohort_phaser.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "genotypes/imputation/phasing/study/hidden_genotypes.h"
#include "genotypes/imputation/phasing/study/rare_alleles.h"
#include "genotypes/imputation/phasing/study/scaffold.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Frequent alleles have kFrequentCopies copies or, in a small study, a share of kFrequentShare; in a large one,
// kFrequentShareOfMany.
constexpr double kFrequentCopies = 6, kFrequentShare = 0.006, kFrequentShareOfMany = 0.002;
constexpr size_t kSharedCopies = 2;  // of an allele that several people may share
constexpr double kMaxMissingShareOfChains = 0.4;

size_t CopiesOfFrequent(const WindowStudy& study) {
  const auto haplotypes = static_cast<double>(study.samples->num_haplotypes());
  const double copies =
      std::max(std::min(kFrequentCopies, kFrequentShare * haplotypes), kFrequentShareOfMany * haplotypes);
  return std::max(kSharedCopies, static_cast<size_t>(copies));
}

// Returns whether a genotype is neither called nor missing.
bool HasUncertainGenotypes(const WindowStudy& study) {
  for (size_t j = 0; j < study.typed.size(); ++j) {
    if (!study.HasLikelihoods(j)) continue;
    for (size_t s = 0; s < study.samples->num_samples(); ++s) {
      const bool is_called = (*study.rows[j])[study.samples->first_haplotype[s]] != kMissingAllele;
      if (!is_called && !study.Likelihoods(j, s).IsFlat()) return true;
    }
  }
  return false;
}

// Two chains make different errors, so that the mean of their draws has fewer than one chain of twice the rounds. If
// about half of the alleles are missing, one chain needs all rounds; among many samples and with likelihoods there is
// one too (benchmarks/phasing/LOG.md).
size_t NumChains(bool has_likelihoods, size_t samples, double missing_share) {
  return has_likelihoods || samples >= kManySamples || missing_share > kMaxMissingShareOfChains ? 1 : 2;
}

std::vector<SampleGenotypes> PlacedGenotypes(std::span<const PlacedSample> placed) {
  std::vector<SampleGenotypes> samples;
  samples.reserve(placed.size());
  for (const PlacedSample& sample : placed) samples.push_back(sample.sample);
  return samples;
}

// Returns the probabilities of ALT at all missing genotypes of a sample: those of `draws` at `markers`, which has the
// missing genotypes of `scaffold`, and frequencies elsewhere.
std::array<std::vector<float>, 2> AltAtAllMarkers(const PhasePosterior& draws, const SampleGenotypes& scaffold,
                                                  std::span<const uint32_t> markers, const SampleGenotypes& sample,
                                                  std::span<const float> frequency) {
  std::array<std::vector<float>, 2> all;
  size_t next = 0;  // missing genotype of the scaffold
  for (const uint32_t j : sample.missing) {
    const bool is_common = next < scaffold.missing.size() && markers[scaffold.missing[next]] == j;
    for (size_t c = 0; c < 2; ++c) all[c].push_back(is_common ? draws.alt[c][next] : frequency[j]);
    next += is_common ? 1 : 0;
  }
  return all;
}

// Returns the draws of a sample at all markers from those at `markers`, where its phase is that of `scaffold`. A rare
// allele goes with the heterozygote of the scaffold before it.
PhasePosterior PosteriorAtAllMarkers(const PhasePosterior& draws, const SampleGenotypes& scaffold,
                                     std::span<const uint32_t> markers, const PlacedSample& placed,
                                     std::span<const float> frequency) {
  const std::vector<bool> cis = CisPhase(placed.sample), scaffold_cis = CisPhase(scaffold);
  PhasePosterior all{.cis_probability = std::vector<float>(cis.size()),
                     .cis = std::vector<std::vector<bool>>(draws.cis.size(), cis),
                     .alt = AltAtAllMarkers(draws, scaffold, markers, placed.sample, frequency)};
  size_t next = 0;  // heterozygote of the scaffold
  for (size_t h = 0; h < cis.size(); ++h) {
    const bool is_common = next < scaffold.hets.size() && markers[scaffold.hets[next]] == placed.sample.hets[h];
    // The probability that both heterozygotes have the right phase relative to each other.
    float right = h == 0 ? 1
                         : placed.certainty[h] * placed.certainty[h - 1] +
                               (1 - placed.certainty[h]) * (1 - placed.certainty[h - 1]);
    if (is_common && next > 0) {
      const float p = scaffold_cis[next] ? draws.cis_probability[next] : 1 - draws.cis_probability[next];
      right = right * p + (1 - right) * (1 - p);
      for (size_t d = 0; d < draws.cis.size(); ++d) {
        if (draws.cis[d][next] != scaffold_cis[next]) all.cis[d][h] = !cis[h];
      }
    }
    next += is_common ? 1 : 0;
    if (h > 0) all.cis_probability[h] = cis[h] ? right : 1 - right;
  }
  return all;
}

}  // namespace

PhasedSamples PhaseCohort(const PanelWindow& window, const WindowStudy& study, uint64_t seed, double work,
                          std::span<const size_t> index, const SampleRange& sources) {
  // With likelihoods, all markers take part at once: those genotypes that are certain by few reads are heterozygotes,
  // so that they tell nothing of the copies of an allele.
  const bool counts_copies = !HasUncertainGenotypes(study);
  const HiddenGenotypes hidden(study, counts_copies ? index : std::span<const size_t>(), seed);
  const Scaffold shared(window, hidden.study(), counts_copies ? kSharedCopies : 0);
  const Scaffold frequent(shared.window, shared.study, counts_copies ? CopiesOfFrequent(study) : 0);
  const std::vector<size_t> indices(index.begin(), index.end());
  const auto unphased = [&] { return ReadGenotypes(frequent.study, index, /*imputes_missing=*/true); };
  const double missing_share = MissingShare(frequent.study, unphased(), sources);
  PhasingChain chain{0, NumChains(!counts_copies, sources.end - sources.begin, missing_share)};
  std::optional<WindowPhaser> phaser;
  std::vector<PhaseDraws> draws;
  for (; chain.index < chain.count; ++chain.index) {
    phaser.emplace(frequent.window, std::nullopt, frequent.study, seed, work, unphased(), indices, sources, chain);
    phaser->FindPhase();
    if (frequent.markers.size() < shared.markers.size()) {
      std::vector<SampleGenotypes> start =
          PlacedGenotypes(PlaceRareAlleles(shared.study, frequent, *phaser, index, sources));
      phaser.emplace(shared.window, std::nullopt, shared.study, seed, work, std::move(start), indices, sources, chain);
    }
    phaser->Draw(draws);
  }
  std::vector<PhasePosterior> posterior = phaser->SetMostProbable(std::move(draws));
  std::vector<SampleGenotypes> samples = phaser->samples();
  const double power = hidden.OddsPower(shared.markers, samples, posterior);
  for (PhasePosterior& sample : posterior) SharpenOdds(power, sample);
  if (shared.markers.size() < study.typed.size()) {
    const std::vector<PlacedSample> placed = PlaceRareAlleles(hidden.study(), shared, *phaser, index, sources);
    const std::vector<float> frequency = AltFrequencies(hidden.study());
    samples = PlacedGenotypes(placed);
    for (size_t k = 0; k < placed.size(); ++k) {
      posterior[k] = PosteriorAtAllMarkers(posterior[k], phaser->samples()[k], shared.markers, placed[k], frequency);
    }
  }
  hidden.Restore(posterior, samples);
  CopyingModel model = phaser->model();
  return {std::move(samples), std::move(posterior), std::move(model), phaser->TakeReference()};
}

}  // namespace haplospin
