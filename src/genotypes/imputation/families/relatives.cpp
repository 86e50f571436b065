#include "genotypes/imputation/families/relatives.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <optional>

namespace haplospin {
namespace {

constexpr double kLeastFrequency = 0.1;  // of the rarer allele

// Two samples are compared if unrelated ones were expected to have so many opposite homozygotes, and a trio if so many
// of its genotypes are known.
constexpr double kLeastExpected = 25;
constexpr double kLeastExpectedOfDuo =
    200;  // whom no second parent confirms: on few chromosomes, sibs may share as much
constexpr size_t kLeastKnown = 100;

// Parent and child have opposite homozygotes by errors alone, 1 or 2 % of those of unrelated samples; full sibs have a
// quarter.
constexpr double kMaxOpposite = 0.06;
constexpr double kMaxTrioErrors = 0.015;  // of the known genotypes; with another sample as parent, 5 % and more
constexpr double kLeastDifferent = 0.02;  // of the known genotypes; else they are of one animal
constexpr double kFarFewer = 0.5;         // of the genotypes
constexpr size_t kManyChildren = 3;

// The parents of each sample, as they are found.
class Parentage {
 public:
  explicit Parentage(size_t samples) : parents_(samples) {}

  const std::vector<size_t>& operator[](size_t sample) const { return parents_[sample]; }

  bool Includes(size_t child, size_t parent) const {
    return std::ranges::find(parents_[child], parent) != parents_[child].end();
  }

  // Does nothing if the parent descends from the child.
  void Add(size_t child, const std::vector<size_t>& parents) {
    for (const size_t parent : parents) {
      if (Descends(parent, child)) return;
    }
    parents_[child].insert(parents_[child].end(), parents.begin(), parents.end());
  }

 private:
  bool Descends(size_t sample, size_t ancestor) const {
    std::vector<size_t> open{sample};
    std::vector<bool> is_seen(parents_.size());
    while (!open.empty()) {
      const size_t next = open.back();
      open.pop_back();
      if (next == ancestor) return true;
      if (is_seen[next]) continue;
      is_seen[next] = true;
      open.insert(open.end(), parents_[next].begin(), parents_[next].end());
    }
    return false;
  }

  std::vector<std::vector<size_t>> parents_;
};

}  // namespace

void RelativeFinder::Add(const GenotypeRow& row) {
  size_t called = 0, alts = 0;
  for (const uint8_t allele : row.alleles) {
    if (allele == kMissingAllele) continue;
    ++called;
    alts += allele;
  }
  const double p = called > 0 ? static_cast<double>(alts) / static_cast<double>(called) : 0, q = 1 - p;
  if (std::min(p, q) < kLeastFrequency) return;
  homozygous_ += (p * p + q * q) * (p * p + q * q);
  opposite_ += 2 * p * p * q * q;
  for (size_t s = 0; s < samples_.size(); ++s) {
    for (std::vector<uint64_t>& bits : samples_[s].bits) bits.resize(num_markers_ / 64 + 1);
    const uint8_t first = row.alleles[2 * s], second = row.alleles[2 * s + 1];
    if (first == kMissingAllele || second == kMissingAllele) continue;
    samples_[s].bits[first + second][num_markers_ / 64] |= uint64_t{1} << num_markers_ % 64;
  }
  ++num_markers_;
}

// Returns whether two samples have an allele in common everywhere, except for errors, and are not one.
bool RelativeFinder::ShareAlleles(size_t a, size_t b, double least_expected) const {
  const auto &x = samples_[a].bits, &y = samples_[b].bits;
  const auto count = [](uint64_t bits) { return static_cast<size_t>(std::popcount(bits)); };
  size_t homozygous = 0, opposite = 0, different = 0, known = 0;
  const double most = kMaxOpposite * opposite_;
  for (size_t w = 0; w < x[kRef].size() && static_cast<double>(opposite) <= most; ++w) {
    homozygous += count((x[kRef][w] | x[kAlt][w]) & (y[kRef][w] | y[kAlt][w]));
    opposite += count((x[kRef][w] & y[kAlt][w]) | (x[kAlt][w] & y[kRef][w]));
    const uint64_t both = (x[kRef][w] | x[kHet][w] | x[kAlt][w]) & (y[kRef][w] | y[kHet][w] | y[kAlt][w]);
    known += count(both);
    different += count(both & ((x[kHet][w] ^ y[kHet][w]) | (x[kAlt][w] ^ y[kAlt][w])));
  }
  const double expected = opposite_ / homozygous_ * static_cast<double>(homozygous);
  return expected >= least_expected && static_cast<double>(opposite) <= kMaxOpposite * expected &&
         static_cast<double>(different) >= kLeastDifferent * static_cast<double>(known);
}

// Returns the share of a trio's known genotypes that break Mendel's laws; nothing if it is large, or few are known.
std::optional<double> RelativeFinder::TrioErrors(size_t child, size_t first, size_t second) const {
  const auto &c = samples_[child].bits, &x = samples_[first].bits, &y = samples_[second].bits;
  const double most = kMaxTrioErrors * static_cast<double>(num_markers_);
  size_t known = 0, errors = 0;
  for (size_t w = 0; w < c[kRef].size() && static_cast<double>(errors) <= most; ++w) {
    const uint64_t all = (c[kRef][w] | c[kHet][w] | c[kAlt][w]) & (x[kRef][w] | x[kHet][w] | x[kAlt][w]) &
                         (y[kRef][w] | y[kHet][w] | y[kAlt][w]);
    known += static_cast<size_t>(std::popcount(all));
    errors += static_cast<size_t>(
        std::popcount(all & ((c[kHet][w] & ((x[kRef][w] & y[kRef][w]) | (x[kAlt][w] & y[kAlt][w]))) |
                             (c[kRef][w] & (x[kAlt][w] | y[kAlt][w])) | (c[kAlt][w] & (x[kRef][w] | y[kRef][w])))));
  }
  const double share = static_cast<double>(errors) / static_cast<double>(std::max<size_t>(1, known));
  return known >= kLeastKnown && share <= kMaxTrioErrors ? std::optional(share) : std::nullopt;
}

// Returns the trios with the fewest errors of each child, those with fewer errors first.
std::vector<RelativeFinder::Candidate> RelativeFinder::FindTrios(
    const std::vector<std::vector<size_t>>& sharing) const {
  std::vector<Candidate> best;
  for (size_t child = 0; child < samples_.size(); ++child) {
    std::optional<Candidate> found;
    const std::vector<size_t>& others = sharing[child];
    for (size_t k = 0; k < others.size(); ++k) {
      for (size_t l = k + 1; l < others.size(); ++l) {
        const std::optional<double> errors = TrioErrors(child, others[k], others[l]);
        if (errors && (!found || *errors < found->errors)) found = {*errors, child, {others[k], others[l]}};
      }
    }
    if (found) best.push_back(*found);
  }
  std::ranges::stable_sort(best, {}, &Candidate::errors);
  return best;
}

// Returns the samples with whom each sample shares an allele everywhere, ascending.
std::vector<std::vector<size_t>> RelativeFinder::FindSharing() const {
  std::vector<std::vector<size_t>> sharing(samples_.size());
  tbb::parallel_for(size_t{0}, samples_.size(), [&](size_t a) {
    for (size_t b = 0; b < samples_.size(); ++b) {
      if (a != b && ShareAlleles(a, b, kLeastExpected)) sharing[a].push_back(b);
    }
  });
  return sharing;
}

size_t RelativeFinder::NumKnown(size_t sample) const {
  size_t known = 0;
  for (const std::vector<uint64_t>& bits : samples_[sample].bits) {
    for (const uint64_t word : bits) known += static_cast<size_t>(std::popcount(word));
  }
  return known;
}

Pedigree RelativeFinder::Find() const {
  if (num_markers_ == 0) return {};
  const std::vector<std::vector<size_t>> sharing = FindSharing();
  Parentage parents(samples_.size());
  for (const Candidate& trio : FindTrios(sharing)) parents.Add(trio.child, trio.parents);
  const Parentage trios = parents;
  const auto is_child = [&](size_t sample, size_t other) {
    if (trios[other].size() == 2) return true;
    if (static_cast<double>(NumKnown(sample)) < kFarFewer * static_cast<double>(NumKnown(other))) return true;
    const auto is_sparse = static_cast<double>(NumKnown(other)) < kFarFewer * static_cast<double>(NumKnown(sample));
    return !is_sparse && sharing[other].size() >= kManyChildren && sharing[sample].size() < kManyChildren;
  };
  for (size_t child = 0; child < samples_.size(); ++child) {
    for (const size_t parent : sharing[child]) {
      const bool is_known = trios.Includes(child, parent) || trios.Includes(parent, child);
      if (is_known || !parents[child].empty() || !is_child(child, parent)) continue;
      if (!ShareAlleles(child, parent, kLeastExpectedOfDuo)) continue;
      parents.Add(child, {parent});
    }
  }
  Pedigree pedigree;
  for (size_t child = 0; child < samples_.size(); ++child) {
    if (parents[child].empty()) continue;
    pedigree.trios.push_back({child, parents[child][0], std::nullopt});
    if (parents[child].size() == 2) pedigree.trios.back().mother = parents[child][1];
  }
  return pedigree;
}

}  // namespace haplospin
