#include "genotypes/imputation/models/pedigree/family_sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr int kBurnIn = 10, kAveraged = 10;  // sweeps; then the phase of founders follows from the most probable draws
constexpr int kBestSweeps = 2;

constexpr float kWrongGenotype = 2e-3f;      // probability of a wrong call
constexpr float kWrongTransmission = 1e-3f;  // of an allele that is not the parent's: parents have wrong alleles
constexpr float kLeastCopied = 0.01f;        // no allele of a copying model is more certain
constexpr float kLeastSwitchError = 3e-3f;   // nor is its phase
constexpr float kLeastEvidence = 1e-4f;      // likelihoods that differ less tell nothing
constexpr float kLeastRecombination = 1e-6f;
constexpr float kOrdered = 0.3f;      // alleles whose mean order is less certain have that of the last draw
constexpr float kInferred = 0.95f;    // least probability of an inferred allele
constexpr float kTogether = 0.9f;     // least share of the draws with the phase of a set
constexpr float kLeastPrior = 1e-3f;  // genotypes that are less probable than this part of the best one are not tried

constexpr size_t First(size_t genotype) { return genotype & 1; }
constexpr size_t Second(size_t genotype) { return genotype >> 1; }
constexpr size_t Exchanged(size_t genotype) { return First(genotype) << 1 | Second(genotype); }
constexpr bool IsHeterozygous(size_t genotype) { return First(genotype) != Second(genotype); }
constexpr size_t Bit(size_t state, size_t side) { return state >> side & 1; }

// Returns the probability of a child's allele where its parent's is `inherited`.
constexpr float Transmission(size_t inherited, size_t allele) {
  return inherited == allele ? 1 - kWrongTransmission : kWrongTransmission;
}

template <size_t kSize>
void Normalize(std::array<float, kSize>& values) {
  const float sum = std::accumulate(values.begin(), values.end(), 0.0f);
  for (float& value : values) value = sum > 0 ? value / sum : 1.0f / kSize;
}

// Haldane's map function.
float Recombination(double centimorgans) {
  return std::max(static_cast<float>(0.5 * -std::expm1(-0.02 * centimorgans)), kLeastRecombination);
}

// Returns numbers that add up to 1, whose logarithms are these except for a constant.
std::vector<float> Normalized(std::span<const double> logarithms) {
  const double largest = *std::ranges::max_element(logarithms);
  double sum = 0;
  for (const double logarithm : logarithms) sum += std::exp(logarithm - largest);
  std::vector<float> values;
  for (const double logarithm : logarithms) values.push_back(static_cast<float>(std::exp(logarithm - largest) / sum));
  return values;
}

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

  // Returns the logarithm of the probability that the order changes, or not, before heterozygote j.
  double LogSwitchError(size_t j, bool changes) const {
    const float error = std::clamp(member_.switch_error[j], kLeastSwitchError, 0.5f);
    return std::log(changes ? error : 1 - error);
  }

 private:
  const FamilyMember& member_;
  std::vector<size_t> next_;
};

}  // namespace

FamilySampler::FamilySampler(std::span<const FamilyMember> members, std::span<const double> centimorgans, uint64_t seed)
    : members_(members), centimorgans_(centimorgans), people_(members.size()), random_(seed) {
  recombination_.push_back(0.5f);
  for (size_t j = 1; j < centimorgans.size(); ++j) {
    recombination_.push_back(Recombination(centimorgans[j] - centimorgans[j - 1]));
  }
  for (size_t i = 0; i < members.size(); ++i) {
    HS_ASSERT(members[i].genotype.size() == num_markers());
    HS_ASSERT(members[i].parents[0].has_value() == members[i].parents[1].has_value());
    for (const std::optional<size_t>& parent : members[i].parents) {
      if (!parent) continue;
      HS_ASSERT(*parent < i);
      std::vector<size_t>& children = people_[*parent].children;
      if (children.empty() || children.back() != i) children.push_back(i);
    }
  }
}

std::vector<FamilyHaplotypes> FamilySampler::Run() {
  for (size_t i = 0; i < members_.size(); ++i) Begin(i);
  for (int k = 0; k < kBurnIn; ++k) Sweep(Choice::kDraw, false);
  for (int k = 0; k < kAveraged; ++k) Sweep(Choice::kDraw, true);
  for (size_t i = 0; i < members_.size(); ++i) {
    if (IsFounder(i)) SetMeanPhase(i);
  }
  for (int k = 0; k < kBestSweeps; ++k) Sweep(Choice::kBest, false);
  for (size_t i = members_.size(); i-- > 0;) UpdateEvidence(i);
  std::vector<FamilyHaplotypes> found;
  for (size_t i = 0; i < members_.size(); ++i) found.push_back(Result(i));
  return found;
}

// Begins with the haplotypes of the copying model and, in children, with what their parents' tell.
void FamilySampler::Begin(size_t i) {
  Person& person = people_[i];
  for (size_t c = 0; c < 2; ++c) {
    person.haplotypes[c].resize(num_markers());
    person.inherited[c].assign(num_markers(), 0);
  }
  person.sum.assign(num_markers(), {});
  if (!IsFounder(i)) return DrawChild(i, Choice::kDraw, false);
  person.switches.assign(num_markers(), 0);
  person.first.assign(num_markers(), 0);
  person.is_exchanged.assign(num_markers(), false);
  for (size_t c = 0; c < 2; ++c) {
    for (size_t j = 0; j < num_markers(); ++j) person.haplotypes[c][j] = members_[i].alt[c][j] > 0.5f ? 1 : 0;
  }
}

void FamilySampler::Sweep(Choice choice, bool is_averaged) {
  for (size_t i = members_.size(); i-- > 0;) UpdateEvidence(i);
  for (size_t i = 0; i < members_.size(); ++i) {
    if (IsFounder(i) && !members_[i].has_one_haplotype) DrawFounder(i, choice, is_averaged);
  }
  for (size_t i = members_.size(); i-- > 0;) UpdateEvidence(i);
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!IsFounder(i)) DrawChild(i, choice, is_averaged);
  }
}

// Returns the bits of a child's state that are those of a parent.
size_t FamilySampler::Mask(size_t child, size_t parent) const {
  const auto& parents = members_[child].parents;
  return (parents[0] == parent ? 1u : 0u) | (parents[1] == parent ? 2u : 0u);
}

float FamilySampler::CopiedAlt(size_t i, size_t haplotype, size_t j) const {
  return std::clamp(members_[i].alt[haplotype][j], kLeastCopied, 1 - kLeastCopied);
}

// Returns whether a person has a genotype, or other data that tell of it.
bool FamilySampler::HasData(size_t i, size_t j) const {
  const FamilyMember& member = members_[i];
  if (member.genotype[j] != kUnknownGenotype) return true;
  return !member.likelihood.empty() && std::ranges::min(member.likelihood[j]) < 1;
}

float FamilySampler::Penetrance(size_t i, size_t j, size_t genotype) const {
  const uint8_t known = members_[i].genotype[j];
  if (known == kUnknownGenotype && !members_[i].likelihood.empty()) {
    return members_[i].likelihood[j][First(genotype) + Second(genotype)];
  }
  if (known == kUnknownGenotype) return 1;
  return First(genotype) + Second(genotype) == known ? 1 - kWrongGenotype : kWrongGenotype / 2;
}

// Returns whether neither the genotype nor the children of a person tell which alleles it has.
bool FamilySampler::IsUninformative(size_t i, size_t j) const { return !HasData(i, j) && people_[i].evidence.empty(); }

// Returns whether the genotype of a person, or those of its descendants, tell which alleles it has.
bool FamilySampler::IsInformative(size_t i, size_t j) const {
  if (HasData(i, j)) return true;
  if (people_[i].evidence.empty()) return false;
  const auto [least, largest] = std::ranges::minmax(people_[i].evidence[j]);
  return largest - least > kLeastEvidence;
}

// Returns the probability of ALT on a haplotype of a person. Where nothing tells its alleles, it is that of the founder
// whose haplotype this is by what was inherited, which is more than one draw tells.
float FamilySampler::Alt(size_t i, size_t haplotype, size_t j) const {
  if (IsInformative(i, j)) return static_cast<float>(people_[i].haplotypes[haplotype][j]);
  if (members_[i].has_one_haplotype) return CopiedAlt(i, 0, j);
  if (IsFounder(i)) return CopiedAlt(i, people_[i].is_exchanged[j] ? 1 - haplotype : haplotype, j);
  const float alt = Alt(*members_[i].parents[haplotype], people_[i].inherited[haplotype][j], j);
  return kWrongTransmission + (1 - 2 * kWrongTransmission) * alt;
}

// Moves the probabilities of a child's states to the next marker, or back, across the interval before marker j.
FamilySampler::States FamilySampler::Moved(size_t j, const States& from) const {
  States to = from;
  const float t = recombination_[j];
  for (size_t side = 0; side < 2; ++side) {
    const size_t bit = size_t{1} << side;
    for (size_t s = 0; s < kStates; ++s) {
      if ((s & bit) != 0) continue;
      const float zero = to[s], one = to[s | bit];
      to[s] = zero + t * (one - zero);
      to[s | bit] = one + t * (zero - one);
    }
  }
  return to;
}

// Returns the probability of `allele` on a child's haplotype of one side, whatever its genotype.
float FamilySampler::AlleleProbability(size_t child, size_t side, size_t j, size_t state, size_t allele) const {
  const size_t parent = *members_[child].parents[side];
  if (members_[parent].has_one_haplotype) return allele == 1 ? CopiedAlt(parent, 0, j) : 1 - CopiedAlt(parent, 0, j);
  return Transmission(people_[parent].haplotypes[Bit(state, side)][j], allele);
}

// Returns this probability where nothing tells the child's alleles: it is that of the parent's haplotype.
float FamilySampler::InheritedProbability(size_t child, size_t side, size_t j, size_t state, size_t allele) const {
  const float alt = Alt(*members_[child].parents[side], Bit(state, side), j);
  return allele == 1 ? alt : 1 - alt;
}

// Returns the likelihoods of a person's genotypes, without its parents.
FamilySampler::Genotypes FamilySampler::Weights(size_t i, size_t j) const {
  Genotypes weights;
  for (size_t g = 0; g < weights.size(); ++g) {
    weights[g] = Penetrance(i, j, g) * (people_[i].evidence.empty() ? 1 : people_[i].evidence[j][g]);
  }
  return weights;
}

// Returns the likelihood of a child whose genotypes have these likelihoods, given what it has inherited.
float FamilySampler::Likelihood(const Genotypes& weights, size_t child, size_t j, size_t state,
                                ParentGenotype given) const {
  float likelihood = 0;
  for (size_t g = 0; g < weights.size(); ++g) {
    float probability = weights[g];
    for (size_t side = 0; side < 2; ++side) {
      const size_t allele = Bit(g, side);
      probability *= Bit(given.mask, side) == 0 ? AlleleProbability(child, side, j, state, allele)
                                                : Transmission(Bit(given.genotype, Bit(state, side)), allele);
    }
    likelihood += probability;
  }
  return likelihood;
}

FamilySampler::States FamilySampler::Emission(size_t child, size_t j, ParentGenotype given) const {
  States emission{1, 1, 1, 1};
  if (IsUninformative(child, j)) return emission;
  const Genotypes weights = Weights(child, j);
  for (size_t s = 0; s < kStates; ++s) emission[s] = Likelihood(weights, child, j, s, given);
  return emission;
}

// Sets the evidence of a person's children, given what these have inherited now.
void FamilySampler::UpdateEvidence(size_t i) {
  if (people_[i].children.empty()) return;
  people_[i].evidence.assign(num_markers(), {1, 1, 1, 1});
  for (const size_t child : people_[i].children) {
    for (size_t j = 0; j < num_markers(); ++j) {
      if (!IsUninformative(child, j)) AddEvidence(child, i, j, people_[i].evidence[j]);
    }
  }
}

void FamilySampler::AddEvidence(size_t child, size_t parent, size_t j, Genotypes& evidence) const {
  const Person& person = people_[child];
  const size_t state = person.inherited[0][j] + 2u * person.inherited[1][j], mask = Mask(child, parent);
  const Genotypes weights = Weights(child, j);
  for (size_t g = 0; g < evidence.size(); ++g) evidence[g] *= Likelihood(weights, child, j, state, {mask, g});
  Normalize(evidence);
}

// Draws what a child has inherited, and then its alleles.
void FamilySampler::DrawChild(size_t i, Choice choice, bool is_averaged) {
  const std::vector<States> forward = Forward(i);
  const std::vector<States> backward = is_averaged ? Backward(i) : std::vector<States>();
  States ahead{1, 1, 1, 1};  // of the states that were drawn, given those at the present marker
  for (size_t j = num_markers(); j-- > 0;) {
    States weights, probability;
    for (size_t s = 0; s < kStates; ++s) {
      weights[s] = forward[j][s] * ahead[s];
      if (is_averaged) probability[s] = forward[j][s] * backward[j][s];
    }
    const size_t state = ChooseIndex(std::span<const float>(weights), choice, random_);
    for (size_t side = 0; side < 2; ++side) people_[i].inherited[side][j] = static_cast<uint8_t>(Bit(state, side));
    DrawGenotype(i, j, state, choice);
    if (is_averaged) {
      Normalize(probability);
      AddChild(i, j, probability);
    }
    States drawn{};
    drawn[state] = 1;
    if (j > 0) ahead = Moved(j, drawn);
  }
}

// Returns the probabilities of a child's states given all data up to each marker: [m].
std::vector<FamilySampler::States> FamilySampler::Forward(size_t child) const {
  std::vector<States> forward(num_markers());
  for (size_t j = 0; j < num_markers(); ++j) {
    forward[j] = j == 0 ? States{0.25f, 0.25f, 0.25f, 0.25f} : Moved(j, forward[j - 1]);
    const States emission = Emission(child, j);
    for (size_t s = 0; s < kStates; ++s) forward[j][s] *= emission[s];
    Normalize(forward[j]);
  }
  return forward;
}

void FamilySampler::DrawGenotype(size_t i, size_t j, size_t state, Choice choice) {
  Genotypes weights = Weights(i, j);
  for (size_t g = 0; g < weights.size(); ++g) {
    weights[g] *= AlleleProbability(i, 0, j, state, First(g)) * AlleleProbability(i, 1, j, state, Second(g));
  }
  SetGenotype(i, j, ChooseIndex(std::span<const float>(weights), choice, random_));
}

void FamilySampler::SetGenotype(size_t i, size_t j, size_t genotype) {
  for (size_t side = 0; side < 2; ++side) people_[i].haplotypes[side][j] = static_cast<uint8_t>(Bit(genotype, side));
}

// Adds the genotype probabilities of a child, given those of its states.
void FamilySampler::AddChild(size_t i, size_t j, const States& probability) {
  const bool is_informative = IsInformative(i, j);
  const Genotypes weights = Weights(i, j);
  Genotypes sum{};
  for (size_t s = 0; s < kStates; ++s) {
    Genotypes given;
    for (size_t g = 0; g < given.size(); ++g) {
      given[g] = is_informative
                     ? weights[g] * AlleleProbability(i, 0, j, s, First(g)) * AlleleProbability(i, 1, j, s, Second(g))
                     : InheritedProbability(i, 0, j, s, First(g)) * InheritedProbability(i, 1, j, s, Second(g));
    }
    Normalize(given);
    for (size_t g = 0; g < given.size(); ++g) sum[g] += probability[s] * given[g];
  }
  for (size_t g = 0; g < sum.size(); ++g) people_[i].sum[j][g] += sum[g];
}

// Returns the likelihoods of all data of a child after each marker, given its state there: [m].
std::vector<FamilySampler::States> FamilySampler::Backward(size_t child) const {
  std::vector<States> backward(num_markers(), {1, 1, 1, 1});
  for (size_t j = num_markers() - 1; j > 0; --j) {
    const States emission = Emission(child, j);
    States at;
    for (size_t s = 0; s < kStates; ++s) at[s] = backward[j][s] * emission[s];
    Normalize(at);
    backward[j - 1] = Moved(j, at);
  }
  return backward;
}

// The children of a founder while its haplotypes are drawn.
struct FamilySampler::Offspring {
  size_t child, mask;
  std::vector<States> backward;  // [m] with the founder's haplotypes as they were
  States before;                 // of the states at the present marker, given all before it
};

// Draws a founder's haplotypes, given all of its children. Alleles ahead of the present marker are those of the last
// draw, exchanged if `is_exchanged`. The order is that of the heterozygotes of the copying model, relative to it.
void FamilySampler::DrawFounder(size_t i, Choice choice, bool is_averaged) {
  std::vector<Offspring> children;
  for (const size_t child : people_[i].children) {
    children.push_back({child, Mask(child, i), Backward(child), {0.25f, 0.25f, 0.25f, 0.25f}});
  }
  const CopiedPhase copied(members_[i]);
  bool is_exchanged = false, order = false;
  for (size_t j = 0; j < num_markers(); ++j) {
    for (Offspring& c : children) MoveTo(j, is_exchanged, c);
    const auto order_with = [&](const Option& option) {
      const bool is_ordered = copied.IsHeterozygous(j) && IsHeterozygous(option.genotype);
      return is_ordered ? copied.Order(j, First(option.genotype)) : order;
    };
    const size_t next = copied.next(j);
    const bool next_order = next < num_markers() && copied.Order(next, people_[i].haplotypes[0][next]) != is_exchanged;
    const std::vector<Option> options = ListOptions(i, j);
    std::vector<double> log_weights;
    for (const Option& option : options) {
      const bool here = order_with(option);
      double weight = std::log(option.prior);
      if (copied.IsHeterozygous(j)) weight += copied.LogSwitchError(j, here != order);
      if (next < num_markers()) weight += copied.LogSwitchError(next, here != (next_order != option.exchanges_ahead));
      for (const Offspring& c : children) {
        weight += LogLikelihood(c, j, option.genotype, option.exchanges_ahead != is_exchanged);
      }
      log_weights.push_back(weight);
    }
    const std::vector<float> weights = Normalized(log_weights);
    for (size_t k = 0; is_averaged && k < options.size(); ++k) {
      AddFounder(i, j, options[k].genotype, weights[k]);
      if (order_with(options[k]) != order) people_[i].switches[j] += weights[k];
    }
    const Option& chosen = options[ChooseIndex(std::span<const float>(weights), choice, random_)];
    order = order_with(chosen);
    people_[i].is_exchanged[j] = order;
    is_exchanged = is_exchanged != chosen.exchanges_ahead;
    SetGenotype(i, j, chosen.genotype);
    if (is_averaged) people_[i].first[j] = static_cast<uint16_t>(people_[i].first[j] << 1 | First(chosen.genotype));
    for (Offspring& c : children) Pass(j, chosen.genotype, c);
  }
}

// Moves the states of a founder's child to marker j. What it has inherited there, as it was drawn last, is exchanged
// with the founder's haplotypes.
void FamilySampler::MoveTo(size_t j, bool is_exchanged, Offspring& c) {
  if (j > 0) c.before = Moved(j, c.before);
  if (!is_exchanged) return;
  for (size_t side = 0; side < 2; ++side) {
    if (Bit(c.mask, side) == 1) people_[c.child].inherited[side][j] ^= 1;
  }
}

// Moves the states of a founder's child past the genotype of marker j.
void FamilySampler::Pass(size_t j, size_t genotype, Offspring& c) const {
  const States emission = Emission(c.child, j, {c.mask, genotype});
  for (size_t s = 0; s < kStates; ++s) c.before[s] *= emission[s];
  Normalize(c.before);
}

// Lists the genotypes that a founder may have, with those of the copying model as prior.
std::vector<FamilySampler::Option> FamilySampler::ListOptions(size_t i, size_t j) const {
  Genotypes prior;
  for (size_t g = 0; g < prior.size(); ++g) {
    const auto copied = [&](size_t genotype) {
      const float first = CopiedAlt(i, 0, j), second = CopiedAlt(i, 1, j);
      return (First(genotype) == 1 ? first : 1 - first) * (Second(genotype) == 1 ? second : 1 - second);
    };
    prior[g] = Penetrance(i, j, g) * (copied(g) + copied(Exchanged(g)));
  }
  const float least = kLeastPrior * *std::ranges::max_element(prior);
  std::vector<Option> options;
  for (size_t g = 0; g < prior.size(); ++g) {
    if (prior[g] < least) continue;
    options.push_back({g, false, prior[g]});
    if (IsHeterozygous(g) && j + 1 < num_markers()) options.push_back({g, true, prior[g]});
  }
  return options;
}

// Returns the logarithm of the likelihood of a child, if the founder has a genotype at marker j, and its haplotypes
// ahead are exchanged or not relative to the last draw.
double FamilySampler::LogLikelihood(const Offspring& c, size_t j, size_t genotype, bool is_exchanged) const {
  const States emission = Emission(c.child, j, {c.mask, genotype});
  const size_t mask = is_exchanged ? c.mask : 0;
  double likelihood = 0;
  for (size_t s = 0; s < kStates; ++s) likelihood += c.before[s] * emission[s] * c.backward[j][s ^ mask];
  return std::log(std::max(likelihood, 1e-30));
}

// Adds the probability of a founder's genotype, in either order.
void FamilySampler::AddFounder(size_t i, size_t j, size_t genotype, float probability) {
  people_[i].sum[j][genotype] += probability / 2;
  people_[i].sum[j][Exchanged(genotype)] += probability / 2;
}

// Gives a founder the phase that most draws have at each heterozygote of the copying model, relative to the one before.
void FamilySampler::SetMeanPhase(size_t i) {
  const CopiedPhase copied(members_[i]);
  bool order = false;
  for (size_t j = 0; j < num_markers(); ++j) {
    if (!copied.IsHeterozygous(j)) continue;
    if (people_[i].switches[j] > 0.5f * kAveraged) order = !order;
    for (size_t c = 0; c < 2; ++c) {
      people_[i].haplotypes[c][j] = (members_[i].alt[c][j] > 0.5f) != order ? 1 : 0;
    }
  }
}

// Returns haplotypes that have the mean probabilities of both orders of the genotype: the more probable order of a
// child or, of a founder, that of the last draw.
FamilyHaplotypes FamilySampler::Result(size_t i) const {
  FamilyHaplotypes result{std::vector<float>(num_markers()), std::vector<float>(num_markers())};
  for (size_t j = 0; j < num_markers(); ++j) {
    Genotypes p = people_[i].sum[j];
    Normalize(p);
    const float mean = 0.5f * (p[1] + p[2]) + p[3];
    const float difference = std::sqrt(std::max(mean * mean - p[3], 0.0f));
    const auto& drawn = people_[i].haplotypes;
    const bool is_ordered = !IsFounder(i) && std::abs(p[1] - p[2]) > kOrdered * (p[1] + p[2]);
    const bool first_is_larger = is_ordered ? p[1] >= p[2] : drawn[0][j] >= drawn[1][j];
    result[first_is_larger ? 0 : 1][j] = std::min(mean + difference, 1.0f);
    result[first_is_larger ? 1 : 0][j] = std::max(mean - difference, 0.0f);
  }
  return result;
}

InferredHaplotypes FamilySampler::Inferred(size_t i) const {
  InferredHaplotypes inferred{.alleles = {}, .set = std::vector<uint32_t>(num_markers())};
  for (std::vector<uint8_t>& alleles : inferred.alleles) alleles.assign(num_markers(), kMissingAllele);
  std::optional<size_t> before;  // the heterozygote
  uint32_t set = 1;
  for (size_t j = 0; j < num_markers(); ++j) {
    Genotypes p = Weights(i, j);
    if (members_[i].has_one_haplotype) p[1] = p[2] = 0;
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
  const auto differ = static_cast<uint16_t>(people_[i].first[j] ^ people_[i].first[k]);
  const int trans = std::popcount(differ);
  return static_cast<float>(is_cis ? kAveraged - trans : trans) >= kTogether * kAveraged;
}

}  // namespace haplospin
