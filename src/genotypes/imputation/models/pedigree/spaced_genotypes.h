// Genotypes of a study at common markers that are evenly spaced over its genome.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace haplospin {

struct SpacedMarker {
  size_t contig = 0;
  double centimorgans = 0;  // on the contig
  double frequency = 0;     // of ALT in the samples with a genotype
};

// Diploid genotypes as bits: a row for each sample and genotype.
class SpacedGenotypes {
 public:
  // All are missing.
  SpacedGenotypes(std::vector<SpacedMarker> markers, size_t samples);

  // `genotypes` [markers][samples] are as those of Set().
  SpacedGenotypes(std::vector<SpacedMarker> markers, std::span<const std::vector<uint8_t>> genotypes, size_t samples);

  // Sets missing genotypes of a marker: [samples] numbers of ALT alleles; others than 0, 1 and 2 are missing.
  void Set(size_t marker, std::span<const uint8_t> genotypes);

  size_t num_samples() const { return samples_; }
  size_t num_words() const { return words_; }
  const std::vector<SpacedMarker>& markers() const { return markers_; }

  // [words] a bit for each marker at which the sample has so many ALT alleles.
  std::span<const uint64_t> Bits(size_t sample, size_t alts) const {
    return std::span(bits_[alts]).subspan(sample * words_, words_);
  }

  // The markers of a word at which both samples have a genotype, and those at which they have the same.
  struct SharedMarkers {
    uint64_t both = 0, same = 0;
  };
  SharedMarkers Compare(size_t a, size_t b, size_t word) const {
    uint64_t has_a = 0, has_b = 0, same = 0;
    for (const std::vector<uint64_t>& bits : bits_) {
      const uint64_t in_a = bits[a * words_ + word], in_b = bits[b * words_ + word];
      has_a |= in_a;
      has_b |= in_b;
      same |= in_a & in_b;
    }
    return {has_a & has_b, same};
  }

  // The genotype at a marker; 3 is missing.
  uint8_t Genotype(size_t sample, size_t marker) const;

  size_t NumCalled(size_t sample) const;

  // The length that the markers span, cM of all contigs.
  double Span() const;

  size_t NumContigs() const;  // with markers

 private:
  size_t samples_, words_;
  std::vector<SpacedMarker> markers_;
  std::array<std::vector<uint64_t>, 3> bits_;  // [ALT alleles][samples][words]
};

// Chooses the markers while a study is read: in each piece of 0.15 cM the one whose genotypes tell most. Where the
// genome is so long that these are more than 30,000, pieces become longer. A contig keeps a marker, however many
// contigs there are.
class MarkerChoice {
 public:
  explicit MarkerChoice(size_t samples) : samples_(samples) {}

  // Offers a marker; they come contig by contig and in ascending order. `genotypes` [samples] are as above.
  void Offer(size_t contig, double centimorgans, std::span<const uint8_t> genotypes);

  SpacedGenotypes Finish() const;

  // The length that the chosen markers span so far, cM of all contigs.
  double Span() const;

 private:
  struct Chosen {
    size_t contig;
    int64_t piece;
    double score;
    SpacedMarker marker;
    std::vector<uint8_t> genotypes;
  };

  static bool AreTogether(const Chosen& a, const Chosen& b) { return a.contig == b.contig && a.piece == b.piece; }
  void Add(Chosen marker);
  void Thin();

  static constexpr size_t kMaxMarkers = 30000;

  size_t samples_;
  double spacing_ = 0.15;             // cM
  size_t max_markers_ = kMaxMarkers;  // more where contigs are many, so that pieces are not joined at every marker
  std::vector<Chosen> chosen_;
  size_t first_of_contig_ = 0;  // the first marker of the last contig
  double span_before_ = 0;      // cM of the contigs before
};

}  // namespace haplospin
