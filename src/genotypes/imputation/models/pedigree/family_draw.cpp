#include "genotypes/imputation/models/pedigree/family_draw.h"

#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr float kWrongGenotype = 2e-3f;      // probability of a wrong call
constexpr float kWrongTransmission = 1e-3f;  // of an allele that is not the parent's: parents have wrong alleles
constexpr float kLeastCopied = 0.01f;        // no allele of a copying model is more certain
constexpr float kLeastEvidence = 1e-4f;      // likelihoods that differ less tell nothing
constexpr float kLeastRecombination = 1e-6f;

// Haldane's map function.
float Recombination(double centimorgans) {
  return std::max(static_cast<float>(0.5 * -std::expm1(-0.02 * centimorgans)), kLeastRecombination);
}

}  // namespace

FamilyDraw::FamilyDraw(std::span<const FamilyMember> members, std::span<const double> centimorgans)
    : members_(members), people_(members.size()) {
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
    for (size_t c = 0; c < 2; ++c) {
      people_[i].haplotypes[c].assign(num_markers(), 0);
      people_[i].inherited[c].assign(num_markers(), 0);
    }
    if (!IsFounder(i)) {
      UpdateInherited(i);
      continue;
    }
    people_[i].is_exchanged.assign(num_markers(), false);
    for (size_t c = 0; c < 2; ++c) {
      for (size_t j = 0; j < num_markers(); ++j) people_[i].haplotypes[c][j] = members[i].alt[c][j] > 0.5f ? 1 : 0;
    }
  }
}

void FamilyDraw::SetState(size_t child, size_t j, size_t state) {
  for (size_t side = 0; side < 2; ++side)
    people_[child].inherited[side][j] = static_cast<uint8_t>(SideBit(state, side));
}

size_t FamilyDraw::Sides(size_t child, size_t parent) const {
  const auto& parents = members_[child].parents;
  return (parents[0] == parent ? 1u : 0u) | (parents[1] == parent ? 2u : 0u);
}

float FamilyDraw::CopiedAlt(size_t i, size_t haplotype, size_t j) const {
  return std::clamp(members_[i].alt[haplotype][j], kLeastCopied, 1 - kLeastCopied);
}

// Returns whether a person has a genotype, or other data that tell of it.
bool FamilyDraw::HasData(size_t i, size_t j) const {
  const FamilyMember& member = members_[i];
  if (member.genotype[j] != kUnknownGenotype) return true;
  return !member.likelihood.empty() && std::ranges::min(member.likelihood[j]) < 1;
}

float FamilyDraw::Penetrance(size_t i, size_t j, size_t genotype) const {
  const uint8_t known = members_[i].genotype[j];
  if (known == kUnknownGenotype && !members_[i].likelihood.empty()) {
    return members_[i].likelihood[j][FirstAllele(genotype) + SecondAllele(genotype)];
  }
  if (known == kUnknownGenotype) return 1;
  return FirstAllele(genotype) + SecondAllele(genotype) == known ? 1 - kWrongGenotype : kWrongGenotype / 2;
}

// Returns whether neither the genotype nor the children of a person tell which alleles it has.
bool FamilyDraw::IsUninformative(size_t i, size_t j) const { return !HasData(i, j) && people_[i].evidence.empty(); }

bool FamilyDraw::IsInformative(size_t i, size_t j) const {
  if (HasData(i, j)) return true;
  if (people_[i].evidence.empty()) return false;
  const auto [least, largest] = std::ranges::minmax(people_[i].evidence[j]);
  return largest - least > kLeastEvidence;
}

float FamilyDraw::Alt(size_t i, size_t haplotype, size_t j) const {
  if (IsInformative(i, j)) return static_cast<float>(people_[i].haplotypes[haplotype][j]);
  if (members_[i].has_one_haplotype) return CopiedAlt(i, 0, j);
  if (IsFounder(i)) return CopiedAlt(i, people_[i].is_exchanged[j] ? 1 - haplotype : haplotype, j);
  const float alt = Alt(*members_[i].parents[haplotype], people_[i].inherited[haplotype][j], j);
  return kWrongTransmission + (1 - 2 * kWrongTransmission) * alt;
}

InheritedStates FamilyDraw::Moved(size_t j, const InheritedStates& from) const {
  InheritedStates to = from;
  const float t = recombination_[j];
  for (size_t side = 0; side < 2; ++side) {
    const size_t bit = size_t{1} << side;
    for (size_t s = 0; s < kInheritedStates; ++s) {
      if ((s & bit) != 0) continue;
      const float zero = to[s], one = to[s | bit];
      to[s] = zero + t * (one - zero);
      to[s | bit] = one + t * (zero - one);
    }
  }
  return to;
}

float FamilyDraw::AltProbability(size_t child, size_t side, size_t j, size_t haplotype) const {
  const size_t parent = *members_[child].parents[side];
  if (members_[parent].has_one_haplotype) return CopiedAlt(parent, 0, j);
  return people_[parent].haplotypes[haplotype][j] == 1 ? 1 - kWrongTransmission : kWrongTransmission;
}

OrderedGenotypes FamilyDraw::Weights(size_t i, size_t j) const {
  OrderedGenotypes weights;
  for (size_t g = 0; g < weights.size(); ++g) {
    weights[g] = Penetrance(i, j, g) * (people_[i].evidence.empty() ? 1 : people_[i].evidence[j][g]);
  }
  return weights;
}

// Returns the likelihoods of a child's data by the alleles of its parents that it has inherited. The allele of a parent
// with one haplotype is as probable as in its copying model, except on the known sides.
OrderedGenotypes FamilyDraw::InheritedLikelihoods(size_t child, size_t j, size_t known_sides) const {
  if (IsUninformative(child, j)) return {1, 1, 1, 1};
  OrderedGenotypes likelihoods = Weights(child, j);
  for (size_t side = 0; side < 2; ++side) {
    const size_t parent = *members_[child].parents[side], bit = size_t{1} << side;
    const bool is_copied = members_[parent].has_one_haplotype && (known_sides & bit) == 0;
    const float ref_to_alt = is_copied ? CopiedAlt(parent, 0, j) : kWrongTransmission;
    const float alt_to_alt = is_copied ? ref_to_alt : 1 - kWrongTransmission;
    for (size_t g = 0; g < likelihoods.size(); ++g) {
      if ((g & bit) != 0) continue;
      const float zero = likelihoods[g], one = likelihoods[g | bit];
      likelihoods[g] = zero + ref_to_alt * (one - zero);
      likelihoods[g | bit] = zero + alt_to_alt * (one - zero);
    }
  }
  return likelihoods;
}

void FamilyDraw::UpdateInherited(size_t i) {
  people_[i].inherited_likelihoods.resize(num_markers());
  for (size_t j = 0; j < num_markers(); ++j) people_[i].inherited_likelihoods[j] = InheritedLikelihoods(i, j, 0);
}

InheritedStates FamilyDraw::Emission(size_t child, size_t j, ParentGenotype given) const {
  std::array<std::array<size_t, 2>, 2> alleles;  // [side][haplotype of the parent]
  for (size_t side = 0; side < 2; ++side) {
    const auto& haplotypes = people_[*members_[child].parents[side]].haplotypes;
    for (size_t c = 0; c < 2; ++c) {
      alleles[side][c] = SideBit(given.sides, side) == 1 ? SideBit(given.genotype, c) : haplotypes[c][j];
    }
  }
  const OrderedGenotypes& likelihoods = people_[child].inherited_likelihoods[j];
  InheritedStates emission;
  for (size_t s = 0; s < kInheritedStates; ++s)
    emission[s] = likelihoods[alleles[0][SideBit(s, 0)] + 2 * alleles[1][SideBit(s, 1)]];
  return emission;
}

void FamilyDraw::UpdateEvidence(size_t i) {
  if (people_[i].children.empty()) return;
  people_[i].evidence.assign(num_markers(), {1, 1, 1, 1});
  for (const size_t child : people_[i].children) {
    for (size_t j = 0; j < num_markers(); ++j) {
      if (!IsUninformative(child, j)) AddEvidence(child, i, j, people_[i].evidence[j]);
    }
  }
  if (!IsFounder(i)) UpdateInherited(i);
}

void FamilyDraw::AddEvidence(size_t child, size_t parent, size_t j, OrderedGenotypes& evidence) const {
  const Person& person = people_[child];
  const size_t sides = Sides(child, parent);
  const OrderedGenotypes likelihoods =
      members_[parent].has_one_haplotype ? InheritedLikelihoods(child, j, sides) : person.inherited_likelihoods[j];
  for (size_t g = 0; g < evidence.size(); ++g) {
    size_t alleles = 0;
    for (size_t side = 0; side < 2; ++side) {
      const size_t c = person.inherited[side][j];
      const auto& haplotypes = people_[*members_[child].parents[side]].haplotypes;
      alleles |= (SideBit(sides, side) == 1 ? SideBit(g, c) : haplotypes[c][j]) << side;
    }
    evidence[g] *= likelihoods[alleles];
  }
  Normalize(evidence);
}

std::vector<InheritedStates> FamilyDraw::Forward(size_t child) const {
  std::vector<InheritedStates> forward(num_markers());
  for (size_t j = 0; j < num_markers(); ++j) {
    forward[j] = j == 0 ? InheritedStates{0.25f, 0.25f, 0.25f, 0.25f} : Moved(j, forward[j - 1]);
    const InheritedStates emission = Emission(child, j);
    for (size_t s = 0; s < kInheritedStates; ++s) forward[j][s] *= emission[s];
    Normalize(forward[j]);
  }
  return forward;
}

void FamilyDraw::SetGenotype(size_t i, size_t j, size_t genotype) {
  for (size_t side = 0; side < 2; ++side)
    people_[i].haplotypes[side][j] = static_cast<uint8_t>(SideBit(genotype, side));
}

std::vector<InheritedStates> FamilyDraw::Backward(size_t child) const {
  std::vector<InheritedStates> backward(num_markers(), {1, 1, 1, 1});
  for (size_t j = num_markers() - 1; j > 0; --j) {
    const InheritedStates emission = Emission(child, j);
    InheritedStates at;
    for (size_t s = 0; s < kInheritedStates; ++s) at[s] = backward[j][s] * emission[s];
    Normalize(at);
    backward[j - 1] = Moved(j, at);
  }
  return backward;
}

}  // namespace haplospin
