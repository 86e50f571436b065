#include "genotypes/imputation/models/pedigree/family_sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr int kBurnIn = 10, kAveraged = 10;  // sweeps; then the phase of founders follows from the most probable draws
constexpr int kBestSweeps = 2;

constexpr float kLeastSwitchError = 3e-3f;  // no phase of a copying model is more certain
constexpr float kOrdered = 0.3f;            // alleles whose mean order is less certain have that of the last draw
constexpr float kInferred = 0.95f;          // least probability of an inferred allele
constexpr float kTogether = 0.9f;           // least share of the draws with the phase of a set
constexpr double kLeastLikelihood = 1e-30;
constexpr float kLeastPrior = 1e-3f;  // genotypes that are less probable than this part of the best one are not tried

constexpr bool IsHeterozygous(size_t genotype) { return FirstAllele(genotype) != SecondAllele(genotype); }

// The phase that the copying model found of a person.
class CopiedPhase {
 public:
  explicit CopiedPhase(const FamilyMember& member) : member_(member), next_(member.genotype.size()) {
    size_t next = next_.size();
    for (size_t j = next_.size(); j-- > 0;) {
      next_[j] = next;
      if (IsHeterozygous(j)) next = j;
    }
  }

  bool IsHeterozygous(size_t j) const { return (member_.alt[0][j] > 0.5f) != (member_.alt[1][j] > 0.5f); }

  // Returns the next heterozygote after marker j, or the number of markers.
  size_t next(size_t j) const { return next_[j]; }

  // Returns whether heterozygote j has its alleles in the other order, if `first` is that of the first haplotype.
  bool Order(size_t j, size_t first) const { return (member_.alt[0][j] > 0.5f) != (first == 1); }

  // Returns the probability of the order at marker j, given that before it and, if there is a next heterozygote, ahead.
  float OrderProbability(size_t j, bool before, bool here, bool ahead) const {
    float probability = 1;
    if (IsHeterozygous(j)) probability *= SwitchError(j, here != before);
    if (next_[j] < next_.size()) probability *= SwitchError(next_[j], ahead != here);
    return probability;
  }

 private:
  // Returns the probability that the order changes, or not, before heterozygote j.
  float SwitchError(size_t j, bool changes) const {
    const float error = std::clamp(member_.switch_error[j], kLeastSwitchError, 0.5f);
    return changes ? error : 1 - error;
  }

  const FamilyMember& member_;
  std::vector<size_t> next_;
};

bool HasGenotypes(const FamilyMember& member) {
  return std::ranges::any_of(member.genotype, [](uint8_t genotype) { return genotype != kUnknownGenotype; });
}

}  // namespace

FamilySampler::FamilySampler(std::span<const FamilyMember> members, std::span<const double> centimorgans, uint64_t seed)
    : draw_(members, centimorgans), sums_(members.size()), random_(seed) {
  for (size_t i = 0; i < members.size(); ++i) {
    sums_[i].genotypes.assign(num_markers(), {});
    if (!draw_.IsFounder(i)) continue;
    sums_[i].switches.assign(num_markers(), 0);
    sums_[i].first.assign(num_markers(), 0);
  }
}

std::vector<FamilyHaplotypes> FamilySampler::Run() {
  for (size_t i = 0; i < sums_.size(); ++i) {
    if (!draw_.IsFounder(i)) DrawChild(i, Choice::kDraw, false);
  }
  for (int k = 0; k < kBurnIn; ++k) Sweep(Choice::kDraw, false);
  for (int k = 0; k < kAveraged; ++k) Sweep(Choice::kDraw, true);
  for (size_t i = 0; i < sums_.size(); ++i) {
    if (draw_.IsFounder(i)) SetMeanPhase(i);
  }
  for (int k = 0; k < kBestSweeps; ++k) Sweep(Choice::kBest, false);
  UpdateEvidence();
  std::vector<FamilyHaplotypes> found;
  for (size_t i = 0; i < sums_.size(); ++i) found.push_back(Result(i));
  return found;
}

void FamilySampler::UpdateEvidence() {
  for (size_t i = sums_.size(); i-- > 0;) draw_.UpdateEvidence(i);
}

void FamilySampler::Sweep(Choice choice, bool is_averaged) {
  UpdateEvidence();
  for (size_t i = 0; i < sums_.size(); ++i) {
    if (draw_.IsFounder(i) && !draw_.member(i).has_one_haplotype) DrawFounder(i, choice, is_averaged);
  }
  UpdateEvidence();
  for (size_t i = 0; i < sums_.size(); ++i) {
    if (!draw_.IsFounder(i)) DrawChild(i, choice, is_averaged);
  }
}

// Draws what a child has inherited, and then its alleles.
void FamilySampler::DrawChild(size_t i, Choice choice, bool is_averaged) {
  const std::vector<InheritedStates> forward = draw_.Forward(i);
  const std::vector<InheritedStates> backward = is_averaged ? draw_.Backward(i) : std::vector<InheritedStates>();
  InheritedStates ahead{1, 1, 1, 1};  // of the states that were drawn, given those at the present marker
  for (size_t j = num_markers(); j-- > 0;) {
    InheritedStates weights, probability;
    for (size_t s = 0; s < kInheritedStates; ++s) {
      weights[s] = forward[j][s] * ahead[s];
      if (is_averaged) probability[s] = forward[j][s] * backward[j][s];
    }
    const size_t state = ChooseIndex(std::span<const float>(weights), choice, random_);
    draw_.SetState(i, j, state);
    DrawGenotype(i, j, state, choice);
    if (is_averaged) {
      Normalize(probability);
      AddChild(i, j, probability);
    }
    InheritedStates drawn{};
    drawn[state] = 1;
    if (j > 0) ahead = draw_.Moved(j, drawn);
  }
}

void FamilySampler::DrawGenotype(size_t i, size_t j, size_t state, Choice choice) {
  const OrderedGenotypes weights = ByAlleles(draw_.Weights(i, j), draw_.AltProbability(i, 0, j, SideBit(state, 0)),
                                             draw_.AltProbability(i, 1, j, SideBit(state, 1)));
  draw_.SetGenotype(i, j, ChooseIndex(std::span<const float>(weights), choice, random_));
}

// Adds the genotype probabilities of a child, given those of its states.
void FamilySampler::AddChild(size_t i, size_t j, const InheritedStates& probability) {
  const bool is_informative = draw_.IsInformative(i, j);
  const OrderedGenotypes weights = is_informative ? draw_.Weights(i, j) : OrderedGenotypes{1, 1, 1, 1};
  std::array<std::array<float, 2>, 2> alt;  // [side][haplotype of the parent]
  for (size_t side = 0; side < 2; ++side) {
    for (size_t c = 0; c < 2; ++c) {
      alt[side][c] =
          is_informative ? draw_.AltProbability(i, side, j, c) : draw_.Alt(*draw_.member(i).parents[side], c, j);
    }
  }
  OrderedGenotypes sum{};
  for (size_t s = 0; s < kInheritedStates; ++s) {
    const float first = alt[0][SideBit(s, 0)], second = alt[1][SideBit(s, 1)];
    OrderedGenotypes given = ByAlleles(weights, first, second);
    Normalize(given);
    for (size_t g = 0; g < given.size(); ++g) sum[g] += probability[s] * given[g];
  }
  for (size_t g = 0; g < sum.size(); ++g) sums_[i].genotypes[j][g] += sum[g];
}

// The children of a founder while its haplotypes are drawn.
struct FamilySampler::Offspring {
  size_t child, sides;
  std::vector<InheritedStates> backward;  // [m] with the founder's haplotypes as they were
  InheritedStates before;                 // of the states at the present marker, given all before it
};

// Draws a founder's haplotypes, given all of its children. Alleles ahead of the present marker are those of the last
// draw, exchanged if `is_exchanged`. The order is that of the heterozygotes of the copying model, relative to it.
void FamilySampler::DrawFounder(size_t i, Choice choice, bool is_averaged) {
  std::vector<Offspring> children;
  for (const size_t child : draw_.children(i)) {
    children.push_back({child, draw_.Sides(child, i), draw_.Backward(child), {0.25f, 0.25f, 0.25f, 0.25f}});
  }
  const CopiedPhase copied(draw_.member(i));
  bool is_exchanged = false, order = false;
  std::vector<Option> options;
  std::vector<double> weights;
  for (size_t j = 0; j < num_markers(); ++j) {
    for (Offspring& c : children) MoveTo(j, is_exchanged, c);
    const size_t next = copied.next(j);
    const bool next_order = next < num_markers() && copied.Order(next, draw_.allele(i, 0, next)) != is_exchanged;
    ListOptions(i, j, options);
    for (Option& option : options) {
      const bool is_ordered = copied.IsHeterozygous(j) && IsHeterozygous(option.genotype);
      option.order = is_ordered ? copied.Order(j, FirstAllele(option.genotype)) : order;
      option.weight *= copied.OrderProbability(j, order, option.order, next_order != option.exchanges_ahead);
    }
    for (const Offspring& c : children) WeighOptions(c, j, is_exchanged, options);
    if (is_averaged) AddFounder(i, j, order, options);
    weights.clear();
    for (const Option& option : options) weights.push_back(option.weight);
    const Option& chosen = options[ChooseIndex(std::span<const double>(weights), choice, random_)];
    order = chosen.order;
    draw_.SetExchanged(i, j, order);
    is_exchanged = is_exchanged != chosen.exchanges_ahead;
    draw_.SetGenotype(i, j, chosen.genotype);
    if (is_averaged) sums_[i].first[j] = static_cast<uint16_t>(sums_[i].first[j] << 1 | FirstAllele(chosen.genotype));
    for (Offspring& c : children) Pass(j, chosen.genotype, c);
  }
}

// Moves the states of a founder's child to marker j. What it has inherited there, as it was drawn last, is exchanged
// with the founder's haplotypes.
void FamilySampler::MoveTo(size_t j, bool is_exchanged, Offspring& c) {
  if (j > 0) c.before = draw_.Moved(j, c.before);
  if (!is_exchanged) return;
  draw_.SetState(c.child, j, draw_.state(c.child, j) ^ c.sides);
}

// Moves the states of a founder's child past the genotype of marker j.
void FamilySampler::Pass(size_t j, size_t genotype, Offspring& c) const {
  const InheritedStates emission = draw_.Emission(c.child, j, {c.sides, genotype});
  for (size_t s = 0; s < kInheritedStates; ++s) c.before[s] *= emission[s];
  Normalize(c.before);
}

// Lists the genotypes that a founder may have, with those of the copying model as prior.
void FamilySampler::ListOptions(size_t i, size_t j, std::vector<Option>& options) const {
  OrderedGenotypes prior;
  const float first = draw_.CopiedAlt(i, 0, j), second = draw_.CopiedAlt(i, 1, j);
  const OrderedGenotypes copied = ByAlleles({1, 1, 1, 1}, first, second);
  for (size_t g = 0; g < prior.size(); ++g) prior[g] = draw_.Penetrance(i, j, g) * (copied[g] + copied[Exchanged(g)]);
  const float least = kLeastPrior * *std::ranges::max_element(prior);
  options.clear();
  for (size_t g = 0; g < prior.size(); ++g) {
    if (prior[g] < least) continue;
    options.push_back({.genotype = g, .exchanges_ahead = false, .weight = prior[g]});
    if (IsHeterozygous(g) && j + 1 < num_markers()) {
      options.push_back({.genotype = g, .exchanges_ahead = true, .weight = prior[g]});
    }
  }
}

// Multiplies the weights by the likelihoods of a child, if the founder has the genotypes at marker j, and its
// haplotypes ahead are exchanged or not relative to the last draw.
void FamilySampler::WeighOptions(const Offspring& c, size_t j, bool is_exchanged, std::vector<Option>& options) const {
  double largest = 0;
  for (Option& option : options) {
    const InheritedStates emission = draw_.Emission(c.child, j, {c.sides, option.genotype});
    const size_t sides = option.exchanges_ahead != is_exchanged ? c.sides : 0;
    double likelihood = 0;
    for (size_t s = 0; s < kInheritedStates; ++s) likelihood += c.before[s] * emission[s] * c.backward[j][s ^ sides];
    option.weight *= std::max(likelihood, kLeastLikelihood);
    largest = std::max(largest, option.weight);
  }
  for (Option& option : options) option.weight /= largest;
}

// Adds the probabilities of a founder's genotypes, in either order.
void FamilySampler::AddFounder(size_t i, size_t j, bool order, std::span<const Option> options) {
  double sum = 0;
  for (const Option& option : options) sum += option.weight;
  for (const Option& option : options) {
    const auto probability = static_cast<float>(option.weight / sum);
    sums_[i].genotypes[j][option.genotype] += probability / 2;
    sums_[i].genotypes[j][Exchanged(option.genotype)] += probability / 2;
    if (option.order != order) sums_[i].switches[j] += probability;
  }
}

// Gives a founder the phase that most draws have at each heterozygote of the copying model, relative to the one before.
void FamilySampler::SetMeanPhase(size_t i) {
  const CopiedPhase copied(draw_.member(i));
  bool order = false;
  for (size_t j = 0; j < num_markers(); ++j) {
    if (!copied.IsHeterozygous(j)) continue;
    if (sums_[i].switches[j] > 0.5f * kAveraged) order = !order;
    draw_.SetGenotype(i, j, (draw_.member(i).alt[0][j] > 0.5f) != order ? 1 : 2);
  }
}

// Returns another founder who has the same children, if nothing else tells of the two: all that is found of the one may
// be of the other.
std::optional<size_t> FamilySampler::Twin(size_t i) const {
  const auto is_absent = [&](size_t k) { return draw_.IsFounder(k) && !HasGenotypes(draw_.member(k)); };
  if (!is_absent(i) || draw_.children(i).empty()) return std::nullopt;
  const auto& parents = draw_.member(draw_.children(i).front()).parents;
  const size_t other = parents[0] == i ? *parents[1] : *parents[0];
  const bool is_twin = other != i && is_absent(other) && std::ranges::equal(draw_.children(i), draw_.children(other));
  return is_twin ? std::optional(other) : std::nullopt;
}

// Returns haplotypes that have the mean probabilities of both orders of the genotype: the more probable order of a
// child or, of a founder, that of the last draw.
FamilyHaplotypes FamilySampler::Result(size_t i) const {
  if (draw_.member(i).has_one_haplotype) return ResultOfOneHaplotype(i);
  FamilyHaplotypes result{std::vector<float>(num_markers()), std::vector<float>(num_markers())};
  const std::optional<size_t> twin = Twin(i);
  for (size_t j = 0; j < num_markers(); ++j) {
    OrderedGenotypes p = sums_[i].genotypes[j];
    if (twin) std::ranges::transform(p, sums_[*twin].genotypes[j], p.begin(), std::plus<float>());
    Normalize(p);
    const float mean = 0.5f * (p[1] + p[2]) + p[3];
    const float difference = std::sqrt(std::max(mean * mean - p[3], 0.0f));
    const bool is_ordered = !draw_.IsFounder(i) && std::abs(p[1] - p[2]) > kOrdered * (p[1] + p[2]);
    const bool first_is_larger = is_ordered ? p[1] >= p[2] : draw_.allele(i, 0, j) >= draw_.allele(i, 1, j);
    result[first_is_larger ? 0 : 1][j] = std::min(mean + difference, 1.0f);
    result[first_is_larger ? 1 : 0][j] = std::max(mean - difference, 0.0f);
  }
  return result;
}

FamilyHaplotypes FamilySampler::ResultOfOneHaplotype(size_t i) const {
  FamilyHaplotypes result{std::vector<float>(num_markers()), draw_.member(i).alt[1]};
  const size_t child = draw_.children(i).front(), side = draw_.member(child).parents[0] == i ? 0 : 1;
  const bool is_twin = Twin(i).has_value();
  for (size_t j = 0; j < num_markers(); ++j) {
    OrderedGenotypes p = sums_[child].genotypes[j];
    Normalize(p);
    result[0][j] = std::min(is_twin ? 0.5f * (p[1] + p[2]) + p[3] : p[size_t{1} << side] + p[3], 1.0f);
  }
  return result;
}

InferredHaplotypes FamilySampler::Inferred(size_t i) const {
  InferredHaplotypes inferred{.alleles = {}, .set = std::vector<uint32_t>(num_markers())};
  for (std::vector<uint8_t>& alleles : inferred.alleles) alleles.assign(num_markers(), kMissingAllele);
  std::optional<size_t> before;  // the heterozygote
  uint32_t set = 1;
  for (size_t j = 0; j < num_markers(); ++j) {
    OrderedGenotypes p = draw_.Weights(i, j);
    if (draw_.member(i).has_one_haplotype) p[1] = p[2] = 0;
    Normalize(p);
    for (size_t c = 0; c < 2; ++c) {
      const float alt = p[3] + p[c == 0 ? 1 : 2];
      if (std::max(alt, 1 - alt) >= kInferred) inferred.alleles[c][j] = alt > 0.5f ? 1 : 0;
    }
    if (inferred.alleles[0][j] + inferred.alleles[1][j] != 1) continue;
    if (before && !AreTogether(i, *before, j, inferred.alleles[0][*before] == inferred.alleles[0][j])) ++set;
    inferred.set[j] = set;
    before = j;
  }
  return inferred;
}

// Returns whether two heterozygotes of a founder have this phase in most draws.
bool FamilySampler::AreTogether(size_t i, size_t j, size_t k, bool is_cis) const {
  const auto differ = static_cast<uint16_t>(sums_[i].first[j] ^ sums_[i].first[k]);
  const int trans = std::popcount(differ);
  return static_cast<float>(is_cis ? kAveraged - trans : trans) >= kTogether * kAveraged;
}

}  // namespace haplospin
