#include "genotypes/variant_io/alignments/tail_realigner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/temporary_folder.h"
#include "genotypes/variant_io/alignment_files.h"
#include "genotypes/variant_io/alignments/people_reads.h"

namespace haplospin {
namespace {

constexpr int64_t kLength = 200000;
constexpr size_t kReadBases = 60;

class TailRealignerTest : public testing::Test {
 protected:
  TailRealignerTest() {
    RandomStream random(4);
    for (int64_t i = 0; i < kLength; ++i) bases_ += "ACGT"[random.UniformInt(4)];
    WriteFasta(fasta_, "chr20", bases_);
  }

  // A read of the reference without `deleted` bases that are followed by its last ones, aligned without a gap.
  SamRead WithoutGap(int64_t position, size_t deleted, size_t last = 4) const {
    const auto first = static_cast<size_t>(position) - 1;
    return {
        .position = position,
        .cigar = "60M",
        .bases = bases_.substr(first, kReadBases - last) + bases_.substr(first + kReadBases - last + deleted, last)};
  }

  // The qualities of the bases of reads.
  std::vector<std::vector<int>> Qualities(const std::vector<SamRead>& reads, bool has_reference = true) const {
    SamText sam("A", "20", kLength);
    for (const SamRead& read : reads) sam.Add(read);
    const std::string path = folder_ / "reads.sam";
    WriteAlignments(path, sam);
    const ReferenceFile reference(fasta_);
    TailRealigner realigner(has_reference ? &reference : nullptr, "20");
    std::vector<std::vector<int>> qualities;
    AlignmentFile(path, "").ForEachRead("20", 0, kLength, [&](const bam1_t& read) {
      const bam1_t& realigned = *realigner.Realign(&read);
      EXPECT_EQ(realigned.core.pos, read.core.pos);
      const std::span all(bam_get_qual(&realigned), static_cast<size_t>(realigned.core.l_qseq));
      qualities.emplace_back(all.begin(), all.end());
    });
    return qualities;
  }

  TemporaryFolder folder_;
  std::string bases_;
  const std::string fasta_ = folder_ / "reference.fa";
};

TEST_F(TailRealignerTest, BasesBeyondAGapThatIsNotThereDoNotCount) {
  std::vector<SamRead> reads;
  for (const int64_t position : {100, 66000, 150000}) reads.push_back(WithoutGap(position, 1, 6));
  const auto lowered = Qualities(reads), kept = Qualities(reads, false);
  for (size_t r = 0; r < reads.size(); ++r) {
    EXPECT_LT(lowered[r].back(), 10) << r;
    EXPECT_EQ(lowered[r][kReadBases / 2], 30) << r;
    EXPECT_EQ(kept[r].back(), 30) << r;
  }
}

// What is one mismatch, of an ALT allele, is left as it is, and so is damage.
TEST_F(TailRealignerTest, OtherReadsKeepTheirQualities) {
  SamRead snv = WithoutGap(500, 0);
  snv.bases[57] = snv.bases[57] == 'A' ? 'C' : 'A';
  SamRead damaged = WithoutGap(1000, 0);
  for (char& base : damaged.bases) base = base == 'C' ? 'T' : base;
  SamRead clipped = WithoutGap(2000, 1);
  clipped.cigar = "56M4S";
  const SamRead beyond = {.position = kLength - 59, .cigar = "60M", .bases = bases_.substr(kLength - 60)};
  for (const auto& qualities : Qualities({snv, damaged, clipped, beyond})) {
    EXPECT_EQ(std::ranges::count(qualities, 30), static_cast<std::ptrdiff_t>(kReadBases));
  }
}

// BAM may have a CIGAR of more or less bases than the read.
TEST_F(TailRealignerTest, DamagedReadsAreLeftAsTheyAre) {
  SamText sam("A", "20", kLength);
  sam.Add(WithoutGap(500, 1, 6));
  WriteAlignments(folder_ / "reads.sam", sam);
  const ReferenceFile reference(fasta_);
  TailRealigner realigner(&reference, "20");
  AlignmentFile(folder_ / "reads.sam", "").ForEachRead("20", 0, kLength, [&](const bam1_t& read) {
    EXPECT_NE(realigner.Realign(&read), &read);
    for (const uint32_t length : {50, 70, 1 << 27}) {
      const SamRecordHandle damaged(bam_dup1(&read));
      bam_get_cigar(damaged.get())[0] = bam_cigar_gen(length, BAM_CMATCH);
      EXPECT_EQ(realigner.Realign(damaged.get()), damaged.get()) << length;
    }
  });
}

// Four reads have the gap, and four end too early for it: with the reference, these do not show a false ALT.
TEST_F(TailRealignerTest, AGenotypeBesideADeletion) {
  const size_t deleted = 1200;  // 0-based
  std::string alt(1, bases_[deleted + 3]);
  SamText sam("A", "20", kLength);
  for (const int64_t position : {1147, 1148, 1149, 1150}) {
    const auto first = static_cast<size_t>(position) - 1, before = deleted - first;
    const std::string cigar = std::to_string(before + 6) + "M";
    sam.Add(
        {.position = position, .cigar = cigar, .bases = bases_.substr(first, before) + bases_.substr(deleted + 1, 6)});
  }
  for (const int64_t position : {1171, 1172, 1173, 1174}) {
    const auto first = static_cast<size_t>(position) - 1, before = deleted - first;
    const std::string cigar = std::to_string(before) + "M1D" + std::to_string(kReadBases - before) + "M";
    sam.Add({.position = position,
             .cigar = cigar,
             .bases = bases_.substr(first, before) + bases_.substr(deleted + 1, kReadBases - before)});
  }
  const std::string path = folder_ / "a.bam";
  WriteAlignments(path, sam);
  IndexAlignments(path);
  ASSERT_NE(bases_[deleted + 2], alt[0]);
  const std::vector<PileupSite> sites =
      PileupSites({{Marker{static_cast<int64_t>(deleted) + 3, ".", std::string(1, bases_[deleted + 2]), alt}}}, false);
  const auto phred = [&](const std::string& fasta) {
    const std::vector<AlignmentTarget> targets{{path, ""}};
    PeopleReads people(std::make_shared<const AlignmentStudy>(OpenAlignmentStudy(targets, fasta, {})));
    std::vector<GenotypeLikelihoods> row(1);
    people.Read("20", sites, {}, [&](size_t, const SamplePileup& pileup) { pileup.Fill(row); });
    return row[0].phred;
  };
  EXPECT_EQ(phred(fasta_), (std::array<uint8_t, 3>{0, 12, 120}));
  EXPECT_EQ(phred("")[1], 0);  // a false heterozygote
}

}  // namespace
}  // namespace haplospin
