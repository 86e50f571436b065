#include "genotypes/imputation/models/pedigree/transmission_evidence.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

namespace haplospin {
namespace {

// Full sibs: either parent's side begins and ends to be shared twice per Morgan, and neither is in a quarter. A
// grandparent's haplotype begins and ends to be inherited once per Morgan.
constexpr double kSibShare = 0.25, kSibRate = 16.0 / 3;
constexpr double kRelativeShare = 0.5, kRelativeRate = 2;
constexpr double kWrongGenotype = 0.01;  // for Gain()

std::vector<double> Decay(const std::vector<SpacedMarker>& markers, double rate) {
  std::vector<double> decay;
  double begin = 0;
  for (size_t m = 0; m < markers.size(); ++m) {
    if (m == 0 || markers[m].contig != markers[m - 1].contig) begin = markers[m].centimorgans;
    decay.push_back(std::exp(-std::min(rate * (markers[m].centimorgans - begin) / 100, 600.0)));
  }
  return decay;
}

// Calls function(marker) for each bit.
template <typename Function>
void ForEachBit(uint64_t word, size_t first, const Function& function) {
  for (; word != 0; word &= word - 1) function(first + static_cast<size_t>(std::countr_zero(word)));
}

std::array<double, 3> HardyWeinberg(double alt) { return {(1 - alt) * (1 - alt), 2 * alt * (1 - alt), alt * alt}; }

// Probabilities of a child's genotypes if its parents pass on ALT with probabilities `a` and `b`.
std::array<double, 3> ChildGenotypes(double a, double b) {
  return {(1 - a) * (1 - b), a * (1 - b) + b * (1 - a), a * b};
}

double LogRatio(const std::array<double, 3>& with, const std::array<double, 3>& without, double alt, size_t genotype) {
  const double wrong = kWrongGenotype * HardyWeinberg(alt)[genotype];
  return std::log(((1 - kWrongGenotype) * with[genotype] + wrong) / ((1 - kWrongGenotype) * without[genotype] + wrong));
}

}  // namespace

// The forward probability of a hidden Markov chain with a state where the allele is shared and one where it is not,
// relative to the probability if it is shared everywhere.
class TransmissionEvidence::Chain {
 public:
  Chain(const std::vector<SpacedMarker>& markers, const std::vector<double>& decay, double share, double error)
      : markers_(markers), decay_(decay), share_(share), error_(error), absent_(share) {}

  // Adds a marker: whether the candidate is seen to lack the allele, and how often somebody does who does not share it.
  void Add(size_t m, bool is_lacking, double expected) {
    const bool is_same = has_last_ && markers_[m].contig == markers_[last_].contig;
    const double kept = is_same ? decay_[m] / std::max(decay_[last_], 1e-300) : 0;
    absent_ = share_ + (absent_ - share_) * kept;
    const double p = std::max(expected, error_);
    const double ratio = is_lacking ? p / error_ : (1 - p) / (1 - error_);
    const double total = 1 - absent_ + absent_ * ratio;
    absent_ = absent_ * ratio / total;
    product_ *= total;
    if (product_ < 1e-200 || product_ > 1e200) {
      log_ += std::log(product_);
      product_ = 1;
    }
    last_ = m;
    has_last_ = true;
  }

  double LogRatioOfParent() const { return -(log_ + std::log(product_)); }

 private:
  const std::vector<SpacedMarker>& markers_;
  const std::vector<double>& decay_;
  double share_, error_;
  double absent_;  // the probability that the allele is not shared
  double product_ = 1, log_ = 0;
  size_t last_ = 0;
  bool has_last_ = false;
};

namespace {

// In a word of markers, those where one of the two alleles of a child is known, ALT or REF.
struct KnownAlleles {
  uint64_t ref, alt;
};

// The alleles that a child has from its other parent.
KnownAlleles KnownSecond(const SpacedGenotypes& genotypes, size_t child, size_t parent, size_t w) {
  const uint64_t c0 = genotypes.Bits(child, 0)[w], c1 = genotypes.Bits(child, 1)[w], c2 = genotypes.Bits(child, 2)[w];
  const uint64_t p0 = genotypes.Bits(parent, 0)[w], p2 = genotypes.Bits(parent, 2)[w];
  return {.ref = (c0 & ~p2) | (c1 & p2), .alt = (c2 & ~p0) | (c1 & p0)};
}

}  // namespace

TransmissionEvidence::TransmissionEvidence(const SpacedGenotypes& genotypes, double error, double alike)
    : genotypes_(genotypes),
      error_(error),
      alike_(alike),
      sib_decay_(Decay(genotypes.markers(), kSibRate)),
      relative_decay_(Decay(genotypes.markers(), kRelativeRate)) {}

template <typename Known>
double TransmissionEvidence::LogRatioOfParent(size_t candidate, double sharing, Chain chain, const Known& known) const {
  const auto& markers = genotypes_.markers();
  const std::span p0 = genotypes_.Bits(candidate, 0), p1 = genotypes_.Bits(candidate, 1),
                  p2 = genotypes_.Bits(candidate, 2);
  for (size_t w = 0; w < genotypes_.num_words(); ++w) {
    const KnownAlleles alleles = known(w);
    const uint64_t lacking = (alleles.ref & p2[w]) | (alleles.alt & p0[w]);
    ForEachBit((alleles.ref | alleles.alt) & (p0[w] | p1[w] | p2[w]), w * 64, [&](size_t m) {
      const bool is_alt = ((alleles.alt >> (m % 64)) & 1) != 0;
      const double other = is_alt ? 1 - markers[m].frequency : markers[m].frequency;
      chain.Add(m, ((lacking >> (m % 64)) & 1) != 0, std::min(1.0, sharing / (1 - alike_)) * other * other);
    });
  }
  return chain.LogRatioOfParent();
}

double TransmissionEvidence::Parent(size_t child, size_t candidate, double sharing) const {
  return LogRatioOfParent(candidate, sharing, {genotypes_.markers(), sib_decay_, kSibShare * (1 - alike_), error_},
                          [&](size_t w) {
                            return KnownAlleles{genotypes_.Bits(child, 0)[w], genotypes_.Bits(child, 2)[w]};
                          });
}

double TransmissionEvidence::SecondParent(size_t child, size_t candidate, size_t parent, double sharing) const {
  return LogRatioOfParent(candidate, sharing,
                          {genotypes_.markers(), relative_decay_, kRelativeShare * (1 - alike_), error_},
                          [&](size_t w) { return KnownSecond(genotypes_, child, parent, w); });
}

TransmissionEvidence::Errors TransmissionEvidence::SecondParentErrors(size_t child, size_t candidate,
                                                                      size_t parent) const {
  Errors errors;
  const std::span p0 = genotypes_.Bits(candidate, 0), p2 = genotypes_.Bits(candidate, 2);
  for (size_t w = 0; w < genotypes_.num_words(); ++w) {
    const auto [ref, alt] = KnownSecond(genotypes_, child, parent, w);
    errors.errors += static_cast<size_t>(std::popcount((ref & p2[w]) | (alt & p0[w])));
    errors.markers += static_cast<size_t>(std::popcount((ref | alt) & (p0[w] | p2[w])));
  }
  return errors;
}

double TransmissionEvidence::Gain(size_t child, size_t candidate) const {
  double sum = 0;
  size_t count = 0;
  for (size_t m = 0; m < genotypes_.markers().size(); ++m) {
    const uint8_t c = genotypes_.Genotype(child, m), p = genotypes_.Genotype(candidate, m);
    if (c > 2 || p > 2) continue;
    const double alt = genotypes_.markers()[m].frequency;
    sum += LogRatio(ChildGenotypes(p / 2.0, alt), HardyWeinberg(alt), alt, c);
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

double TransmissionEvidence::SecondGain(size_t child, size_t candidate, size_t parent) const {
  double sum = 0;
  size_t count = 0;
  for (size_t m = 0; m < genotypes_.markers().size(); ++m) {
    const uint8_t c = genotypes_.Genotype(child, m), p = genotypes_.Genotype(candidate, m),
                  q = genotypes_.Genotype(parent, m);
    if (c > 2 || p > 2 || q > 2) continue;
    const double alt = genotypes_.markers()[m].frequency;
    sum += LogRatio(ChildGenotypes(p / 2.0, q / 2.0), ChildGenotypes(alt, q / 2.0), alt, c);
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace haplospin
