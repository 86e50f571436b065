#include "genotypes/imputation/models/phasing/pair_sampler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "genotypes/genomics/bits.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr size_t kNoHet = SIZE_MAX;
constexpr std::array<std::array<float, 2>, 2> kNothingKnown{{{1, 1}, {1, 1}}};  // of the alleles of both haplotypes

}  // namespace

void PairSampler::Start(PhasingStates& states, const CopyingModel& model, SampleGenotypes& sample, First first) {
  HS_ASSERT(states.size() > 0 && sample.alleles[0].size() == model.switch_probability.size() + 1);
  states_ = &states;
  model_ = &model;
  sample_ = &sample;
  state_.inverse_prior.resize(states.size());
  for (size_t s = 0; s < states.size(); ++s) state_.inverse_prior[s] = 1 / states.prior[s];
  for (size_t c = 0; c < 2; ++c) {
    state_.value[c].resize(states.size());
    weight_[c].assign(64 * WordsOf(states.size()), 0);
  }
  cis_probability_.assign(sample.hets.size(), 0);
  for (std::vector<float>& probability : alt_probability_) probability.assign(sample.missing.size(), 0);
  both_probability_.assign(sample.missing.size(), 0);
  has_passive_ = !sample.is_passive.empty();
  stops_.Find(sample, model.switch_probability, states);
  if (stops_.HaveSparse()) sparse_.Start(stops_, states, state_);
  stored_.resize(2 * stops_.num_stored * states.size());
  given_.Start(sample);
  alts_.Read(stops_, states, sample);
  next_change_ = 0;
  is_forward_ = true;
  ApplyChanges(sample.alleles[0].size() - 1);
  is_forward_ = false;
  Traverse([&](const Stop& stop, float switching, bool swapped) {
    StepAndStore(stop, switching);
    if (stop.kind == Stop::Kind::kMissing) {
      PassFirst(stop);
    } else {
      LeaveStop(stop, first == First::kPresentPhase ? KnownAt(stop.marker) : kNothingKnown);
    }
    return swapped;
  });
  is_forward_ = true;
}

void PairSampler::Sweep(Choice choice, RandomStream& random) {
  size_t previous = kNoHet;
  Traverse([&](const Stop& stop, float switching, bool swapped) {
    if (stop.kind == Stop::Kind::kMissing) return PassUncertain(stop, switching, previous, swapped, choice, random);
    swapped = PassHet(stop, switching, previous, swapped, choice, random);
    previous = stop.index;
    return swapped;
  });
  is_forward_ = !is_forward_;
}

// Passes over the stops and calls visit(stop, switching, swapped) at each where something is drawn, which moves the
// states to it and past what is known of its alleles. `switching` is the probability of a switch since the stop before.
// The call may change the alleles; it returns whether the haplotypes ahead are to be swapped, relative to the sample as
// it was.
template <typename Visit>
void PairSampler::Traverse(Visit visit) {
  const size_t n = states_->size();
  for (Floats& state : state_.value) {
    for (size_t s = 0; s < n; ++s) state[s] = states_->prior[s] / static_cast<float>(n);
  }
  SetSums({1, 1});  // approximate: the priors of composites need not add up to the number of states
  if (stops_.HaveSparse()) sparse_.Begin();
  bool swapped = false;
  for (size_t i = 0; i < stops_.stops.size(); ++i) {
    const Stop& stop = stops_.stops[is_forward_ ? i : stops_.stops.size() - 1 - i];
    const float switching = i == 0        ? 0.0f
                            : is_forward_ ? stop.switching
                                          : stops_.stops[stops_.stops.size() - i].switching;
    ApplyChanges(stop.marker);
    if (swapped) std::swap(sample_->alleles[0][stop.marker], sample_->alleles[1][stop.marker]);
    if (stop.kind == Stop::Kind::kGap) {
      PassGap(stop, switching, swapped);
    } else if (DrawsAt(stop)) {
      swapped = visit(stop, switching, swapped);
    } else {
      Step(stop, switching, KnownAt(stop.marker));
      if (stop.kind == Stop::Kind::kMissing) PassMissing(stop, swapped);
    }
  }
}

// Returns whether the phase of a heterozygote, or alleles, are drawn at a stop.
bool PairSampler::DrawsAt(const Stop& stop) const {
  return stop.kind == Stop::Kind::kHet || (stop.kind == Stop::Kind::kMissing && IsInformative(*sample_, stop.index));
}

// Returns what is known of the present alleles at a marker.
PairSampler::Emissions PairSampler::KnownAt(size_t j) const {
  const float mismatch = model_->mismatch_probability;
  return {EmissionOfAllele(sample_->alleles[0][j], mismatch), EmissionOfAllele(sample_->alleles[1][j], mismatch)};
}

// Returns what likelihoods tell of each haplotype if the other one has ALT with these probabilities.
PairSampler::Emissions PairSampler::GivenOther(const PairLikelihoods& likelihoods,
                                               const std::array<float, 2>& other_alt) const {
  const float mismatch = model_->mismatch_probability;
  return {EmissionOfLikelihoods(likelihoods, 0, other_alt[0], mismatch),
          EmissionOfLikelihoods(likelihoods, 1, other_alt[1], mismatch)};
}

PairStep PairSampler::MakeStep(float switching, const Emissions& emissions) {
  PairStep step;
  step.jump = switching / static_cast<float>(states_->size());
  for (size_t c = 0; c < 2; ++c) {
    step.keep[c] = (1 - switching) / state_.sums[c];
    step.if_zero[c] = emissions[c][0];
    step.if_one[c] = emissions[c][1];
  }
  if (stops_.HaveSparse()) sparse_.Prepare(step);
  return step;
}

// Moves the states to a stop and past what is known of its alleles.
void PairSampler::Step(const Stop& stop, float switching, const Emissions& emissions) {
  if (stop.is_sparse) {
    sparse_.MoveTo(stop, switching);
    return sparse_.Leave(stop, emissions);
  }
  if (stops_.HaveSparse()) sparse_.PassKnown(stop);
  const float* const in[2] = {state_.value[0].data(), state_.value[1].data()};
  float* const out[2] = {state_.value[0].data(), state_.value[1].data()};
  SetSums(RunPairStep(MakeStep(switching, emissions), states_->at(stop.marker), states_->prior.data(), states_->size(),
                      in, out));
  if (stops_.HaveSparse()) sparse_.SetPassed(stop, emissions, {1, 1});
}

// Moves the states to a stop, where they are stored. LeaveStop() must follow.
void PairSampler::StepAndStore(const Stop& stop, float switching) {
  if (stop.is_sparse) {
    sparse_.MoveTo(stop, switching);
    return sparse_.Store(stop);
  }
  if (stops_.HaveSparse()) sparse_.PassKnown(stop);
  const float* const in[2] = {state_.value[0].data(), state_.value[1].data()};
  float* const out[2] = {Stored(stop.place, 0), Stored(stop.place, 1)};
  SetSums(RunPairStep(MakeStep(switching, kNothingKnown), states_->at(stop.marker), states_->prior.data(),
                      states_->size(), in, out));
  if (stops_.HaveSparse()) sparse_.SetPassed(stop, kNothingKnown, {1, 1});
}

// Moves the states to a stop, where they replace the stored ones, and joins them with these. LeaveStop() must follow.
Continuations PairSampler::StepAndJoin(const Stop& stop, float switching, bool swapped) {
  if (stop.is_sparse) {
    sparse_.MoveTo(stop, switching);
    return sparse_.Join(stop, swapped);
  }
  KeepAhead(stop);
  const float* const in[2] = {state_.value[0].data(), state_.value[1].data()};
  const float* const ahead[2] = {Stored(stop.place, swapped), Stored(stop.place, !swapped)};
  float* const out[2] = {Stored(stop.place, 0), Stored(stop.place, 1)};
  const JoiningStep joined =
      RunJoiningStep(MakeStep(switching, kNothingKnown), states_->at(stop.marker), states_->prior.data(),
                     state_.inverse_prior.data(), states_->size(), in, out, ahead);
  SetSums(joined.sums);
  if (stops_.HaveSparse()) sparse_.SetJoined(joined.continuations, swapped);
  return joined.continuations;
}

// Moves the stored states of a stop past what is known of its alleles.
void PairSampler::LeaveStop(const Stop& stop, const Emissions& emissions) {
  if (stop.is_sparse) return sparse_.Leave(stop, emissions);
  const std::array<float, 2> before = state_.sums;
  const float* const in[2] = {Stored(stop.place, 0), Stored(stop.place, 1)};
  float* const out[2] = {state_.value[0].data(), state_.value[1].data()};
  SetSums(
      RunPairStep(MakeStep(0, emissions), states_->at(stop.marker), states_->prior.data(), states_->size(), in, out));
  if (stops_.HaveSparse()) sparse_.SetPassed(stop, emissions, before);
}

// Copies the stored states of a stop to ahead_, if the probabilities of states are needed there.
void PairSampler::KeepAhead(const Stop& stop) {
  if (copied_ == nullptr && stop.first_passive == stop.end_passive) return;
  const size_t n = states_->size();
  for (size_t c = 0; c < 2; ++c) ahead_[c].assign(Stored(stop.place, c), Stored(stop.place, c) + n);
}

// Applies the changes of states up to the left end of marker j, or takes back those beyond it.
void PairSampler::ApplyChanges(size_t j) {
  states_->MoveTo(j, is_forward_, next_change_, [&](uint32_t s, float before) {
    state_.inverse_prior[s] = 1 / states_->prior[s];
    if (!is_forward_) {
      for (Floats& state : state_.value) state[s] *= states_->prior[s] / before;
    }
    if (stops_.HaveSparse()) sparse_.ChangePrior(s, before, is_forward_);
  });
}

// Passes a marker with a missing allele, whose states were reached. Backward sweeps store them, forward sweeps use what
// was stored, and where genotypes are passive, each does both: the haplotypes copy the probabilities of the reference,
// as its allele may be missing as well. The allele of one haplotype may be known: it is part of both states, which
// hardly changes the other's.
void PairSampler::PassMissing(const Stop& stop, bool swapped) {
  const size_t k = stop.index;
  if (!is_forward_ && !has_passive_) {
    if (swapped) std::swap(alt_probability_[0][k], alt_probability_[1][k]);
    for (size_t c = 0; c < 2; ++c) std::ranges::copy(state_.value[c], Stored(stop.place, c));
    return;
  }
  const float* const behind[2] = {state_.value[0].data(), state_.value[1].data()};
  const float* const ahead[2] = {Stored(stop.place, swapped), Stored(stop.place, !swapped)};
  const std::array<float, 2> copied =
      CopiedAlt(alts_.At(stop), state_.inverse_prior.data(), states_->size(), behind, ahead);
  for (size_t c = 0; c < 2; ++c) alt_probability_[c][k] = copied[c];
  both_probability_[k] = alt_probability_[0][k] * alt_probability_[1][k];
  if (!has_passive_) return;
  KeepAhead(stop);
  for (size_t c = 0; c < 2; ++c) std::ranges::copy(state_.value[c], Stored(stop.place, c));
  FindPassive(stop, swapped, kNothingKnown);
}

// Passes a gap. Backward sweeps store the states of the stop after it, forward sweeps use what was stored.
void PairSampler::PassGap(const Stop& stop, float switching, bool swapped) {
  if (!is_forward_) {
    for (size_t c = 0; c < 2; ++c) std::ranges::copy(state_.value[c], Stored(stop.place, c));
  }
  Step(stop, switching, kNothingKnown);
  if (!is_forward_) {
    for (size_t k = stop.index; swapped && k < stop.index + stop.count; ++k) {
      std::swap(alt_probability_[0][k], alt_probability_[1][k]);
    }
    return;
  }
  const float* const ahead[2] = {Stored(stop.place, swapped), Stored(stop.place, !swapped)};
  gap_.Impute(stop, *states_, next_change_, *model_, state_, ahead,
              {&alt_probability_[0][stop.index], &alt_probability_[1][stop.index]});
  for (size_t k = stop.index; k < stop.index + stop.count; ++k) {
    both_probability_[k] = alt_probability_[0][k] * alt_probability_[1][k];
  }
}

// Passes a genotype with likelihoods before the first sweep, whose states were reached. Without imputed alleles, the
// other haplotype has ALT as often as the states.
void PairSampler::PassFirst(const Stop& stop) {
  const size_t j = stop.marker, k = stop.index, n = states_->size();
  std::array<float, 2> alt{};
  if (sample_->imputed[0].empty()) {
    size_t ones = 0;
    for (size_t s = 0; s < n; s += 64) ones += static_cast<size_t>(std::popcount(states_->at(j)[s / 64]));
    alt.fill(static_cast<float>(ones) / static_cast<float>(n));
  } else {
    for (size_t c = 0; c < 2; ++c) alt[c] = static_cast<float>(sample_->imputed[c][k]) / kCertainAlt;
  }
  const PairLikelihoods likelihoods = ReadLikelihoods(*sample_, k);
  LeaveStop(stop, GivenOther(likelihoods, {alt[1], alt[0]}));
}

// Passes a heterozygote: draws its phase, and whether the haplotypes ahead are exchanged. `previous` is the
// heterozygote before it. Returns whether the haplotypes ahead are swapped.
bool PairSampler::PassHet(const Stop& stop, float switching, size_t previous, bool swapped, Choice choice,
                          RandomStream& random) {
  const size_t het = stop.index;
  const Continuations sums = StepAndJoin(stop, switching, swapped);
  if (copied_ != nullptr) Count(stop, swapped, sums);
  const Turn turn = Choose(het, swapped, sums, choice, random);
  uint8_t& first = sample_->alleles[0][stop.marker];
  uint8_t& second = sample_->alleles[1][stop.marker];
  if (previous != kNoHet) {
    const bool is_cis = first == sample_->alleles[0][sample_->hets[previous]];
    cis_probability_[std::max(het, previous)] =
        static_cast<float>(is_cis ? 1 - turn.flip_probability : turn.flip_probability);
  }
  if (turn.flip) std::swap(first, second);
  const bool swaps = swapped != turn.swap;
  const Emissions emissions = KnownAt(stop.marker);
  FindPassive(stop, swaps, emissions);
  LeaveStop(stop, emissions);
  return swaps;
}

// Passes a genotype with likelihoods: draws its alleles, and whether the haplotypes ahead are exchanged. What is known
// of a haplotype is the likelihood given the allele of the other one. Returns whether the haplotypes ahead are swapped.
//
// The states of each haplotype take the reads to be its own as far as the other one has not their allele. So a read may
// count for both, and these are not quite draws from the posterior. Exact ones stay longer with a wrong guess, so that
// their average over few sweeps has more errors (benchmarks/lowcoverage/LOG.md).
bool PairSampler::PassUncertain(const Stop& stop, float switching, size_t previous, bool swapped, Choice choice,
                                RandomStream& random) {
  const size_t k = stop.index;
  const Continuations sums = StepAndJoin(stop, switching, swapped);
  const PairLikelihoods likelihoods = ReadLikelihoods(*sample_, k);
  std::array<double, 8> weight;  // 4 * swap + 2 * first allele + second allele
  for (size_t swap = 0; swap < 2; ++swap) {
    const bool ahead_is_swapped = swapped != (swap != 0);
    const double given =
        previous == kNoHet ? 1 : given_.Factor(previous, /*flip=*/false, ahead_is_swapped, is_forward_);
    for (size_t i = 0; i < likelihoods.size(); ++i) {
      weight[4 * swap + i] =
          Probability(sums, 0, swap, i / 2) * Probability(sums, 1, 1 - swap, i % 2) * likelihoods[i] * given;
    }
  }
  const size_t drawn = ChooseIndex(std::span<const double>(weight), choice, random);
  const double* alleles = weight.data() + drawn / 4 * 4;  // [first allele, second allele]
  const double total = std::max(std::accumulate(alleles, alleles + 4, 0.0), 1e-300);
  alt_probability_[0][k] = static_cast<float>((alleles[2] + alleles[3]) / total);
  alt_probability_[1][k] = static_cast<float>((alleles[1] + alleles[3]) / total);
  both_probability_[k] = static_cast<float>(alleles[3] / total);
  const bool swaps = swapped != (drawn >= 4);
  const Emissions emissions =
      GivenOther(likelihoods, {static_cast<float>(drawn % 2), static_cast<float>(drawn / 2 % 2)});
  FindPassive(stop, swaps, emissions);
  LeaveStop(stop, emissions);
  return swaps;
}

// Finds the probabilities of the passive genotypes around a stop, from its stored states and ahead_.
void PairSampler::FindPassive(const Stop& stop, bool swapped, const Emissions& emissions) {
  if (stop.first_passive == stop.end_passive) return;
  const float* const behind[2] = {Stored(stop.place, 0), Stored(stop.place, 1)};
  const float* const ahead[2] = {ahead_[swapped].data(), ahead_[!swapped].data()};
  float* const weight[2] = {weight_[0].data(), weight_[1].data()};
  const size_t n = states_->size();
  const std::array<float, 2> totals =
      WeighStates(states_->at(stop.marker), state_.inverse_prior.data(), n, behind, ahead, emissions, weight);
  for (size_t i = stop.first_passive; i < stop.end_passive; ++i) {
    const size_t k = stops_.passive[i];
    std::array<float, 2> alt = SumOnes(states_->at(sample_->missing[k]), n, weight);
    for (size_t c = 0; c < 2; ++c) alt[c] /= std::max(totals[c], 1e-30f);
    SetPassive(k, alt);
  }
}

// Sets the probabilities of a passive genotype from those of the alleles that its haplotypes copy.
void PairSampler::SetPassive(size_t k, const std::array<float, 2>& copied) {
  if (!IsInformative(*sample_, k)) {
    for (size_t c = 0; c < 2; ++c) alt_probability_[c][k] = copied[c];
    both_probability_[k] = copied[0] * copied[1];
    return;
  }
  const float mismatch = model_->mismatch_probability;
  PairLikelihoods weight = ReadLikelihoods(*sample_, k);
  const auto probability = [&](size_t c, size_t allele) {
    const float alt = (1 - mismatch) * copied[c] + mismatch * (1 - copied[c]);
    return allele == 1 ? alt : 1 - alt;
  };
  for (size_t i = 0; i < weight.size(); ++i) {
    weight[i] *= probability(0, i / 2) * probability(1, i % 2);
  }
  const float total = std::max(std::accumulate(weight.begin(), weight.end(), 0.0f), 1e-30f);
  alt_probability_[0][k] = (weight[2] + weight[3]) / total;
  alt_probability_[1][k] = (weight[1] + weight[3]) / total;
  both_probability_[k] = weight[3] / total;
}

// Returns the probability of an allele where haplotype c behind goes on as haplotype d ahead, up to a factor.
double PairSampler::Probability(const Continuations& sums, size_t c, size_t d, size_t allele) const {
  const double mismatch = model_->mismatch_probability;
  return (1 - mismatch) * sums.sum[c][d][allele] + mismatch * sums.sum[c][d][1 - allele];
}

PairSampler::Turn PairSampler::Choose(size_t het, bool swapped, const Continuations& sums, Choice choice,
                                      RandomStream& random) const {
  const bool is_last = is_forward_ ? het + 1 == sample_->hets.size() : het == 0;
  const size_t first = sample_->alleles[0][sample_->hets[het]];
  std::array<double, 4> weight{};  // 2 * flip + swap
  for (size_t swap = 0; swap <= size_t{!is_last}; ++swap) {
    for (size_t flip = 0; flip <= 1; ++flip) {
      const size_t allele = first ^ flip;
      weight[2 * flip + swap] = Probability(sums, 0, swap, allele) * Probability(sums, 1, 1 - swap, 1 - allele) *
                                given_.Factor(het, flip != 0, swapped != (swap != 0), is_forward_);
    }
  }
  const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  if (!(total > 0)) return {};  // all weights underflowed: the phase stays as it is
  const size_t drawn = ChooseIndex(std::span<const double>(weight), choice, random);
  return {.flip = drawn >= 2, .swap = drawn % 2 == 1, .flip_probability = (weight[2] + weight[3]) / total};
}

void PairSampler::Count(const Stop& stop, bool swapped, const Continuations& sums) {
  if (stop.is_sparse) return;
  for (size_t c = 0; c < 2; ++c) {
    const float* behind = Stored(stop.place, c);
    const float* ahead = ahead_[c ^ static_cast<size_t>(swapped)].data();
    const float scale = 1 / std::max(sums.sum[c][c][0] + sums.sum[c][c][1], 1e-30f);
    for (size_t s = 0; s < states_->size(); ++s) {
      copied_[states_->haplotype[s]] += behind[s] * ahead[s] * state_.inverse_prior[s] * scale;
    }
  }
}

}  // namespace haplospin
