#include "genotypes/imputation/models/pedigree/spaced_genotypes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "genotypes/genomics/bits.h"

namespace haplospin {
namespace {

constexpr double kMinFrequency = 0.05;  // of the rarer allele
constexpr size_t kGenotypesOfByte = 4;

std::vector<uint8_t> Pack(std::span<const uint8_t> genotypes) {
  std::vector<uint8_t> packed((genotypes.size() + kGenotypesOfByte - 1) / kGenotypesOfByte);
  for (size_t s = 0; s < genotypes.size(); ++s) {
    const auto value = static_cast<unsigned>(std::min<uint8_t>(genotypes[s], 3));
    packed[s / kGenotypesOfByte] |= static_cast<uint8_t>(value << (2 * (s % kGenotypesOfByte)));
  }
  return packed;
}

std::vector<uint8_t> Unpack(const std::vector<uint8_t>& packed, size_t samples) {
  std::vector<uint8_t> genotypes(samples);
  for (size_t s = 0; s < samples; ++s) {
    genotypes[s] = (packed[s / kGenotypesOfByte] >> (2 * (s % kGenotypesOfByte))) & 3;
  }
  return genotypes;
}

}  // namespace

SpacedGenotypes::SpacedGenotypes(std::vector<SpacedMarker> markers, size_t samples)
    : samples_(samples), words_(WordsOf(markers.size())), markers_(std::move(markers)) {
  for (std::vector<uint64_t>& rows : bits_) rows.resize(samples_ * words_);
}

SpacedGenotypes::SpacedGenotypes(std::vector<SpacedMarker> markers, std::span<const std::vector<uint8_t>> genotypes,
                                 size_t samples)
    : SpacedGenotypes(std::move(markers), samples) {
  for (size_t m = 0; m < markers_.size(); ++m) Set(m, genotypes[m]);
}

void SpacedGenotypes::Set(size_t marker, std::span<const uint8_t> genotypes) {
  for (size_t s = 0; s < samples_; ++s) {
    if (genotypes[s] <= 2) bits_[genotypes[s]][s * words_ + marker / 64] |= uint64_t{1} << (marker % 64);
  }
}

uint8_t SpacedGenotypes::Genotype(size_t sample, size_t marker) const {
  for (uint8_t alts = 0; alts <= 2; ++alts) {
    if (((Bits(sample, alts)[marker / 64] >> (marker % 64)) & 1) != 0) return alts;
  }
  return 3;
}

size_t SpacedGenotypes::NumCalled(size_t sample) const {
  size_t count = 0;
  for (size_t alts = 0; alts <= 2; ++alts) count += CountBits(Bits(sample, alts));
  return count;
}

double SpacedGenotypes::Span() const {
  double centimorgans = 0;
  for (size_t m = 1; m < markers_.size(); ++m) {
    if (markers_[m].contig != markers_[m - 1].contig) continue;
    centimorgans += markers_[m].centimorgans - markers_[m - 1].centimorgans;
  }
  return centimorgans;
}

size_t SpacedGenotypes::NumContigs() const {
  size_t contigs = 0;
  for (size_t m = 0; m < markers_.size(); ++m) contigs += m == 0 || markers_[m].contig != markers_[m - 1].contig;
  return contigs;
}

double MarkerChoice::Span() const {
  if (chosen_.empty()) return 0;
  return span_before_ + chosen_.back().marker.centimorgans - chosen_[first_of_contig_].marker.centimorgans;
}

void MarkerChoice::Offer(size_t contig, double centimorgans, std::span<const uint8_t> genotypes) {
  size_t called = 0, alts = 0;
  for (const uint8_t genotype : genotypes) {
    called += genotype <= 2;
    alts += genotype <= 2 ? genotype : 0;
  }
  if (called == 0) return;
  const double frequency = static_cast<double>(alts) / (2 * static_cast<double>(called));
  if (std::min(frequency, 1 - frequency) < kMinFrequency) return;
  // Two samples have opposite homozygotes as often as both are called, and at 2 p^2 q^2 of these.
  const double score = static_cast<double>(called) * frequency * (1 - frequency);
  Chosen offered{contig,
                 static_cast<int64_t>(std::floor(centimorgans / spacing_)),
                 score,
                 {.contig = contig, .centimorgans = centimorgans, .frequency = frequency},
                 {}};
  const bool is_in_piece = !chosen_.empty() && AreTogether(chosen_.back(), offered);
  if (is_in_piece && chosen_.back().score >= score) return;
  offered.genotypes = Pack(genotypes);
  if (is_in_piece) {
    chosen_.back() = std::move(offered);
  } else {
    Add(std::move(offered));
  }
  if (chosen_.size() > max_markers_) Thin();
}

void MarkerChoice::Add(Chosen marker) {
  if (!chosen_.empty() && chosen_.back().contig != marker.contig) {
    span_before_ = Span();
    first_of_contig_ = chosen_.size();
  }
  chosen_.push_back(std::move(marker));
}

// Joins pieces by two, and keeps the better marker.
void MarkerChoice::Thin() {
  spacing_ *= 2;
  span_before_ = 0;
  first_of_contig_ = 0;
  for (Chosen& marker : std::exchange(chosen_, {})) {
    marker.piece = static_cast<int64_t>(std::floor(marker.marker.centimorgans / spacing_));
    if (chosen_.empty() || !AreTogether(chosen_.back(), marker)) {
      Add(std::move(marker));
    } else if (marker.score > chosen_.back().score) {
      chosen_.back() = std::move(marker);
    }
  }
  max_markers_ = std::max(kMaxMarkers, 2 * chosen_.size());
}

SpacedGenotypes MarkerChoice::Finish() const {
  std::vector<SpacedMarker> markers;
  for (const Chosen& chosen : chosen_) markers.push_back(chosen.marker);
  SpacedGenotypes spaced(std::move(markers), samples_);
  for (size_t m = 0; m < chosen_.size(); ++m) spaced.Set(m, Unpack(chosen_[m].genotypes, samples_));
  return spaced;
}

}  // namespace haplospin
