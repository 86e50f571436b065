#include "genotypes/imputation/models/pedigree/family_search.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "genotypes/imputation/models/pedigree/ancestors.h"
#include "genotypes/imputation/models/pedigree/opposite_homozygotes.h"
#include "genotypes/imputation/models/pedigree/transmission_evidence.h"

namespace haplospin {
namespace {

constexpr double kFirstError = 0.005, kMinError = 0.0005, kMaxError = 0.05;
constexpr int kRounds = 2;              // the error rate is that of the families found before
constexpr double kPossible = -3;        // log ratio of a candidate that may be one of two parents
constexpr double kDecisive = 7;         // log ratio; with ten close relatives, a sample in a hundred has a false parent
constexpr double kMinGain = 0.02;       // nats at a marker
constexpr double kMaxDifferent = 0.03;  // share of different genotypes of one person, or one line, typed twice
constexpr size_t kMinChildren = 4;      // of a parent that is known as one by their number
constexpr double kMaxErrors = 0.05;     // of two parents
constexpr double kMaxAlike = 0.25;
constexpr double kDenser = 1.5;  // ratio of the markers of two chips

// Samples that are close, whether there is enough evidence or not.
constexpr double kMinExpectedOfClose = 20;  // opposite homozygotes
constexpr double kMaxOfClose = 0.05;
constexpr double kMinGainOfClose = 0.05;  // nats at a marker

struct Candidate {
  size_t sample;
  double evidence;
};

struct Parents {
  size_t child;
  size_t first, second;
  double evidence;
};

// Returns the share of the genotypes of both that are different.
double DifferentShare(const SpacedGenotypes& genotypes, size_t a, size_t b) {
  size_t both = 0, same = 0;
  for (size_t w = 0; w < genotypes.num_words(); ++w) {
    const auto markers = genotypes.Compare(a, b, w);
    both += static_cast<size_t>(std::popcount(markers.both));
    same += static_cast<size_t>(std::popcount(markers.same));
  }
  return both == 0 ? 0 : 1 - static_cast<double>(same) / static_cast<double>(both);
}

// Who is a child of whom.
class Generations {
 public:
  explicit Generations(size_t samples) : parents_(samples) {}

  const std::vector<size_t>& parents(size_t child) const { return parents_[child]; }

  bool AreParentAndChild(size_t a, size_t b) const {
    const auto is_child = [&](size_t child, size_t parent) {
      return std::ranges::find(parents_[child], parent) != parents_[child].end();
    };
    return is_child(a, b) || is_child(b, a);
  }

  // Returns false if somebody would be an ancestor of himself.
  bool Add(size_t child, std::span<const size_t> parents) {
    const auto for_each_parent = [this](size_t person, const auto& visit) {
      std::ranges::for_each(parents_[person], visit);
    };
    for (const size_t parent : parents) {
      if (IsAncestor(child, parent, parents_.size(), for_each_parent)) return false;
    }
    parents_[child].assign(parents.begin(), parents.end());
    return true;
  }

 private:
  std::vector<std::vector<size_t>> parents_;  // [samples]
};

class FamilySearch {
 public:
  explicit FamilySearch(const SpacedGenotypes& genotypes)
      : genotypes_(genotypes),
        homozygotes_(genotypes),
        sharing_(homozygotes_.Sharing()),
        alike_(homozygotes_.AlikeStretches()),
        pairs_(homozygotes_.ClosePairs()),
        generations_(genotypes.num_samples()) {
    if (alike_ > kMaxAlike) pairs_.clear();
    std::erase_if(pairs_, [&](const auto& p) { return DifferentShare(genotypes, p.first, p.second) < kMaxDifferent; });
    for (size_t s = 0; s < genotypes.num_samples(); ++s) called_.push_back(genotypes.NumCalled(s));
  }

  FoundFamilies Run() {
    for (int round = 0; round < kRounds; ++round) {
      evidence_.emplace(genotypes_, error_, alike_);
      FindCandidates();
      FindTrios();
      EstimateError();
    }
    AddTrios();
    AddDuos();
    return Result();
  }

 private:
  // That of the one with fewer relatives: many samples may be children of the other.
  double Sharing(size_t a, size_t b) const { return std::max(sharing_[a], sharing_[b]); }

  using Partners = std::vector<std::vector<size_t>>;

  // Whether a was typed on a larger chip than b.
  bool IsDenser(size_t a, size_t b) const {
    return static_cast<double>(called_[a]) > kDenser * static_cast<double>(called_[b]);
  }

  void FindCandidates();
  std::optional<Parents> FindParents(size_t child) const;
  std::optional<double> Evidence(size_t child, size_t first, size_t second) const;
  bool MayBeParents(size_t child, size_t first, size_t second) const;
  void FindTrios();
  void EstimateError();
  void AddTrios();
  void AddDuos();
  std::optional<size_t> FindChild(size_t a, size_t b, const Partners& partners) const;
  std::vector<std::pair<size_t, size_t>> OtherPairs() const;
  std::vector<bool> Fathers() const;
  size_t NumUndecided() const;
  FoundFamilies Result() const;

  const SpacedGenotypes& genotypes_;
  OppositeHomozygotes homozygotes_;
  std::vector<double> sharing_;  // [samples]
  double alike_;
  std::vector<std::pair<size_t, size_t>> pairs_;  // that are close
  std::vector<size_t> called_;                    // [samples] markers
  double error_ = kFirstError;
  std::optional<TransmissionEvidence> evidence_;
  std::vector<double> pair_evidence_;               // [pairs]
  std::vector<std::vector<Candidate>> candidates_;  // [samples]
  std::vector<Parents> trios_;
  Generations generations_;
};

void FamilySearch::FindCandidates() {
  pair_evidence_.assign(pairs_.size(), 0);
  tbb::parallel_for(size_t{0}, pairs_.size(), [&](size_t i) {
    const auto [a, b] = pairs_[i];
    pair_evidence_[i] = evidence_->Parent(a, b, Sharing(a, b));
  });
  candidates_.assign(genotypes_.num_samples(), {});
  for (size_t i = 0; i < pairs_.size(); ++i) {
    if (pair_evidence_[i] < kPossible) continue;
    candidates_[pairs_[i].first].push_back({pairs_[i].second, pair_evidence_[i]});
    candidates_[pairs_[i].second].push_back({pairs_[i].first, pair_evidence_[i]});
  }
}

// Parents who are homozygous for the same allele have no heterozygous child. This is fast to see.
bool FamilySearch::MayBeParents(size_t child, size_t first, size_t second) const {
  size_t errors = 0, markers = 0;
  const std::span het = genotypes_.Bits(child, 1);
  for (size_t w = 0; w < genotypes_.num_words(); ++w) {
    const uint64_t a0 = genotypes_.Bits(first, 0)[w], a2 = genotypes_.Bits(first, 2)[w];
    const uint64_t b0 = genotypes_.Bits(second, 0)[w], b2 = genotypes_.Bits(second, 2)[w];
    const uint64_t called = (a0 | a2 | genotypes_.Bits(first, 1)[w]) & (b0 | b2 | genotypes_.Bits(second, 1)[w]);
    errors += static_cast<size_t>(std::popcount(het[w] & ((a0 & b0) | (a2 & b2))));
    markers += static_cast<size_t>(std::popcount(het[w] & called));
  }
  return static_cast<double>(errors) <= kMaxErrors * static_cast<double>(markers) + 3;
}

std::optional<double> FamilySearch::Evidence(size_t child, size_t first, size_t second) const {
  if (!MayBeParents(child, first, second)) return std::nullopt;
  const double second_evidence = evidence_->SecondParent(child, second, first, Sharing(child, second));
  if (second_evidence < kDecisive) return std::nullopt;
  const double first_evidence = evidence_->SecondParent(child, first, second, Sharing(child, first));
  if (first_evidence < kDecisive) return std::nullopt;
  const bool is_informative = evidence_->SecondGain(child, second, first) >= kMinGain &&
                              evidence_->SecondGain(child, first, second) >= kMinGain;
  return is_informative ? std::optional(first_evidence + second_evidence) : std::nullopt;
}

std::optional<Parents> FamilySearch::FindParents(size_t child) const {
  std::optional<Parents> best;
  const std::vector<Candidate>& candidates = candidates_[child];
  for (size_t i = 0; i < candidates.size(); ++i) {
    for (size_t j = i; j < candidates.size(); ++j) {
      const size_t first = candidates[i].sample, second = candidates[j].sample;
      const std::optional<double> evidence = Evidence(child, first, second);
      if (evidence && (!best || *evidence > best->evidence)) best = Parents{child, first, second, *evidence};
    }
  }
  return best;
}

void FamilySearch::FindTrios() {
  std::vector<std::optional<Parents>> found(genotypes_.num_samples());
  tbb::parallel_for(size_t{0}, found.size(), [&](size_t child) { found[child] = FindParents(child); });
  trios_.clear();
  for (const auto& parents : found) {
    if (parents) trios_.push_back(*parents);
  }
}

// The rate of errors is that in the families found, as if 500 markers had shown the first rate.
void FamilySearch::EstimateError() {
  constexpr double kPrior = 500;
  double errors = kFirstError * kPrior, markers = kPrior;
  const auto add = [&](const TransmissionEvidence::Errors& e) {
    errors += static_cast<double>(e.errors);
    markers += static_cast<double>(e.markers);
  };
  for (const Parents& trio : trios_) {
    add(evidence_->SecondParentErrors(trio.child, trio.first, trio.second));
    add(evidence_->SecondParentErrors(trio.child, trio.second, trio.first));
  }
  for (size_t i = 0; i < pairs_.size(); ++i) {
    if (pair_evidence_[i] < kDecisive) continue;
    const HomozygoteCounts counts = homozygotes_.Count(pairs_[i].first, pairs_[i].second);
    add({counts.opposite, counts.both});
  }
  error_ = std::clamp(errors / markers, kMinError, kMaxError);
}

void FamilySearch::AddTrios() {
  std::ranges::stable_sort(trios_, [](const Parents& a, const Parents& b) { return a.evidence > b.evidence; });
  std::erase_if(trios_, [&](const Parents& trio) {
    const size_t parents[] = {trio.first, trio.second};
    return !generations_.Add(trio.child, std::span(parents, trio.first == trio.second ? 1 : 2));
  });
}

// Returns which of two that are parent and child is the child. `partners` [samples] are those with whom a sample is in
// such pairs.
std::optional<size_t> FamilySearch::FindChild(size_t a, size_t b, const Partners& partners) const {
  const bool a_is_known = !generations_.parents(a).empty(), b_is_known = !generations_.parents(b).empty();
  if (a_is_known && b_is_known) return std::nullopt;
  if (a_is_known != b_is_known) return a_is_known ? b : a;
  if (IsDenser(a, b)) return b;
  if (IsDenser(b, a)) return a;
  // Of the partners of a parent of several, one may be its own parent, which has no smaller chip than the others.
  const auto is_parent = [&](size_t parent, size_t child) {
    return partners[parent].size() >= kMinChildren && partners[child].size() == 1 &&
           std::ranges::none_of(partners[parent], [&](size_t other) { return IsDenser(child, other); });
  };
  if (is_parent(a, b)) return b;
  if (is_parent(b, a)) return a;
  return std::nullopt;
}

// Returns the pairs that are parent and child and in no trio, the most certain ones first.
std::vector<std::pair<size_t, size_t>> FamilySearch::OtherPairs() const {
  std::vector<std::pair<double, std::pair<size_t, size_t>>> sorted;
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const auto [a, b] = pairs_[i];
    if (pair_evidence_[i] < kDecisive || generations_.AreParentAndChild(a, b) || evidence_->Gain(a, b) < kMinGain)
      continue;
    sorted.emplace_back(-pair_evidence_[i], pairs_[i]);
  }
  std::ranges::sort(sorted);
  std::vector<std::pair<size_t, size_t>> pairs;
  for (const auto& [evidence, pair] : sorted) pairs.push_back(pair);
  return pairs;
}

void FamilySearch::AddDuos() {
  const std::vector<std::pair<size_t, size_t>> pairs = OtherPairs();
  Partners partners(genotypes_.num_samples());
  for (const auto& [a, b] : pairs) {
    partners[a].push_back(b);
    partners[b].push_back(a);
  }
  std::vector<std::array<size_t, 2>> found;  // child and parent
  for (const auto& [a, b] : pairs) {
    const std::optional<size_t> child = FindChild(a, b, partners);
    if (child) found.push_back({*child, *child == a ? b : a});
  }
  for (const auto& [child, parent] : found) {
    if (generations_.parents(child).empty()) generations_.Add(child, std::span(&parent, 1));
  }
}

// Returns who is called father where he is a parent: of two parents one, as far as nobody is both.
std::vector<bool> FamilySearch::Fathers() const {
  std::vector<std::vector<size_t>> mates(genotypes_.num_samples());
  for (const Parents& trio : trios_) {
    mates[trio.first].push_back(trio.second);
    mates[trio.second].push_back(trio.first);
  }
  std::vector<std::optional<bool>> is_father(mates.size());
  std::vector<bool> fathers;
  for (size_t s = 0; s < mates.size(); ++s) {
    std::vector<size_t> open;
    if (!is_father[s]) {
      is_father[s] = true;
      open.push_back(s);
    }
    while (!open.empty()) {
      const size_t person = open.back();
      open.pop_back();
      for (const size_t mate : mates[person]) {
        if (is_father[mate]) continue;
        is_father[mate] = !*is_father[person];
        open.push_back(mate);
      }
    }
    fathers.push_back(*is_father[s]);
  }
  return fathers;
}

// Returns the samples with somebody who looks like a parent, and for whom none was found.
size_t FamilySearch::NumUndecided() const {
  std::vector<bool> is_undecided(genotypes_.num_samples());
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const auto [a, b] = pairs_[i];
    const HomozygoteCounts counts = homozygotes_.Count(a, b);
    const double expected = homozygotes_.Expected(counts.both);
    const bool is_close = expected >= kMinExpectedOfClose && counts.opposite <= kMaxOfClose * expected;
    if (!is_close || generations_.AreParentAndChild(a, b) || evidence_->Gain(a, b) < kMinGainOfClose) continue;
    for (const size_t s : {a, b}) is_undecided[s] = is_undecided[s] || generations_.parents(s).empty();
  }
  return static_cast<size_t>(std::ranges::count(is_undecided, true));
}

FoundFamilies FamilySearch::Result() const {
  FoundFamilies found;
  found.undecided = NumUndecided();
  const size_t samples = genotypes_.num_samples();
  found.pedigree.num_people = samples;
  std::vector<bool> is_selfed(samples);
  for (const Parents& trio : trios_) is_selfed[trio.child] = trio.first == trio.second;
  const std::vector<bool> is_father = Fathers();
  for (size_t child = 0; child < samples; ++child) {
    std::vector<size_t> parents = generations_.parents(child);
    if (parents.empty()) continue;
    if (is_selfed[child]) parents.push_back(parents[0]);
    if (!is_father[parents[0]]) std::ranges::reverse(parents);
    Trio trio{child, parents.front(), parents.back()};
    if (parents.size() == 1) (is_father[parents[0]] ? trio.mother : trio.father) = std::nullopt;
    (is_selfed[child] ? found.pedigree.selfed : found.pedigree.trios).push_back(trio);
    found.pedigree.descent.push_back(trio);
    ++(parents.size() == 2 ? found.trios : found.duos);
  }
  return found;
}

}  // namespace

FoundFamilies FindFamilies(const SpacedGenotypes& genotypes) {
  FoundFamilies found = FamilySearch(genotypes).Run();
  found.samples = genotypes.num_samples();
  found.markers = genotypes.markers().size();
  found.contigs = genotypes.NumContigs();
  found.centimorgans = genotypes.Span();
  return found;
}

}  // namespace haplospin
