#include "genotypes/imputation/models/phasing/sample_reads.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "genotypes/genomics/linked_read.h"
#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

// Two samples, whose reads are added at the markers; neighboring ones are 0.004 cM apart.
class SampleReadsTest : public testing::Test {
 protected:
  static constexpr size_t kMarkers = 12;

  SampleReadsTest() : samples_(DiploidSamples("S", 2)), frequency_(kMarkers, 0.5f) {
    for (size_t j = 0; j < kMarkers; ++j) {
      alleles_.emplace_back();
      centimorgans_.push_back(0.004 * static_cast<double>(j));
      positions_.push_back(1 + 4000 * static_cast<int64_t>(j));
    }
  }

  void Add(size_t sample, uint64_t read, size_t marker, bool is_alt, uint8_t quality = 20) {
    ReadAllele allele;
    allele.read = read & (kLinkedRead | 0xffff);
    allele.is_alt = is_alt ? 1 : 0;
    allele.quality = quality & 0x3f;
    alleles_[marker][sample].push_back(allele);
  }

  SampleReads Collect(size_t sample) {
    rows_.clear();
    for (const auto& marker : alleles_) {
      GenotypeRow& row = rows_.emplace_back(
          GenotypeRow{.alleles = std::vector<uint8_t>(4, kMissingAllele), .likelihoods = {{{0, 3, 20}}, {{20, 3, 0}}}});
      row.first_read.push_back(0);
      for (const std::vector<ReadAllele>& of_sample : marker) {
        row.reads.insert(row.reads.end(), of_sample.begin(), of_sample.end());
        row.first_read.push_back(static_cast<uint32_t>(row.reads.size()));
      }
    }
    std::vector<WindowStudy::Site> sites;
    for (const GenotypeRow& row : rows_) sites.push_back({static_cast<uint32_t>(sites.size()), &row});
    return CollectReads({samples_, std::move(sites)}, sample, {frequency_, 0.001f, centimorgans_, positions_});
  }

  SampleTable samples_;
  std::vector<std::array<std::vector<ReadAllele>, 2>> alleles_;  // [markers][samples]
  std::vector<float> frequency_;
  std::vector<double> centimorgans_;
  std::vector<int64_t> positions_;
  std::vector<GenotypeRow> rows_;
};

TEST_F(SampleReadsTest, AllelesOfOneReadAreOnePiece) {
  Add(0, 7, 3, true);
  Add(0, 5, 3, false, 10);
  Add(1, 7, 4, false);
  Add(0, 7, 4, false);
  Add(0, 7, 5, true, 30);
  const SampleReads reads = Collect(0);
  ASSERT_EQ(reads.pieces.size(), 2);
  const ReadPiece &one = reads.pieces[0], &three = reads.pieces[1];
  EXPECT_EQ(one.marker, 3);
  EXPECT_EQ(one.end - one.begin, 1);
  EXPECT_FLOAT_EQ(reads.alleles[one.begin].error, 0.1f);
  EXPECT_EQ(three.marker, 4);
  ASSERT_EQ(three.end - three.begin, 3);
  EXPECT_EQ(three.haplotype, ReadPiece::kUnknown);
  EXPECT_EQ(three.before, ReadPiece::kNone);
  EXPECT_EQ(three.after, ReadPiece::kNone);
  EXPECT_TRUE(reads.alleles[three.begin].is_alt);
  EXPECT_FALSE(reads.alleles[three.begin + 1].is_alt);
  EXPECT_FLOAT_EQ(reads.alleles[three.begin + 2].error, 0.001f);
  EXPECT_EQ(Collect(1).pieces.size(), 1);
}

// A long read is several pieces, with other reads between them.
TEST_F(SampleReadsTest, PiecesOfALongReadAreLinked) {
  for (size_t j = 0; j < kMarkers; ++j) Add(0, 9, j, j % 2 == 0);
  Add(0, 2, 5, true);
  Add(0, 2, 6, true);
  const SampleReads reads = Collect(0);
  size_t alleles = 0, last = ReadPiece::kNone, pieces = 0;
  for (uint32_t i = 0; i < reads.pieces.size(); ++i) {
    const ReadPiece& piece = reads.pieces[i];
    EXPECT_LE(reads.pieces[i > 0 ? i - 1 : 0].marker, piece.marker);
    alleles += piece.end - piece.begin;
    if (piece.before == ReadPiece::kNone && piece.after == ReadPiece::kNone) continue;  // the short one
    EXPECT_EQ(piece.before, last);
    EXPECT_EQ(last == ReadPiece::kNone ? i : reads.pieces[last].after, i);
    last = i;
    ++pieces;
  }
  EXPECT_EQ(alleles, kMarkers + 2);
  EXPECT_GT(pieces, 2);
  EXPECT_EQ(reads.pieces.size(), pieces + 1);
}

TEST_F(SampleReadsTest, LinkedReadsHaveLongerPiecesAndWeakerTies) {
  for (size_t j = 0; j < kMarkers; ++j) {
    Add(0, 9, j, true);
    Add(1, 9 | kLinkedRead, j, true);
  }
  const SampleReads one = Collect(0), linked = Collect(1);
  EXPECT_EQ(one.pieces.size(), 4);
  EXPECT_EQ(linked.pieces.size(), 2);
  EXPECT_EQ(linked.pieces[0].after, 1);
  EXPECT_EQ(one.pieces[0].tie, 1);
  EXPECT_LT(linked.pieces[0].tie, 1);
}

// All reads of a barcode have one number; those beyond a gap are of another molecule.
TEST_F(SampleReadsTest, AGapEndsAMolecule) {
  for (const size_t j : {0, 1, 5, 6, 9, 10, 11}) Add(0, 9, j, true);
  for (size_t j = 6; j < kMarkers; ++j) positions_[j] += 46000;  // 50,000 from the marker before
  for (size_t j = 9; j < kMarkers; ++j) positions_[j] += 38001;  // 50,001 from the allele before
  positions_[11] += 60000;                                       // of a piece by its genetic distance
  const SampleReads reads = Collect(0);
  ASSERT_EQ(reads.pieces.size(), 4);
  EXPECT_EQ(reads.pieces[0].after, 1);
  EXPECT_EQ(reads.pieces[1].before, 0);
  EXPECT_EQ(reads.pieces[1].after, ReadPiece::kNone);
  for (const size_t piece : {2, 3}) {
    EXPECT_EQ(reads.pieces[piece].before, ReadPiece::kNone);
    EXPECT_EQ(reads.pieces[piece].after, ReadPiece::kNone);
  }
}

// The likelihoods of sample 0 say that it has REF alone, those of sample 1 that it has ALT.
TEST_F(SampleReadsTest, RareAllelesCountWhereTheyAreSeen) {
  frequency_[3] = frequency_[4] = 0.0004f;
  for (const size_t sample : {0, 1}) {
    Add(sample, 1, 3, sample == 1);
    Add(sample, 1, 4, sample == 1);
  }
  EXPECT_TRUE(Collect(0).empty());
  EXPECT_EQ(Collect(1).pieces.size(), 1);
  EXPECT_EQ(Collect(1).alleles.size(), 2);
}

TEST_F(SampleReadsTest, MoreReadsThanMarkersAreNotTaken) {
  for (uint64_t read = 0; read < 3; ++read) {
    for (const size_t marker : {2, 3, 4}) Add(0, read, marker, true);
  }
  EXPECT_EQ(Collect(0).pieces.size(), 3);
  Add(0, 3, 2, true);
  EXPECT_TRUE(Collect(0).empty());
  EXPECT_TRUE(Collect(1).empty());
}

}  // namespace
}  // namespace haplospin
