#include "genotypes/imputation/stages/phasing/founder_haplotypes.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/random.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Several sets of few founders, each begun from other samples, find more than one set of many.
constexpr size_t kFounders = 12;
constexpr size_t kSets = 4;
constexpr int kRounds = 40;
constexpr size_t kMaxSamples = 1000;   // samples, evenly spaced, from which the founders are estimated
constexpr size_t kBatches = 16;        // of samples whose sums are added in a fixed order
constexpr double kFirstRate = 2;       // switches per cM
constexpr double kShortestGap = 1e-5;  // cM
constexpr float kWrongCall = 1e-3f;    // likelihood of a genotype that was called otherwise
constexpr float kPriorReads = 0.2f;    // weight of the frequency among all samples
constexpr float kLeastFrequency = 1e-3f;
constexpr float kWeight = 4;  // of a set, in draws of the phase

using PerFounder = std::array<float, kFounders>;
using Pairs = std::array<PerFounder, kFounders>;  // [first founder][second founder], symmetric
using Likelihoods = std::array<float, 3>;         // [ALT alleles]

float FounderSum(const PerFounder& row) { return std::accumulate(row.begin(), row.end(), 0.0f); }

PerFounder RowSums(const Pairs& pairs) {
  PerFounder sums;
  std::ranges::transform(pairs, sums.begin(), FounderSum);
  return sums;
}

void ScaleBy(float factor, Pairs& pairs) {
  for (PerFounder& row : pairs) {
    for (float& value : row) value *= factor;
  }
}

void Multiply(const Pairs& one, const Pairs& other, Pairs& product) {
  for (size_t a = 0; a < kFounders; ++a) {
    for (size_t b = 0; b < kFounders; ++b) product[a][b] = one[a][b] * other[a][b];
  }
}

// Returns what a switch of either haplotype with probability t makes of the pairs, of which `sums` are the row sums.
Pairs Moved(const Pairs& pairs, const PerFounder& sums, float t) {
  const float jump = t / kFounders, both = (1 - t) * (1 - t), one = (1 - t) * jump,
              none = jump * jump * FounderSum(sums);
  Pairs moved;
  for (size_t a = 0; a < kFounders; ++a) {
    for (size_t b = 0; b < kFounders; ++b) moved[a][b] = both * pairs[a][b] + one * (sums[a] + sums[b]) + none;
  }
  return moved;
}

// Returns the likelihood of each pair of founders that have ALT with the probabilities `alt`.
Pairs Emissions(const PerFounder& alt, const Likelihoods& l) {
  Pairs emissions;
  for (size_t a = 0; a < kFounders; ++a) {
    const float if_zero = (1 - alt[a]) * l[0] + alt[a] * l[1], if_one = (1 - alt[a]) * l[1] + alt[a] * l[2];
    for (size_t b = 0; b < kFounders; ++b) emissions[a][b] = (1 - alt[b]) * if_zero + alt[b] * if_one;
  }
  return emissions;
}

// Returns the likelihoods of a sample's genotypes: [typed].
std::vector<Likelihoods> AllLikelihoods(const SampleGenotypes& sample) {
  std::vector<Likelihoods> genotypes;
  for (size_t j = 0; j < sample.alleles[0].size(); ++j) {
    const uint8_t first = sample.alleles[0][j], second = sample.ploidy == 1 ? first : sample.alleles[1][j];
    Likelihoods& likelihoods = genotypes.emplace_back(Likelihoods{1, 1, 1});
    if (first == kMissingAllele || second == kMissingAllele) continue;
    likelihoods.fill(kWrongCall);
    likelihoods[size_t{first} + second] = 1;
  }
  for (size_t k = 0; k < sample.missing.size(); ++k) {
    for (size_t alts = 0; alts < 3; ++alts)
      genotypes[sample.missing[k]][alts] = Likelihood(sample.likelihoods[k], alts);
  }
  return genotypes;
}

bool IsUninformative(const Likelihoods& l) { return l[0] == l[2] && (l[1] == l[0] || l[1] < kWrongCall); }

// Sums over samples.
struct Expectations {
  explicit Expectations(size_t markers) : alt(markers), all(markers) {}

  void Add(const Expectations& other) {
    for (size_t j = 0; j < alt.size(); ++j) {
      for (size_t a = 0; a < kFounders; ++a) {
        alt[j][a] += other.alt[j][a];
        all[j][a] += other.all[j][a];
      }
    }
    switches += other.switches;
  }

  std::vector<PerFounder> alt, all;  // [typed][founders] alleles that are ALT, and all alleles that are known
  double switches = 0;               // of the first haplotypes
};

class FounderModel {
 public:
  // `set` is one of kSets.
  FounderModel(std::span<const double> centimorgans, std::span<const std::vector<Likelihoods>> genotypes, size_t set)
      : centimorgans_(centimorgans), genotypes_(genotypes), alt_(centimorgans.size()) {
    Initialize(set);
    for (int round = 0; round < kRounds; ++round) Improve();
    SetSwitches();
  }

  // Draws the founders of both haplotypes of sample s at each marker: [typed].
  std::vector<std::array<size_t, 2>> DrawFounders(size_t s, RandomStream& random) const;

  // Returns the probabilities of one and two ALT alleles of sample s: [typed].
  std::vector<std::array<float, 2>> GenotypeProbabilities(size_t s) const;

  float alt(size_t j, size_t founder) const { return alt_[j][founder]; }

 private:
  void Initialize(size_t set);
  void Improve();
  void SetSwitches();
  std::vector<Pairs> Forward(size_t s) const;
  template <typename Visit>
  double PassBackward(size_t s, Visit visit) const;
  void AddAlleles(size_t j, const Likelihoods& l, const Pairs& pairs, const Pairs& emissions, Expectations& sums) const;
  static double PassInterval(float t, const Pairs& forward, Pairs& backward);
  void AddExpectations(size_t s, Expectations& sums) const;
  size_t num_markers() const { return centimorgans_.size(); }

  const std::span<const double> centimorgans_;
  const std::span<const std::vector<Likelihoods>> genotypes_;  // [samples][typed]
  std::vector<PerFounder> alt_;                                // [typed][founders]
  std::vector<float> frequency_;                               // [typed] of ALT, in all samples
  std::vector<float> switch_;                                  // [typed] probability of a switch before the marker
  double rate_ = kFirstRate;                                   // switches per cM
};

// The first founders are samples at even distances, others in each set: the mean number of ALT alleles by their
// likelihoods.
void FounderModel::Initialize(size_t set) {
  const size_t samples = genotypes_.size();
  for (size_t j = 0; j < num_markers(); ++j) {
    float sum = 0.5f, count = 1;
    const auto alt_of = [&](const Likelihoods& l) { return (0.5f * l[1] + l[2]) / (l[0] + l[1] + l[2]); };
    for (const std::vector<Likelihoods>& genotypes : genotypes_) {
      if (IsUninformative(genotypes[j])) continue;
      sum += alt_of(genotypes[j]);
      ++count;
    }
    const float frequency = frequency_.emplace_back(sum / count);
    for (size_t a = 0; a < kFounders; ++a) {
      const Likelihoods& l = genotypes_[(a * kSets + set) * samples / (kFounders * kSets)][j];
      alt_[j][a] = std::clamp(IsUninformative(l) ? frequency : 0.5f * (frequency + alt_of(l)), kLeastFrequency,
                              1 - kLeastFrequency);
    }
  }
}

void FounderModel::SetSwitches() {
  switch_.assign(num_markers(), 0);
  for (size_t j = 1; j < num_markers(); ++j) {
    const double gap = std::max(centimorgans_[j] - centimorgans_[j - 1], kShortestGap);
    switch_[j] = static_cast<float>(-std::expm1(-rate_ * gap));
  }
}

void FounderModel::Improve() {
  SetSwitches();
  const size_t samples = std::min(kMaxSamples, genotypes_.size());
  std::vector<Expectations> batches(kBatches, Expectations(num_markers()));
  tbb::parallel_for(size_t{0}, kBatches, [&](size_t batch) {
    for (size_t k = batch; k < samples; k += kBatches) AddExpectations(k * genotypes_.size() / samples, batches[batch]);
  });
  for (size_t batch = 1; batch < kBatches; ++batch) batches[0].Add(batches[batch]);
  const Expectations& sums = batches[0];
  for (size_t j = 0; j < num_markers(); ++j) {
    for (size_t a = 0; a < kFounders; ++a) {
      const float alt = (sums.alt[j][a] + kPriorReads * frequency_[j]) / (sums.all[j][a] + kPriorReads);
      alt_[j][a] = std::clamp(alt, kLeastFrequency, 1 - kLeastFrequency);
    }
  }
  const double length = std::max(centimorgans_.back() - centimorgans_.front(), kShortestGap);
  rate_ = std::max(sums.switches, 1.0) / (length * static_cast<double>(samples));
}

// Returns the probabilities of the founders of a sample given its genotypes up to each marker: [typed].
std::vector<Pairs> FounderModel::Forward(size_t s) const {
  std::vector<Pairs> forward(num_markers());
  for (PerFounder& row : forward[0]) row.fill(1.0f / (kFounders * kFounders));
  for (size_t j = 0; j < num_markers(); ++j) {
    if (j > 0) forward[j] = Moved(forward[j - 1], RowSums(forward[j - 1]), switch_[j]);
    const Likelihoods& l = genotypes_[s][j];
    if (IsUninformative(l)) continue;
    const Pairs emissions = Emissions(alt_[j], l);
    float sum = 0;
    for (size_t a = 0; a < kFounders; ++a) {
      for (size_t b = 0; b < kFounders; ++b) sum += forward[j][a][b] *= emissions[a][b];
    }
    ScaleBy(1 / std::max(sum, 1e-30f), forward[j]);
  }
  return forward;
}

// Passes over the markers backward. At each, it calls visit(j, pairs, emissions) with the probabilities of the pairs of
// founders, up to a factor, given all genotypes. Returns the expected number of switches of the first haplotype.
template <typename Visit>
double FounderModel::PassBackward(size_t s, Visit visit) const {
  const std::vector<Pairs> forward = Forward(s);
  Pairs backward, pairs;
  for (PerFounder& row : backward) row.fill(1);
  double switches = 0;
  for (size_t j = num_markers(); j-- > 0;) {
    const Likelihoods& l = genotypes_[s][j];
    const Pairs emissions = Emissions(alt_[j], l);
    Multiply(forward[j], backward, pairs);
    visit(j, pairs, emissions);
    if (!IsUninformative(l)) Multiply(emissions, backward, backward);
    if (j > 0) switches += PassInterval(switch_[j], forward[j - 1], backward);
  }
  return switches;
}

// Adds what the genotype of a sample at marker j tells of the founders' alleles.
void FounderModel::AddAlleles(size_t j, const Likelihoods& l, const Pairs& pairs, const Pairs& emissions,
                              Expectations& sums) const {
  PerFounder alt{}, all{};
  for (size_t a = 0; a < kFounders; ++a) {
    for (size_t b = 0; b < kFounders; ++b) {
      const float other = alt_[j][b];
      all[a] += pairs[a][b];
      alt[a] += pairs[a][b] * alt_[j][a] * ((1 - other) * l[1] + other * l[2]) / emissions[a][b];
    }
  }
  const float scale = 1 / std::max(FounderSum(all), 1e-30f);
  for (size_t a = 0; a < kFounders; ++a) {
    sums.alt[j][a] += scale * alt[a];
    sums.all[j][a] += scale * all[a];
  }
}

// Passes the interval before a marker backward, where a switch has probability t. Returns the probability that the
// first haplotype switches there.
double FounderModel::PassInterval(float t, const Pairs& forward, Pairs& backward) {
  const PerFounder ahead = RowSums(backward), behind = RowSums(forward);
  const float jump = t / kFounders, total = FounderSum(ahead);
  const float switched =
      jump * ((1 - t) * std::inner_product(ahead.begin(), ahead.end(), behind.begin(), 0.0f) + jump * total);
  backward = Moved(backward, ahead, t);
  float joint = 0;
  for (size_t a = 0; a < kFounders; ++a) {
    joint += std::inner_product(backward[a].begin(), backward[a].end(), forward[a].begin(), 0.0f);
  }
  ScaleBy(1 / std::max(total, 1e-30f), backward);
  return switched / std::max(joint, 1e-30f);
}

void FounderModel::AddExpectations(size_t s, Expectations& sums) const {
  sums.switches += PassBackward(s, [&](size_t j, const Pairs& pairs, const Pairs& emissions) {
    const Likelihoods& l = genotypes_[s][j];
    if (!IsUninformative(l)) AddAlleles(j, l, pairs, emissions, sums);
  });
}

std::vector<std::array<float, 2>> FounderModel::GenotypeProbabilities(size_t s) const {
  std::vector<std::array<float, 2>> genotypes(num_markers());
  PassBackward(s, [&](size_t j, const Pairs& pairs, const Pairs& emissions) {
    const Likelihoods& l = genotypes_[s][j];
    const PerFounder& alt = alt_[j];
    float all = 0, first = 0, both = 0;  // pairs, and those with ALT of the first founder and of both
    for (size_t a = 0; a < kFounders; ++a) {
      for (size_t b = 0; b < kFounders; ++b) {
        const float pair = IsUninformative(l) ? pairs[a][b] : pairs[a][b] / emissions[a][b];
        all += pair;
        first += pair * alt[a];
        both += pair * alt[a] * alt[b];
      }
    }
    const float zero = (all - 2 * first + both) * l[0], one = 2 * (first - both) * l[1], two = both * l[2];
    const float scale = 1 / std::max(zero + one + two, 1e-30f);
    genotypes[j] = {scale * one, scale * two};
  });
  return genotypes;
}

std::vector<std::array<size_t, 2>> FounderModel::DrawFounders(size_t s, RandomStream& random) const {
  const std::vector<Pairs> forward = Forward(s);
  std::vector<std::array<size_t, 2>> founders(num_markers());
  const auto draw_both = [&](size_t j) {
    founders[j][0] = DrawIndex(std::span<const float>(RowSums(forward[j])), random);
    founders[j][1] = DrawIndex(std::span<const float>(forward[j][founders[j][0]]), random);
  };
  draw_both(num_markers() - 1);
  for (size_t j = num_markers() - 1; j-- > 0;) {
    const auto [first, second] = founders[j + 1];
    const float t = switch_[j + 1], jump = t / kFounders;
    const float stay = (1 - t) * (1 - t) * forward[j][first][second];
    const float first_jumps = (1 - t) * jump * FounderSum(forward[j][second]);
    const float second_jumps = (1 - t) * jump * FounderSum(forward[j][first]);
    founders[j] = {first, second};
    switch (DrawIndex(std::span<const float>(std::array{stay, first_jumps, second_jumps, jump * jump}), random)) {
      case 1:
        founders[j][0] = DrawIndex(std::span<const float>(forward[j][second]), random);
        break;
      case 2:
        founders[j][1] = DrawIndex(std::span<const float>(forward[j][first]), random);
        break;
      case 3:
        draw_both(j);
        break;
      default:
        break;  // both stay
    }
  }
  return founders;
}

// Gives the sample the most probable alleles of its founders.
void SetHaplotypes(const FounderModel& model, const std::vector<Likelihoods>& genotypes,
                   std::span<const std::array<size_t, 2>> founders, SampleGenotypes& sample) {
  const auto alleles = [&](size_t j) {
    const float first = model.alt(j, founders[j][0]), second = model.alt(j, founders[j][1]);
    const Likelihoods& l = genotypes[j];
    const std::array weight{(1 - first) * (1 - second) * l[0], (1 - first) * second * l[1], first * (1 - second) * l[1],
                            first * second * l[2]};
    const auto best = static_cast<size_t>(std::ranges::max_element(weight) - weight.begin());
    return std::array{static_cast<uint8_t>(best / 2), static_cast<uint8_t>(best % 2)};
  };
  for (size_t h = 0; h < sample.hets.size(); ++h) {
    const uint32_t j = sample.hets[h];
    const bool alt_is_first = model.alt(j, founders[j][0]) > model.alt(j, founders[j][1]);
    if (sample.IsGiven(h)) continue;
    sample.alleles[0][j] = alt_is_first;
    sample.alleles[1][j] = !alt_is_first;
  }
  for (std::vector<uint8_t>& imputed : sample.imputed) imputed.clear();
  for (const uint32_t j : sample.missing) {
    const std::array<uint8_t, 2> found = alleles(j);
    for (size_t c = 0; c < 2; ++c) {
      const uint8_t known = sample.alleles[c][j];
      sample.imputed[c].push_back((known == kMissingAllele ? found[c] : known) * kCertainAlt);
    }
  }
}

// Adds the probabilities of the genotypes at the missing ones of the sample.
void AddGenotypes(std::span<const std::array<float, 2>> genotypes, const SampleGenotypes& sample,
                  MissingAlleles& average) {
  std::vector<float> alt, both;
  for (const uint32_t j : sample.missing) {
    alt.push_back(0.5f * genotypes[j][0] + genotypes[j][1]);
    both.push_back(genotypes[j][1]);
  }
  average.Add(sample, alt, alt, both, kWeight);
}

}  // namespace

void GuessFromFounders(std::span<const double> centimorgans, std::span<const std::string> names, uint64_t seed,
                       std::span<SampleGenotypes> samples, std::span<MissingAlleles> average) {
  std::vector<std::vector<Likelihoods>> genotypes;
  for (const SampleGenotypes& sample : samples) genotypes.push_back(AllLikelihoods(sample));
  for (size_t set = 0; set < kSets; ++set) {
    const FounderModel model(centimorgans, genotypes, set);
    tbb::parallel_for(size_t{0}, samples.size(), [&](size_t s) {
      AddGenotypes(model.GenotypeProbabilities(s), samples[s], average[s]);
      if (set > 0) return;
      RandomStream random(seed, {HashName(names[s]), 2000});
      SetHaplotypes(model, genotypes[s], model.DrawFounders(s, random), samples[s]);
    });
  }
}

}  // namespace haplospin
