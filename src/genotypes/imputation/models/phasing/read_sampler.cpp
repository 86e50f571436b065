#include "genotypes/imputation/models/phasing/read_sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "genotypes/imputation/models/phasing/pair_kernels.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Probability of two neighboring pieces of a read on different haplotypes, relative to the same one.
constexpr double kBrokenRead = 0.01;

constexpr float kMinTotal = 1e-30f;

// Returns the likelihood of an allele of a state that the read does not show, relative to the one that it shows.
float MismatchRatio(const ShownRead& shown, float mismatch) {
  const float other = mismatch * (1 - shown.error) + (1 - mismatch) * shown.error;
  return other / (1 - other);
}

bool IsKnown(const ReadPiece& piece) { return piece.haplotype != ReadPiece::kUnknown; }

}  // namespace

void ReadSampler::Start(PhasingStates& states, const CopyingModel& model, SampleGenotypes& sample) {
  HS_ASSERT(states.size() > 0 && !sample.reads.empty());
  HS_ASSERT(sample.alleles[0].size() == model.switch_probability.size() + 1);
  states_ = &states;
  model_ = &model;
  sample_ = &sample;
  padded_ = states.words * 64;
  for (Floats* values : {&prior_, &inverse_prior_, &emission_, &state_[0], &state_[1], &weight_[0], &weight_[1]}) {
    values->assign(padded_, 0);
  }
  SetPriors();
  FindMarkers();
  FindStops();
  stored_.resize(2 * stops_.size() * padded_);
  cis_probability_.assign(sample.hets.size(), 0);
  for (std::vector<float>& probability : alt_probability_) probability.assign(sample.missing.size(), 0);
  both_probability_.assign(sample.missing.size(), 0);
  next_change_ = 0;
  is_forward_ = true;
  ApplyChanges(sample.alleles[0].size() - 1);
  is_forward_ = false;
  Traverse([&](size_t i, float switching) {
    const ReadPiece& piece = pieces()[i];
    FindEmissions(piece);
    float* const state[2] = {state_[0].data(), state_[1].data()};
    float* const stored[2] = {Stored(i, 0), Stored(i, 1)};
    const std::array<float, 2> keep = Keep(switching);
    const PairStep step{
        .keep = keep, .jump = switching / static_cast<float>(states_->size()), .if_zero = {1, 1}, .if_one = {1, 1}};
    RunPairStep(step, states_->at(piece.marker), prior_.data(), padded_, state, state);
    sums_ = PassRead(IsKnown(piece) ? FactorsOfKnown(piece) : FactorsOfUnknown(), inverse_prior_.data(),
                     emission_.data(), padded_, state, stored, stored, nullptr);
  });
  is_forward_ = true;
}

void ReadSampler::Sweep(Choice choice, RandomStream& random) {
  Turns turns;
  Traverse([&](size_t i, float switching) { Pass(i, switching, turns, choice, random); });
  Finish(choice, random);
  is_forward_ = !is_forward_;
}

// Calls visit(piece, switching) for each piece in the direction of the sweep.
template <typename Visit>
void ReadSampler::Traverse(const Visit& visit) {
  const auto n = static_cast<float>(states_->size());
  for (Floats& state : state_) {
    for (size_t s = 0; s < padded_; ++s) state[s] = prior_[s] / n;
  }
  sums_ = {1, 1};  // approximate: the priors of composites need not add up to the number of states
  for (size_t k = 0; k < stops_.size(); ++k) {
    const size_t i = is_forward_ ? k : stops_.size() - 1 - k;
    ApplyChanges(pieces()[i].marker);
    visit(i, k == 0 ? 0.0f : stops_[is_forward_ ? i : i + 1].switching);
  }
}

void ReadSampler::SetPriors() {
  for (size_t s = 0; s < states_->size(); ++s) {
    prior_[s] = states_->prior[s];
    inverse_prior_[s] = 1 / prior_[s];
  }
}

void ReadSampler::ApplyChanges(size_t j) {
  states_->MoveTo(j, is_forward_, next_change_, [&](uint32_t s, float before) {
    prior_[s] = states_->prior[s];
    inverse_prior_[s] = 1 / prior_[s];
    if (is_forward_) return;
    for (Floats& state : state_) state[s] *= prior_[s] / before;
  });
}

void ReadSampler::FindMarkers() {
  found_.clear();
  const std::vector<uint32_t>&hets = sample_->hets, &missing = sample_->missing;
  uint32_t h = 0, k = 0;
  while (h < hets.size() || k < missing.size()) {
    const bool is_het = k == missing.size() || (h < hets.size() && hets[h] < missing[k]);
    found_.push_back({.marker = is_het ? hets[h] : missing[k], .is_het = is_het, .index = is_het ? h++ : k++});
  }
  FindShown();
}

// Finds what the reads show at the markers.
void ReadSampler::FindShown() {
  shown_.clear();
  for (uint32_t p = 0; p < pieces().size(); ++p) {
    for (uint32_t a = pieces()[p].begin; a < pieces()[p].end; ++a) {
      const ShownRead& shown = sample_->reads.alleles[a];
      const auto place = std::ranges::lower_bound(found_, shown.marker, {}, &Found::marker);
      if (place == found_.end() || place->marker != shown.marker) continue;  // the genotype is known
      const float odds = std::log((1 - shown.error) / shown.error);
      shown_.push_back({static_cast<uint32_t>(place - found_.begin()), p, shown.is_alt ? odds : -odds});
    }
  }
  std::ranges::stable_sort(shown_, {}, &Shown::found);
  uint32_t next = 0;
  for (uint32_t f = 0; f < found_.size(); ++f) {
    found_[f].first_shown = next;
    while (next < shown_.size() && shown_[next].found == f) ++next;
    found_[f].end_shown = next;
  }
}

void ReadSampler::FindStops() {
  stops_.assign(pieces().size(), {});
  uint32_t j = pieces()[0].marker;
  for (size_t i = 1; i < stops_.size(); ++i) {
    float& switching = stops_[i].switching;
    for (; j < pieces()[i].marker; ++j) {
      switching += (1 - switching) * states_->switch_factor * model_->switch_probability[j];
    }
  }
  AssignMarkers();
}

// Assigns each marker to the nearest stop, by the probability of a switch.
void ReadSampler::AssignMarkers() {
  std::vector<float> distance(sample_->alleles[0].size());  // [typed]
  for (size_t j = 1; j < distance.size(); ++j) distance[j] = distance[j - 1] + model_->switch_probability[j - 1];
  uint32_t next = 0;
  for (size_t i = 0; i < stops_.size(); ++i) {
    stops_[i].first_found = next;
    if (i + 1 < stops_.size()) {
      const float middle = 0.5f * (distance[pieces()[i].marker] + distance[pieces()[i + 1].marker]);
      while (next < found_.size() && distance[found_[next].marker] < middle) ++next;
    } else {
      next = static_cast<uint32_t>(found_.size());
    }
    stops_[i].end_found = next;
  }
}

void ReadSampler::FindEmissions(const ReadPiece& piece) {
  terms_.clear();
  for (uint32_t a = piece.begin; a < piece.end; ++a) {
    const ShownRead& shown = sample_->reads.alleles[a];
    const float ratio = MismatchRatio(shown, model_->mismatch_probability);
    terms_.push_back({states_->at(shown.marker), shown.is_alt ? ratio : 1, shown.is_alt ? 1 : ratio});
  }
  haplospin::FindEmissions(terms_, padded_, emission_.data());
}

std::array<float, 2> ReadSampler::Keep(float switching) const {
  return {(1 - switching) / std::max(sums_[0], kMinTotal), (1 - switching) / std::max(sums_[1], kMinTotal)};
}

// Returns how the states pass a read of a haplotype that is known.
ReadFactors ReadSampler::FactorsOfKnown(const ReadPiece& piece) {
  ReadFactors factors{.by_read = {0, 0}, .constant = {1, 1}};
  factors.by_read[piece.haplotype] = 1;
  factors.constant[piece.haplotype] = 0;
  return factors;
}

// Returns how the states pass a read that may be of either haplotype. If it is of the other one, it is as likely as the
// states of that one are on average.
ReadFactors ReadSampler::FactorsOfUnknown() const {
  ReadFactors factors{.by_read = {1, 1}, .constant = {0, 0}};
  if (sample_->ploidy == 1) return factors;
  for (size_t c = 0; c < 2; ++c) {
    const Floats& other = state_[1 - c];
    const float total = std::accumulate(other.begin(), other.end(), 0.0f);
    factors.constant[c] =
        std::inner_product(other.begin(), other.end(), emission_.begin(), 0.0f) / std::max(total, kMinTotal);
  }
  return factors;
}

// Returns the weights of the haplotypes of a read, with and without an exchange of what is ahead.
ReadSampler::Weights ReadSampler::Weigh(const ReadJoin& join, const ReadPiece& piece, const Turns& turns) const {
  Weights weights{};
  const uint32_t behind = is_forward_ ? piece.before : piece.after, ahead = is_forward_ ? piece.after : piece.before;
  const double broken_tie = std::pow(kBrokenRead, piece.tie);
  const auto broken = [broken_tie](bool is_same) { return is_same ? 1 : broken_tie; };
  for (size_t i = 0; i < (sample_->ploidy == 1 ? 1 : weights.size()); ++i) {
    const size_t swap = i / 2, c = i % 2;
    weights[i] = double{join.read[c][c ^ swap]} * join.all[1 - c][(1 - c) ^ swap] *
                 std::pow(kBrokenRead, swap != 0 ? turns.same : turns.different);
    if (behind != ReadPiece::kNone) weights[i] *= broken(pieces()[behind].haplotype == c);
    if (ahead == ReadPiece::kNone || !IsKnown(pieces()[ahead])) continue;
    weights[i] *= broken(pieces()[ahead].haplotype == (c ^ swap ^ static_cast<size_t>(turns.swapped)));
  }
  return weights;
}

// Passes the i-th piece.
void ReadSampler::Pass(size_t i, float switching, Turns& turns, Choice choice, RandomStream& random) {
  ReadPiece& piece = pieces()[i];
  FindEmissions(piece);
  CountTie(piece, is_forward_ ? piece.before : piece.after, -1, turns);
  float* const state[2] = {state_[0].data(), state_[1].data()};
  const float* const ahead[2] = {Stored(i, turns.swapped), Stored(i, !turns.swapped)};
  const ReadJoin join = JoinRead(Keep(switching), switching / static_cast<float>(states_->size()), prior_.data(),
                                 inverse_prior_.data(), emission_.data(), padded_, state, ahead);
  const size_t drawn = ChooseIndex(std::span<const double>(Weigh(join, piece, turns)), choice, random);
  const size_t swap = drawn / 2, c = drawn % 2;
  if (swap != 0) {
    turns.swapped = !turns.swapped;
    std::swap(turns.same, turns.different);
  }
  piece.haplotype = static_cast<uint8_t>(c);
  CountTie(piece, is_forward_ ? piece.after : piece.before, 1, turns);
  std::array<float, 2> totals{};
  totals[c] = std::max(join.read[c][c ^ swap], kMinTotal);
  totals[1 - c] = std::max(join.all[1 - c][(1 - c) ^ swap], kMinTotal);
  Leave(i, turns.swapped, totals);
}

// Adds or takes away the tie of a piece and a neighbor of the same read, between which the sweep begins or ends to be.
// One that is not known ties nothing.
void ReadSampler::CountTie(const ReadPiece& piece, uint32_t neighbor, int sign, Turns& turns) const {
  if (neighbor == ReadPiece::kNone || !IsKnown(piece) || !IsKnown(pieces()[neighbor])) return;
  const bool is_same = piece.haplotype == (pieces()[neighbor].haplotype ^ static_cast<uint8_t>(turns.swapped));
  (is_same ? turns.same : turns.different) += sign * double{piece.tie};
}

// Moves the states past a read whose haplotype was drawn, and finds what they copy. `totals` are the sums of their
// probabilities.
void ReadSampler::Leave(size_t i, bool swapped, const std::array<float, 2>& totals) {
  const Stop& stop = stops_[i];
  float* const state[2] = {state_[0].data(), state_[1].data()};
  float* const stored[2] = {Stored(i, 0), Stored(i, 1)};
  float* const weight[2] = {weight_[0].data(), weight_[1].data()};
  const float* const ahead[2] = {Stored(i, swapped), Stored(i, !swapped)};
  const bool needs_weights = copied_ != nullptr || stop.first_found < stop.end_found;
  sums_ = PassRead(FactorsOfKnown(pieces()[i]), inverse_prior_.data(), emission_.data(), padded_, state, ahead, stored,
                   needs_weights ? weight : nullptr);
  if (!needs_weights) return;
  FindCopied(i, swapped, totals);
  if (copied_ != nullptr) Count(totals);
}

// Finds what the haplotypes copy at the markers that are nearest to the i-th piece, and what their reads show there.
void ReadSampler::FindCopied(size_t i, bool swapped, const std::array<float, 2>& totals) {
  const float* const weight[2] = {weight_[0].data(), weight_[1].data()};
  for (uint32_t f = stops_[i].first_found; f < stops_[i].end_found; ++f) {
    Found& found = found_[f];
    found.copied = SumOnes(states_->at(found.marker), padded_, weight);
    for (size_t c = 0; c < 2; ++c) found.copied[c] = std::min(found.copied[c] / totals[c], 1.0f);
    found.log_odds = ShownOdds(found, i, swapped);
  }
}

// Returns what the reads of each haplotype show at a marker while the sweep is at the i-th piece: the states know reads
// ahead on the haplotypes from which they are drawn later.
std::array<float, 2> ReadSampler::ShownOdds(const Found& found, size_t i, bool swapped) const {
  std::array<float, 2> odds{};
  for (uint32_t k = found.first_shown; k < found.end_shown; ++k) {
    const Shown& shown = shown_[k];
    const ReadPiece& piece = pieces()[shown.piece];
    const bool is_ahead = is_forward_ ? shown.piece > i : shown.piece < i;
    if (IsKnown(piece)) odds[piece.haplotype ^ static_cast<uint8_t>(is_ahead && swapped)] += shown.log_odds;
  }
  return odds;
}

void ReadSampler::Count(const std::array<float, 2>& totals) {
  for (size_t c = 0; c < 2; ++c) {
    for (size_t s = 0; s < states_->size(); ++s) copied_[states_->haplotype[s]] += weight_[c][s] / totals[c];
  }
}

// Returns the weights of the genotypes at a marker: 2 * first allele + second allele. What the reads show there is part
// of the probabilities of the states already. It remains whether an allele differs from the copied one.
std::array<float, 4> ReadSampler::GenotypeWeights(const Found& found) const {
  const float mismatch = model_->mismatch_probability;
  std::array<float, 2> alt;
  for (size_t c = 0; c < 2; ++c) {
    const float odds = std::exp(std::clamp(found.log_odds[c], -60.0f, 60.0f));
    const float if_alt = (1 - mismatch) * odds / ((1 - mismatch) * odds + mismatch);
    const float if_ref = mismatch * odds / (mismatch * odds + (1 - mismatch));
    alt[c] = found.copied[c] * if_alt + (1 - found.copied[c]) * if_ref;
  }
  std::array<float, 4> weights{(1 - alt[0]) * (1 - alt[1]), (1 - alt[0]) * alt[1], alt[0] * (1 - alt[1]),
                               alt[0] * alt[1]};
  if (found.is_het || found.first_shown < found.end_shown) return weights;
  const GenotypeLikelihoods& genotype = sample_->likelihoods[found.index];
  if (genotype.IsFlat()) return weights;
  const bool is_haploid = sample_->ploidy == 1;
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] *= Likelihood(genotype, is_haploid ? i / 2 * 2 : i / 2 + i % 2);
  }
  return weights;
}

void ReadSampler::Finish(Choice choice, RandomStream& random) {
  for (const Found& found : found_) {
    const std::array<float, 4> weights = GenotypeWeights(found);
    if (!found.is_het) {
      const float total = std::max(std::accumulate(weights.begin(), weights.end(), 0.0f), kMinTotal);
      alt_probability_[0][found.index] = (weights[2] + weights[3]) / total;
      alt_probability_[1][found.index] = (weights[1] + weights[3]) / total;
      both_probability_[found.index] = weights[3] / total;
      continue;
    }
    const double first_has_alt = weights[2] / std::max(weights[1] + weights[2], kMinTotal);
    const std::array<double, 2> order{1 - first_has_alt, first_has_alt};
    const size_t h = found.index, drawn = ChooseIndex(std::span<const double>(order), choice, random);
    sample_->alleles[0][found.marker] = static_cast<uint8_t>(drawn);
    sample_->alleles[1][found.marker] = static_cast<uint8_t>(1 - drawn);
    if (h > 0) cis_probability_[h] = static_cast<float>(order[sample_->alleles[0][sample_->hets[h - 1]]]);
  }
}

}  // namespace haplospin
