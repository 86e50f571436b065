#include "genotypes/variant_io/alignments/sample_pileup.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/random.h"
#include "core/temporary_folder.h"
#include "genotypes/variant_io/alignment_files.h"
#include "genotypes/variant_io/alignments/alignment_file.h"

namespace haplospin {
namespace {

using testing::Each;
using P = std::array<uint8_t, 3>;

constexpr int kPaired = BAM_FPAIRED | BAM_FPROPER_PAIR;
const P kUnknown{0, 0, 0};

// Sites and reads of one person. Reads are on 20:100-, where the reference is ACGTACGTAC... from 101 on (A at 101).
class SamplePileupTest : public testing::Test {
 protected:
  std::vector<P> Pile(const std::vector<Marker>& markers, const std::vector<SamRead>& reads) {
    SamText sam;
    for (const SamRead& read : reads) sam.Add(read);
    const std::string path = folder_ / "reads.sam";
    WriteAlignments(path, sam);
    const std::vector<PileupSite> sites = PileupSites(markers, filter_.ignores_transitions);
    SamplePileup pileup(sites, filter_);
    AlignmentFile(path, "").ForEachRead("20", 0, 100000, [&](const bam1_t& read) { pileup.Add(read); });
    counts_ = pileup.Count(0, sites.size());
    std::vector<GenotypeLikelihoods> row(markers.size());
    pileup.Fill(row);
    reads_ = pileup.Reads(markers.size());
    std::vector<P> phreds;
    for (const GenotypeLikelihoods& genotype : row) phreds.push_back(genotype.phred);
    return phreds;
  }

  P PileOne(const Marker& marker, const std::vector<SamRead>& reads) { return Pile({marker}, reads)[0]; }

  static Marker Site(int64_t position, const std::string& ref, const std::string& alt) {
    return {position, ".", ref, alt};
  }

  TemporaryFolder folder_;
  ReadFilter filter_;
  ReadCounts counts_;
  SamplePileup::MarkerReads reads_;
};

TEST_F(SamplePileupTest, BasesGiveLikelihoods) {
  // Quality 30: wrong in a thousandth. A read is of either haplotype: 3 for a half.
  const SamRead ref{.position = 101, .cigar = "8M", .bases = "ACGTACGT"};
  const SamRead alt{.position = 101, .cigar = "8M", .bases = "ACTTACGT"};
  EXPECT_EQ(PileOne(Site(103, "G", "T"), {ref}), (P{0, 3, 30}));
  EXPECT_EQ(PileOne(Site(103, "g", "t"), {alt}), (P{30, 3, 0}));
  EXPECT_EQ(PileOne(Site(103, "G", "T"), {alt, ref}), (P{24, 0, 24}));
  EXPECT_EQ(PileOne(Site(103, "G", "C"), {alt}), kUnknown);  // another base tells nothing
  EXPECT_EQ(counts_.neither, 1);
  EXPECT_EQ(PileOne(Site(109, "A", "T"), {ref}), kUnknown);  // beyond the read
  EXPECT_EQ(counts_.reads, 0);
}

TEST_F(SamplePileupTest, AllelesOfAReadHaveItsNumber) {
  const std::vector<Marker> markers{Site(102, "C", "T"), Site(104, "T", "G"), Site(106, "C", "A")};
  const SamRead one{.name = "a", .position = 101, .cigar = "4M", .bases = "ATGT"};
  const SamRead two{.name = "b", .position = 103, .cigar = "5M", .bases = "GTACG"};
  Pile(markers, {one, two});
  EXPECT_THAT(reads_.first, testing::ElementsAre(0, 1, 3, 4));
  const uint64_t a = reads_.alleles[0].read, b = reads_.alleles[3].read;
  EXPECT_NE(a, b);
  EXPECT_EQ(reads_.alleles[1].read, a);
  EXPECT_EQ(reads_.alleles[2].read, b);
  EXPECT_EQ(reads_.alleles[0].is_alt, 1);
  EXPECT_EQ(reads_.alleles[1].is_alt, 0);
  EXPECT_EQ(reads_.alleles[1].quality, 30);
  Pile({markers[2]}, {one, two});  // elsewhere, the number is the same
  EXPECT_EQ(reads_.alleles.at(0).read, b);

  SamRead other = two;
  other.name = "a";
  other.position = 104;
  other.bases = "TACGT";
  Pile(markers, {one, other});  // not of the same fragment: by the name alone
  EXPECT_NE(reads_.alleles[1].read, reads_.alleles[2].read);
  SamRead first = one, second = other;
  first.flag = kPaired | BAM_FREAD1;
  second.flag = kPaired | BAM_FREAD2;
  first.mate = 104;
  second.mate = 101;
  Pile(markers, {first, second});
  ASSERT_EQ(reads_.first, (std::vector<uint32_t>{0, 1, 2, 3}));  // counted once at 104
  EXPECT_EQ(reads_.alleles[0].read, reads_.alleles[2].read);
}

TEST_F(SamplePileupTest, ReadsOfOneBarcodeHaveItsNumber) {
  const std::vector<Marker> markers{Site(103, "G", "T"), Site(503, "G", "T")};
  const auto numbers = [&](const std::string& barcode, const std::string& other) {
    SamText sam;
    sam.AddLine("a\t0\t20\t101\t60\t4M\t*\t0\t0\tACGT\t????\tBX:Z:" + barcode);
    sam.AddLine("b\t0\t20\t501\t60\t4M\t*\t0\t0\tACTT\t????\tBX:Z:" + other);
    for (const char* name : {"reads.sam", "reads.cram"}) {
      const std::string path = folder_ / name, fasta = folder_ / "reference.fa";
      WriteFasta(fasta, "20", std::string(100000, 'A'));
      WriteAlignments(path, sam, fasta);
      if (std::string(name) == "reads.cram") IndexAlignments(path);
      const std::vector<PileupSite> sites = PileupSites(markers, false);
      SamplePileup pileup(sites, filter_);
      AlignmentFile(path, fasta).ForEachRead("20", 0, 1000, [&](const bam1_t& read) { pileup.Add(read); });
      reads_ = pileup.Reads(2);
      counts_ = pileup.Count(0, 2);
    }
    return std::pair<uint64_t, uint64_t>(uint64_t{reads_.alleles.at(0).read}, uint64_t{reads_.alleles.at(1).read});
  };
  for (const std::string barcode : {"AACGTTGC-1", "A01C10B20D05", "1_20_300"}) {
    const auto [a, b] = numbers(barcode, barcode);
    EXPECT_EQ(a, b) << barcode;
    EXPECT_EQ(counts_.linked, 2);
    EXPECT_NE(numbers(barcode, "AACGTTGG-1").second, a);
  }
  for (const std::string unread : {"A01C00B20D05", "0_0_0", "AACNTTGC-1"}) {
    const auto [a, b] = numbers(unread, unread);
    EXPECT_NE(a, b) << unread;
    EXPECT_EQ(counts_.linked, 0);
  }
}

TEST_F(SamplePileupTest, AmbiguousBasesTellNothing) {
  const std::vector<Marker> markers{Site(103, "G", "T"), Site(104, "TA", "GC")};
  for (const char* bases : {"ACNNACGT", "ACKTNCGT"}) {
    EXPECT_THAT(Pile(markers, {{.position = 101, .cigar = "8M", .bases = bases}}), Each(kUnknown));
    EXPECT_EQ(counts_.reads, 0);
  }
}

TEST_F(SamplePileupTest, EqualSignsAreTheReference) {
  const std::vector<Marker> markers{Site(103, "G", "T"), Site(104, "TA", "GC")};
  EXPECT_THAT(Pile(markers, {{.position = 101, .cigar = "8M", .bases = "========"}}), Each(P{0, 3, 30}));
}

// The haplotypes of a panel with the ALT of another marker have not this one.
TEST_F(SamplePileupTest, AltOfAnotherMarkerIsNotThisOne) {
  const auto phreds =
      Pile({Site(103, "G", "C"), Site(103, "G", "T")}, {{.position = 101, .cigar = "8M", .bases = "ACTTACGT"}});
  EXPECT_EQ(phreds[0], (P{0, 3, 30}));
  EXPECT_EQ(phreds[1], (P{30, 3, 0}));
}

TEST_F(SamplePileupTest, ReadsThatDoNotCount) {
  const Marker site = Site(103, "G", "T");
  SamRead read{.position = 101, .cigar = "8M", .bases = "ACTTACGT"};
  for (const int flag : {BAM_FSECONDARY, BAM_FSUPPLEMENTARY, BAM_FDUP, BAM_FQCFAIL, BAM_FUNMAP}) {
    read.flag = flag;
    EXPECT_EQ(PileOne(site, {read}), kUnknown) << flag;
  }
  read.flag = BAM_FREVERSE;
  EXPECT_NE(PileOne(site, {read}), kUnknown);
  read.mapq = 9;
  EXPECT_EQ(PileOne(site, {read}), kUnknown);
  read.mapq = 255;  // unknown
  EXPECT_EQ(PileOne(site, {read}), (P{30, 3, 0}));
  read.mapq = 20;  // the read may be of another place
  EXPECT_EQ(PileOne(site, {read}), (P{20, 3, 0}));
  read.qualities = "??*?????";  // 9
  EXPECT_EQ(PileOne(site, {read}), kUnknown);
  read.qualities = "*";  // none
  EXPECT_EQ(PileOne(site, {read}), (P{20, 3, 0}));
}

TEST_F(SamplePileupTest, ReadsThatAreLeftOutAreCounted) {
  const Marker site = Site(103, "G", "T");
  const SamRead read{.position = 101, .cigar = "8M", .bases = "ACTTACGT"};
  SamRead duplicate = read, failed = read, low = read, elsewhere = read, secondary = read;
  duplicate.flag = BAM_FDUP;
  failed.flag = BAM_FQCFAIL | BAM_FDUP;
  low.mapq = 9;
  secondary.flag = BAM_FSECONDARY;
  elsewhere.position = 300;
  elsewhere.mapq = 0;
  const std::vector<SamRead> reads{read, duplicate, duplicate, failed, low, low, low, secondary, elsewhere};
  EXPECT_EQ(PileOne(site, reads), (P{30, 3, 0}));
  EXPECT_EQ(counts_.passing, 1);
  EXPECT_THAT(counts_.left_out, testing::ElementsAre(3, 2, 1));
  EXPECT_NEAR(counts_.LeftOutShare(), 6.0 / 7, 1e-9);
  filter_.keeps_duplicates = true;
  EXPECT_EQ(PileOne(site, reads), (P{90, 9, 0}));
  EXPECT_THAT(counts_.left_out, testing::ElementsAre(3, 0, 1));
}

TEST_F(SamplePileupTest, CigarsAreFollowed) {
  const Marker site = Site(110, "C", "T");
  EXPECT_EQ(PileOne(site, {{.position = 108, .cigar = "2H3S2M1I3M2S", .bases = "GGGTAATACGG"}}), (P{30, 3, 0}));
  EXPECT_EQ(PileOne(site, {{.position = 101, .cigar = "5M4D4M", .bases = "ACGTATACG"}}), (P{30, 3, 0}));
  EXPECT_EQ(PileOne(site, {{.position = 101, .cigar = "5M100N4M", .bases = "ACGTATACG"}}), kUnknown);
  EXPECT_EQ(PileOne(site, {{.position = 101, .cigar = "8M4D4M", .bases = "ACGTACGTACGT"}}), kUnknown);  // deleted
  EXPECT_EQ(PileOne(site, {{.position = 101, .cigar = "9M2S", .bases = "ACGTACGTATT"}}), kUnknown);     // clipped
}

// A person with the deletion has the same alignment, if the intron begins at the deleted bases or before.
TEST_F(SamplePileupTest, IntronsTellNothingOfDeletions) {
  const Marker site = Site(104, "TACG", "T");
  EXPECT_EQ(PileOne(site, {{.position = 97, .cigar = "16M", .bases = "ACGTACGTACGTTTTT"}}), (P{0, 3, 40}));
  const std::string before = "ACGTACGT";
  for (const std::string deleted : {"", "A", "AC"}) {
    const size_t left = before.size() + deleted.size();
    const std::string cigar = std::to_string(left) + "M1000N" + std::to_string(20 - left) + "M";
    const SamRead spliced{.position = 97, .cigar = cigar, .bases = before + deleted + std::string(20 - left, 'G')};
    EXPECT_EQ(PileOne(site, {spliced}), kUnknown) << cigar;
    EXPECT_EQ(counts_.reads, 0);
  }
  // With enough bases of its own exon, or with the gap, a read tells.
  EXPECT_EQ(PileOne(site, {{.position = 97, .cigar = "16M1000N4M", .bases = "ACGTACGTACGTTTTTGGGG"}}), (P{0, 3, 40}));
  EXPECT_EQ(PileOne(site, {{.position = 97, .cigar = "8M3D8M1000N4M", .bases = "ACGTACGTTTTTTTTTGGGG"}}),
            (P{40, 3, 0}));
}

TEST_F(SamplePileupTest, QualitiesAreCounted) {
  const Marker site = Site(103, "G", "T");
  SamRead good{.position = 101, .cigar = "4M", .bases = "ACGT"}, poor = good, none = good, half = good;
  poor.qualities = "))))";  // 8
  none.qualities = "*";
  Pile({site, Site(104, "TAC", "T")}, {good, poor, poor, none});
  EXPECT_EQ(counts_.bases, 4);
  EXPECT_EQ(counts_.poor_bases, 2);
  EXPECT_EQ(counts_.unrated_bases, 1);
  EXPECT_EQ(counts_.least_quality, 8);
  EXPECT_EQ(counts_.greatest_quality, 30);
  ReadCounts sum = counts_;
  sum.Add(counts_);
  EXPECT_EQ(sum.poor_bases, 4);
}

// Some programs write 255 for the first base alone, where SAM has "*".
TEST_F(SamplePileupTest, AReadWithoutQualities) {
  SamText sam;
  const std::string path = folder_ / "first.sam";
  WriteAlignments(path, sam.Add({.position = 101, .cigar = "8M", .bases = "ACTTACGT"}));
  const std::vector<PileupSite> sites = PileupSites({{Site(103, "G", "T")}}, false);
  SamplePileup pileup(sites, filter_);
  AlignmentFile(path, "").ForEachRead("20", 0, 1000, [&](const bam1_t& read) {
    const SamRecordHandle copy(bam_dup1(&read));
    uint8_t* qualities = bam_get_qual(copy.get());
    std::fill_n(qualities, read.core.l_qseq, uint8_t{0});
    qualities[0] = UINT8_MAX;
    pileup.Add(*copy);
  });
  std::vector<GenotypeLikelihoods> row(1);
  pileup.Fill(row);
  EXPECT_EQ(row[0].phred, (P{20, 3, 0}));
}

TEST_F(SamplePileupTest, MatesAreFoundByTheirNameAlone) {
  const Marker site = Site(106, "C", "T");
  const SamRead first{"f", kPaired | BAM_FREAD1, 101, 60, "8M", "ACGTATGT"};
  SamRead second{"f", kPaired | BAM_FREAD2 | BAM_FREVERSE, 103, 60, "8M", "GTATGTAC"};
  EXPECT_EQ(PileOne(site, {first, second}), (P{60, 3, 0}));
  EXPECT_EQ(counts_.reads, 1);
  second.name = "g";
  PileOne(site, {first, second});
  EXPECT_EQ(counts_.reads, 2);
}

TEST_F(SamplePileupTest, MatesCountOnce) {
  const Marker site = Site(106, "C", "T");
  const SamRead first{"f", kPaired | BAM_FREAD1, 101, 60, "8M", "ACGTATGT", "", 103};
  SamRead second{"f", kPaired | BAM_FREAD2 | BAM_FREVERSE, 103, 60, "8M", "GTATGTAC", "", 101};
  EXPECT_EQ(PileOne(site, {first, second}), (P{60, 3, 0}));
  EXPECT_EQ(counts_.reads, 1);
  second.bases = "GTACGTAC";  // contradicts the first as surely
  EXPECT_EQ(PileOne(site, {first, second}), kUnknown);
  second.qualities = "5555555555";  // 20
  second.qualities.resize(8);
  EXPECT_EQ(PileOne(site, {first, second}), (P{10, 3, 0}));
  second.name = "g";
  EXPECT_EQ(PileOne(site, {first, second}), (P{24, 0, 14}));
  EXPECT_EQ(counts_.reads, 2);
}

TEST_F(SamplePileupTest, DepthIsLimited) {
  filter_.max_depth = 3;
  const SamRead ref{.position = 101, .cigar = "8M", .bases = "ACGTACGT"};
  const SamRead alt{.position = 101, .cigar = "8M", .bases = "ACTTACGT"};
  EXPECT_EQ(PileOne(Site(103, "G", "T"), {ref, ref, ref, alt, alt, alt}), (P{0, 9, 90}));
  EXPECT_EQ(counts_.reads, 3);
}

TEST_F(SamplePileupTest, InsertionsAndDeletions) {
  const Marker deletion = Site(104, "TA", "T"), insertion = Site(104, "T", "TGG");
  const SamRead ref{.position = 101, .cigar = "16M", .bases = "ACGTACGTACGTACGT"};
  const SamRead deleted{.position = 101, .cigar = "4M1D11M", .bases = "ACGTCGTACGTACGT"};
  const SamRead inserted{.position = 101, .cigar = "4M2I10M", .bases = "ACGTGGACGTACGTAC"};
  EXPECT_EQ(PileOne(deletion, {ref}), (P{0, 3, 40}));
  EXPECT_EQ(PileOne(deletion, {deleted}), (P{40, 3, 0}));
  EXPECT_EQ(PileOne(deletion, {inserted}), kUnknown);
  EXPECT_EQ(PileOne(insertion, {ref}), (P{0, 3, 40}));
  EXPECT_EQ(PileOne(insertion, {inserted}), (P{40, 3, 0}));
  EXPECT_EQ(PileOne(insertion, {deleted}), kUnknown);
  EXPECT_EQ(PileOne(Site(103, "GTA", "GT"), {deleted}), (P{40, 3, 0}));  // written with more bases
}

// Aligners prefer mismatches to a gap near the end of a read, and a repeat that goes on to its end hides an indel.
TEST_F(SamplePileupTest, ReadsThatEndTooEarlyTellNothingOfIndels) {
  EXPECT_EQ(PileOne(Site(104, "TA", "T"), {{.position = 101, .cigar = "5M", .bases = "ACGTA"}}), kUnknown);
  const Marker repeat = Site(104, "TA", "T");
  EXPECT_EQ(PileOne(repeat, {{.position = 101, .cigar = "12M", .bases = "ACGTAAAAAAAA"}}), kUnknown);
  EXPECT_EQ(PileOne(repeat, {{.position = 101, .cigar = "16M", .bases = "ACGTAAAACGTACGTA"}}), (P{0, 3, 40}));
  // The same deletion, further to the right in the repeat.
  EXPECT_EQ(PileOne(repeat, {{.position = 101, .cigar = "6M1D9M", .bases = "ACGTAAACGTACGTA"}}), (P{40, 3, 0}));
  EXPECT_EQ(PileOne(Site(104, "T", "TA"), {{.position = 101, .cigar = "6M1I9M", .bases = "ACGTAAACGTACGTAC"}}),
            (P{40, 3, 0}));
}

// The first bases of a read with the indel may be those before it, aligned one or several bases further on.
TEST_F(SamplePileupTest, ReadsThatBeginTooLateTellNothingOfIndels) {
  const Marker deletion = Site(104, "TA", "T"), insertion = Site(104, "T", "TGG");
  for (const Marker& site : {deletion, insertion}) {
    EXPECT_EQ(PileOne(site, {{.position = 104, .cigar = "12M", .bases = "TACGTACGTACG"}}), kUnknown);
    EXPECT_EQ(PileOne(site, {{.position = 101, .cigar = "15M", .bases = "ACGTACGTACGTACG"}}), (P{0, 3, 40}));
    EXPECT_EQ(PileOne(site, {{.position = 104, .cigar = "2S12M", .bases = "CGTACGTACGTACG"}}), kUnknown);
    EXPECT_EQ(PileOne(site, {{.position = 4, .cigar = "8M92N12M", .bases = "ACGTACGTTACGTACGTACG"}}), kUnknown);
  }
  // A gap that few aligners would show tells no more.
  EXPECT_EQ(PileOne(deletion, {{.position = 104, .cigar = "1M1D10M", .bases = "TCGTACGTACG"}}), kUnknown);
  EXPECT_EQ(PileOne(deletion, {{.position = 102, .cigar = "3M1D10M", .bases = "CGTCGTACGTACG"}}), (P{40, 3, 0}));
}

// An aligner clips a read with ALT where the bases on one side are no more than those of the gap. If reads of REF
// counted there, heterozygotes of long indels would seem to have REF alone.
TEST_F(SamplePileupTest, ReadsOfRefCountWhereThoseOfAltDo) {
  constexpr size_t kAnchor = 200, kReadLength = 100;
  RandomStream random(1);
  const auto bases = [&](size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += "ACGT"[random.UniformInt(4)];
    return text;
  };
  const auto cigar = [](size_t left, size_t changed, char gap, size_t right) {
    return fmt::format("{}M{}{}{}M", left, changed, gap, right);
  };
  for (const size_t changed : {1, 3, 12, 29, 45}) {
    const std::string reference = bases(400), inserted = bases(changed);
    const std::string before = reference.substr(0, kAnchor), after = reference.substr(kAnchor);
    const Marker insertion = Site(kAnchor, before.substr(kAnchor - 1), before.substr(kAnchor - 1) + inserted);
    const Marker deletion = Site(kAnchor, reference.substr(kAnchor - 1, changed + 1), before.substr(kAnchor - 1));
    for (const bool is_insertion : {true, false}) {
      const std::string alt = is_insertion ? before + inserted + after : before + after.substr(changed);
      size_t tell = 0;
      for (size_t left = 1; left + (is_insertion ? changed : 0) < kReadLength; ++left) {
        const size_t begin = kAnchor - left, right = kReadLength - left - (is_insertion ? changed : 0);
        const auto position = static_cast<int64_t>(begin + 1);
        const Marker& site = is_insertion ? insertion : deletion;
        const bool ref_tells =
            PileOne(site, {{.position = position, .cigar = "100M", .bases = reference.substr(begin, kReadLength)}}) !=
            kUnknown;
        const bool alt_tells = PileOne(site, {{.position = position,
                                               .cigar = cigar(left, changed, is_insertion ? 'I' : 'D', right),
                                               .bases = alt.substr(begin, kReadLength)}}) != kUnknown;
        EXPECT_EQ(ref_tells, alt_tells) << changed << ' ' << is_insertion << ' ' << left;
        EXPECT_FALSE(ref_tells && std::min(left, right) <= changed + 1)
            << changed << ' ' << is_insertion << ' ' << left;
        tell += ref_tells ? 1 : 0;
      }
      EXPECT_EQ(tell > 0, changed < (is_insertion ? 30 : 40)) << changed << ' ' << is_insertion;
    }
  }
}

TEST_F(SamplePileupTest, SubstitutionsOfSeveralBases) {
  const Marker site = Site(103, "GT", "TC");
  EXPECT_EQ(PileOne(site, {{.position = 101, .cigar = "8M", .bases = "ACGTACGT"}}), (P{0, 3, 30}));
  EXPECT_EQ(PileOne(site, {{.position = 101, .cigar = "8M", .bases = "ACTCACGT"}}), (P{30, 3, 0}));
  EXPECT_EQ(PileOne(site, {{.position = 101, .cigar = "8M", .bases = "ACTTACGT"}}), kUnknown);
  EXPECT_EQ(PileOne(site, {{.position = 101, .cigar = "3M", .bases = "ACT"}}), kUnknown);
}

TEST_F(SamplePileupTest, AncientDna) {
  const std::vector<Marker> markers{Site(101, "A", "T"), Site(103, "G", "T"), Site(106, "C", "T"), Site(108, "T", "G")};
  const SamRead read{.position = 101, .cigar = "2H8M2S", .bases = "ACGTACGTGG"};
  filter_.ignored_ends = 1;
  auto phreds = Pile(markers, {read});
  EXPECT_EQ(phreds[0], kUnknown);
  EXPECT_EQ(phreds[1], (P{0, 3, 30}));
  EXPECT_EQ(phreds[2], (P{0, 3, 30}));
  EXPECT_EQ(phreds[3], kUnknown);
  filter_.ignored_ends = 0;
  filter_.ignores_transitions = true;
  phreds = Pile(markers, {read});
  EXPECT_EQ(phreds[0], (P{0, 3, 30}));
  EXPECT_EQ(phreds[2], kUnknown);
  EXPECT_EQ(phreds[3], (P{0, 3, 30}));
}

TEST_F(SamplePileupTest, SymbolicAllelesHaveNoReads) {
  EXPECT_THAT(Pile({Site(103, "G", "<DEL>"), Site(103, "G", "*"), Site(103, "GTA", "CC"), Site(103, "G", ".")},
                   {{.position = 101, .cigar = "8M", .bases = "ACGTACGT"}}),
              Each(kUnknown));
}

}  // namespace
}  // namespace haplospin
