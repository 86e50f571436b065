#include "genotypes/variant_io/alignments/people_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/alignment_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr int64_t kLength = 100000;

// Two people, of whom the second has two files, with a read at every 10 and every 5 bp.
class PeopleReadsTest : public testing::Test {
 protected:
  PeopleReadsTest() {
    auto study = std::make_shared<AlignmentStudy>();
    study->contigs = {{"20", kLength}};
    study->people = {{"A", {{Write("a.bam", 1)}}}, {"B", {{Write("b.bam", 1)}, {Write("c.cram", 6)}}}};
    study->fasta = fasta_;
    study_ = std::move(study);
  }

  std::string Write(const std::string& name, int64_t first) const {
    WriteFasta(fasta_, "20", std::string(kLength, 'A'));
    SamText sam("A", "20", kLength);
    for (int64_t position = first; position < kLength - 10; position += 10) {
      sam.Add({.position = position, .cigar = "5M", .bases = "AAAAA"});
    }
    WriteAlignments(folder_ / name, sam, fasta_);
    IndexAlignments(folder_ / name);
    return folder_ / name;
  }

  TemporaryFolder folder_;
  const std::string fasta_ = folder_ / "reference.fa";
  std::shared_ptr<const AlignmentStudy> study_;
};

TEST_F(PeopleReadsTest, PiecesOneAfterTheOtherAndBack) {
  PeopleReads people(study_);
  for (const int64_t begin : {500, 1000, 1300, 90000, 200}) {
    std::vector<Marker> markers;
    for (int64_t i = 0; i < 40; ++i) markers.push_back({begin + 5 * i + 2, ".", "A", "C"});
    const std::vector<PileupSite> sites = PileupSites(markers, false);
    std::vector<std::pair<size_t, size_t>> counts(2);  // reads and sites with reads
    people.Read("chr20", sites, {}, [&](size_t person, const SamplePileup& pileup) {
      const ReadCounts all = pileup.Count(0, sites.size());
      counts[person] = {all.reads, all.sites_with_reads};
    });
    EXPECT_THAT(counts, ElementsAre(Pair(20, 20), Pair(40, 40))) << begin;
  }
}

// The reads of a file of several people are those of their read groups; others are of nobody.
TEST_F(PeopleReadsTest, AFileOfSeveralPeople) {
  for (const std::string name : {"m.bam", "m.cram"}) {
    WriteFasta(fasta_, "20", std::string(kLength, 'A'));
    SamText sam("A", "20", kLength);
    sam.AddLine("@RG\tID:b1\tSM:B").AddLine("@RG\tID:b2\tSM:B").AddLine("@RG\tID:c\tSM:C");
    for (const char* group : {"\tRG:Z:A", "\tRG:Z:b1", "\tRG:Z:b2", "\tRG:Z:c", "\tRG:Z:x", ""}) {
      sam.AddLine(std::string("r\t0\t20\t100\t60\t5M\t*\t0\t0\tAAAAA\t?????") + group);
    }
    WriteAlignments(folder_ / name, sam, fasta_);
    IndexAlignments(folder_ / name);
    auto study = std::make_shared<AlignmentStudy>();
    study->contigs = {{"20", kLength}};
    study->people = {{"A", {{folder_ / name, "A"}}}, {"B", {{folder_ / name, "B"}}}};
    study->fasta = fasta_;
    const std::vector<PileupSite> sites = PileupSites({{Marker{102, ".", "A", "C"}}}, false);
    std::vector<size_t> reads(2);
    PeopleReads(study).Read(
        "20", sites, {}, [&](size_t person, const SamplePileup& pileup) { reads[person] = pileup.Count(0, 1).reads; });
    EXPECT_THAT(reads, ElementsAre(1, 2)) << name;
  }
}

// Many scaffolds with few reads, in any order, and more files than may be kept open.
TEST_F(PeopleReadsTest, ContigsInAnyOrder) {
  constexpr int kContigs = 50;
  SamText sam("A", "0", kLength);
  for (int c = 1; c < kContigs; ++c) sam.AddLine("@SQ\tSN:" + std::to_string(c) + "\tLN:100000");
  for (int c = 0; c < kContigs; ++c) {
    for (int read = 0; read < c % 4; ++read) {
      sam.Add({.position = 100, .cigar = "5M", .bases = "AAAAA", .contig = std::to_string(c)});
    }
  }
  WriteAlignments(folder_ / "s.bam", sam);
  IndexAlignments(folder_ / "s.bam");
  auto study = std::make_shared<AlignmentStudy>();
  study->people = {{"A", {{folder_ / "s.bam"}}}};
  PeopleReads people(study);
  const std::vector<PileupSite> sites = PileupSites({{Marker{102, ".", "A", "C"}}}, false);
  for (int i = 0; i < 3 * kContigs; ++i) {
    const int c = i < kContigs ? i : i * 7 % kContigs;
    people.Read(std::to_string(c), sites, {}, [&](size_t, const SamplePileup& pileup) {
      EXPECT_EQ(pileup.Count(0, 1).reads, static_cast<size_t>(c % 4)) << c;
    });
    EXPECT_EQ(HasReads(*study, std::to_string(c)), c % 4 > 0);
  }
}

}  // namespace
}  // namespace haplospin
