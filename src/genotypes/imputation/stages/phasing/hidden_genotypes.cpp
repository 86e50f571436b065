#include "genotypes/imputation/stages/phasing/hidden_genotypes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/random.h"

namespace haplospin {
namespace {

// Where fewer alleles are missing, their probabilities are right, and hiding genotypes makes more of them wrong.
constexpr double kMinMissingShare = 0.6;

// At most kMaxHiddenGenotypes genotypes are hidden in a window and, at a marker, one or a share of those that are
// called.
constexpr size_t kMaxHiddenGenotypes = 4000;
constexpr double kHiddenShare = 0.01;
constexpr uint64_t kHiddenKey = 54;  // of the random stream that chooses them

// Powers that are tried, and the standard deviation of their logarithm before anything is known.
constexpr double kMinPower = 0.25, kMaxPower = 3;
constexpr int kPowers = 60;
constexpr double kPriorDeviation = 0.3;

constexpr float kLeastAlleleProbability = 1e-6f;

float WithPower(double power, float probability) {
  const double p = std::clamp(probability, kLeastAlleleProbability, 1 - kLeastAlleleProbability);
  return static_cast<float>(1 / (1 + std::pow((1 - p) / p, power)));
}

// A hidden genotype with a number of ALT alleles, and the probabilities of ALT that were imputed.
struct Imputed {
  std::array<float, 2> alt;  // [haplotype]
  size_t alts;
};

double LogProbability(const Imputed& genotype, double power) {
  const double first = WithPower(power, genotype.alt[0]), second = WithPower(power, genotype.alt[1]);
  const std::array<double, 3> probability{(1 - first) * (1 - second), first * (1 - second) + second * (1 - first),
                                          first * second};
  return std::log(std::max<double>(probability[genotype.alts], kLeastAlleleProbability));
}

// Returns the place of marker j among the missing genotypes of a sample.
size_t MissingIndex(const SampleGenotypes& sample, uint32_t j) {
  return static_cast<size_t>(std::ranges::lower_bound(sample.missing, j) - sample.missing.begin());
}

// Returns the alleles of a diploid sample at a typed marker.
std::array<uint8_t, 2> CalledAlleles(const WindowStudy& study, size_t j, size_t sample) {
  const uint32_t first = study.samples().first_haplotype[sample];
  return {study.alleles(j)[first], study.alleles(j)[first + 1]};
}

// Returns whether a sample is diploid and either all or none of its heterozygotes have a phase, without sets. Then a
// hidden genotype can be given back whatever the phase of others becomes.
bool CanBeHidden(const WindowStudy& study, size_t sample) {
  if (study.samples().ploidy(sample) != 2) return false;
  bool has_phased = false, has_unphased = false;
  for (size_t j = 0; j < study.num_typed(); ++j) {
    if (study.row(j).PhaseSet(sample) != 0) return false;
    const auto [first, second] = CalledAlleles(study, j, sample);
    if (first != second) (study.row(j).IsUnphased(sample) ? has_unphased : has_phased) = true;
  }
  return !has_phased || !has_unphased;
}

}  // namespace

HiddenGenotypes::HiddenGenotypes(const WindowStudy& study, std::span<const size_t> index, uint64_t seed)
    : with_gaps_(study) {
  std::vector<size_t> places;  // of `index`
  for (size_t k = 0; k < index.size(); ++k) {
    if (CanBeHidden(study, index[k])) places.push_back(k);
  }
  size_t called = 0;
  for (size_t j = 0; j < study.num_typed(); ++j) {
    called += static_cast<size_t>(
        std::ranges::count_if(places, [&](size_t k) { return !HasMissing(study.Genotype(j, index[k])); }));
  }
  const size_t markers = study.num_typed();
  const auto all = static_cast<double>(places.size() * markers), share = static_cast<double>(called) / all;
  if (called == 0 || share > 1 - kMinMissingShare) return;
  const auto at_marker = static_cast<size_t>(std::max(1.0, kHiddenShare * share * static_cast<double>(places.size())));
  const size_t with_hidden = std::min(markers, kMaxHiddenGenotypes / at_marker);
  RandomStream random(seed, {kHiddenKey});
  std::vector<std::pair<uint32_t, const GenotypeRow*>> changed;
  for (size_t i = 0; i < with_hidden; ++i) {
    const size_t j = i * markers / with_hidden;
    random.Shuffle(std::span(places));
    Hide(study, j, at_marker, index, places);
    changed.emplace_back(static_cast<uint32_t>(j), &rows_.back());
  }
  with_gaps_ = study.WithRows(changed);
}

// Hides the first `count` called genotypes of a marker in the order of `places`.
void HiddenGenotypes::Hide(const WindowStudy& study, size_t j, size_t count, std::span<const size_t> index,
                           std::span<const size_t> places) {
  std::vector<uint8_t>& row = rows_.emplace_back(study.row(j)).alleles;
  for (const size_t k : places) {
    if (count == 0) break;
    if (HasMissing(study.Genotype(j, index[k]))) continue;
    hidden_.push_back(
        {k, static_cast<uint32_t>(j), CalledAlleles(study, j, index[k]), study.row(j).IsUnphased(index[k])});
    const uint32_t first = study.samples().first_haplotype[index[k]];
    row[first] = row[first + 1] = kMissingAllele;
    --count;
  }
}

double HiddenGenotypes::OddsPower(std::span<const uint32_t> markers, std::span<const SampleGenotypes> samples,
                                  std::span<const PhasePosterior> draws) const {
  std::vector<Imputed> imputed;
  for (const Hidden& genotype : hidden_) {
    const auto marker = std::ranges::lower_bound(markers, genotype.marker);
    if (marker == markers.end() || *marker != genotype.marker) continue;
    const size_t place = MissingIndex(samples[genotype.k], static_cast<uint32_t>(marker - markers.begin()));
    const std::array<std::vector<float>, 2>& alt = draws[genotype.k].alt;
    imputed.push_back({{alt[0][place], alt[1][place]}, size_t{genotype.alleles[0]} + genotype.alleles[1]});
  }
  if (imputed.empty()) return 1;
  double best = 1, best_score = -INFINITY;
  for (int i = 0; i <= kPowers; ++i) {
    const double log_power = std::lerp(std::log(kMinPower), std::log(kMaxPower), static_cast<double>(i) / kPowers);
    double score = -0.5 * std::pow(log_power / kPriorDeviation, 2);
    for (const Imputed& genotype : imputed) score += LogProbability(genotype, std::exp(log_power));
    if (score <= best_score) continue;
    best_score = score;
    best = std::exp(log_power);
  }
  return best;
}

void HiddenGenotypes::Restore(std::span<PhasePosterior> draws, std::span<SampleGenotypes> samples) const {
  const auto erase = [](size_t place, auto& values) {
    if (place < values.size()) values.erase(values.begin() + static_cast<std::ptrdiff_t>(place));
  };
  for (const Hidden& genotype : hidden_) {
    SampleGenotypes& sample = samples[genotype.k];
    std::array<std::vector<float>, 2>& alt = draws[genotype.k].alt;
    const size_t place = MissingIndex(sample, genotype.marker);
    const bool alt_is_second = alt[0][place] < alt[1][place];
    const bool exchanges = genotype.is_unphased && (genotype.alleles[0] < genotype.alleles[1]) != alt_is_second;
    erase(place, sample.missing);
    erase(place, sample.likelihoods);
    for (size_t c = 0; c < 2; ++c) {
      sample.alleles[c][genotype.marker] = genotype.alleles[exchanges ? 1 - c : c];
      erase(place, sample.imputed[c]);
      erase(place, alt[c]);
    }
  }
}

void SharpenOdds(double power, PhasePosterior& draws) {
  if (power == 1) return;
  for (std::vector<float>& probabilities : draws.alt) {
    for (float& probability : probabilities) probability = WithPower(power, probability);
  }
}

}  // namespace haplospin
