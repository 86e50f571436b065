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
    study->people = {{"A", {Write("a.bam", 1)}}, {"B", {Write("b.bam", 1), Write("c.cram", 6)}}};
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

}  // namespace
}  // namespace haplospin
