#include "genotypes/variant_io/alignments/alignment_source.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "core/random.h"
#include "core/temporary_folder.h"
#include "core/threads.h"
#include "genotypes/variant_io/alignment_files.h"
#include "genotypes/variant_io/alignments/alignment_file.h"
#include "genotypes/variant_io/alignments/people_errors.h"
#include "genotypes/variant_io/alignments/sample_pileup.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int64_t kLength = 1000000;  // as VcfText declares
constexpr int64_t kEnd = 100000;      // of reads and sites
constexpr size_t kSites = 9000;       // several pieces

// Two people with reads on chr20, and sites on 19 and 20 in a VCF.
class AlignmentSourceTest : public testing::Test {
 protected:
  AlignmentSourceTest() {
    RandomStream random(3);
    for (int64_t i = 0; i < kLength; ++i) reference_ += "ACGT"[random.UniformInt(4)];
    VcfText vcf(std::vector<std::string>{"P"}, {"19", "20"});
    vcf.Add("19", 100, "A", "C", "0|1");
    for (size_t i = 0; i < kSites; ++i) {
      const int64_t position = 50 + static_cast<int64_t>(11 * i);
      const std::string ref(1, reference_[static_cast<size_t>(position) - 1]);
      vcf.Add("20", position, ref, ref == "A" ? "C" : "A", "0|1");
    }
    WriteText(sites_, vcf.text(), FileForm::kBgzip);
    IndexFile(sites_);
    for (const char* name : {"A", "B"}) {
      SamText sam(name, "chr20", kLength);
      for (int64_t position = 1; position < kEnd - 200; position += 1 + static_cast<int64_t>(random.UniformInt(150))) {
        std::string bases = reference_.substr(static_cast<size_t>(position) - 1, 100);
        for (char& base : bases) base = random.Bernoulli(0.02) ? "ACGT"[random.UniformInt(4)] : base;
        sam.Add({.position = position, .cigar = "100M", .bases = bases, .contig = "chr20"});
      }
      targets_.push_back({folder_ / (std::string(name) + ".bam"), ""});
      WriteAlignments(targets_.back().path, sam);
      IndexAlignments(targets_.back().path);
    }
  }

  StudyOptions Options(const std::string& fasta = "", const std::string& sites = "",
                       const AlignmentPieces& pieces = {}) const {
    auto study = std::make_shared<const AlignmentStudy>(OpenAlignmentStudy(targets_, fasta, {}));
    return {.unphased = Unphased::kReadAll,
            .likelihoods = LikelihoodField::kPl,
            .open = AlignmentRecords("reads", study, sites.empty() ? sites_ : sites, pieces)};
  }

  // What is known of each person at a marker: the likelihoods and, read by read, numbers and alleles.
  struct Known {
    std::array<uint8_t, 3> phred;
    std::vector<std::pair<uint64_t, int>> reads;

    bool operator==(const Known&) const = default;
  };

  static std::vector<std::vector<Known>> AllKnown(const StudyGenotypes& study) {
    std::vector<std::vector<Known>> known;
    for (const StudyMarker& marker : study.markers) {
      known.emplace_back();
      for (size_t s = 0; s < marker.genotypes.likelihoods.size(); ++s) {
        Known& one = known.back().emplace_back(marker.genotypes.likelihoods[s].phred);
        for (const ReadAllele& allele : marker.genotypes.Reads(s)) one.reads.emplace_back(allele.read, allele.is_alt);
      }
    }
    return known;
  }

  static StudyGenotypes ReadAll(StudyReader& reader) {
    StudyGenotypes study = reader.StartContig();
    EXPECT_FALSE(reader.ReadUntil(INT64_MAX, study));
    return study;
  }

  TemporaryFolder folder_;
  std::string reference_;
  const std::string sites_ = folder_ / "sites.vcf.gz";
  std::vector<AlignmentTarget> targets_;
};

TEST_F(AlignmentSourceTest, AStudyIsReadFromReads) {
  StudyReader reader("reads", Options());
  EXPECT_THAT(reader.sample_names(), ElementsAre("A", "B"));
  EXPECT_THAT(reader.Contigs(), ElementsAre("chr20"));
  EXPECT_EQ(reader.NextContig(), "chr20");  // 19 has no reads
  const StudyGenotypes study = ReadAll(reader);
  ASSERT_EQ(study.markers.size(), kSites);
  EXPECT_EQ(study.markers[0].marker.position, 50);

  // The same as the pileup of all sites at once.
  std::vector<Marker> markers;
  for (const StudyMarker& marker : study.markers) markers.push_back(marker.marker);
  const std::vector<PileupSite> sites = PileupSites(markers, false);
  const ReadFilter filter;
  PeopleErrors errors(std::make_shared<const AlignmentStudy>(OpenAlignmentStudy(targets_, "", filter)), sites_);
  for (size_t person = 0; person < 2; ++person) {
    EXPECT_GT(errors.Models()[person].ExtraError(), 0);
    SamplePileup pileup(sites, filter, &errors.Models()[person]);
    AlignmentFile(targets_[person].path, "").ForEachRead("chr20", 0, kLength, [&](const bam1_t& read) {
      pileup.Add(read);
    });
    std::vector<GenotypeLikelihoods> row(kSites);
    pileup.Fill(row);
    size_t with_reads = 0;
    for (size_t m = 0; m < kSites; ++m) {
      EXPECT_EQ(row[m].phred, study.markers[m].genotypes.likelihoods[person].phred) << m;
      with_reads += row[m].IsFlat() ? 0 : 1;
    }
    EXPECT_GT(with_reads, kSites / 3);
  }
}

TEST_F(AlignmentSourceTest, ARegionHasTheSameLikelihoods) {
  StudyReader whole("reads", Options()), part("reads", Options());
  const StudyGenotypes all = ReadAll(whole);
  part.Seek({"20", 40000, 60000});
  const StudyGenotypes some = ReadAll(part);
  size_t first = 0;
  while (all.markers[first].marker.position < 40000) ++first;
  ASSERT_GT(some.markers.size(), 1500);
  const auto expected = AllKnown(all);
  EXPECT_EQ(AllKnown(some),
            decltype(expected)(expected.begin() + first, expected.begin() + first + some.markers.size()));
  EXPECT_THAT(ErrorOf([&] { part.Seek({"21", 1}); }), HasSubstr("no records of contig 21"));
}

// A read of 100 bases covers nine sites, and has one number at all of them, wherever reading begins.
TEST_F(AlignmentSourceTest, ReadsAreKnownAtAllTheirSites) {
  StudyOptions options = Options();
  options.samples = {"B"};
  StudyReader reader("reads", options);
  const StudyGenotypes study = ReadAll(reader);
  std::map<uint64_t, std::pair<size_t, size_t>> sites;  // first and last of each read
  size_t shown = 0;
  for (size_t m = 0; m < study.markers.size(); ++m) {
    for (const ReadAllele& allele : study.markers[m].genotypes.Reads(0)) {
      sites.try_emplace(allele.read, m, m).first->second.second = m;
      ++shown;
    }
  }
  EXPECT_GT(sites.size(), 1000);
  EXPECT_GT(shown, 7 * sites.size());
  for (const auto& [read, ends] : sites) EXPECT_LE(ends.second - ends.first, 9);
}

TEST_F(AlignmentSourceTest, PiecesDoNotMatter) {
  StudyReader whole("reads", Options()), pieces("reads", Options("", "", {.max_bytes = 1}));
  EXPECT_EQ(AllKnown(ReadAll(pieces)), AllKnown(ReadAll(whole)));
}

TEST_F(AlignmentSourceTest, TheDepthIsThatOfTheCountedSites) {
  const auto printed = [&](const AlignmentPieces& pieces) {
    StudyReader reader("reads", Options("", "", pieces));
    ReadAll(reader);
    testing::internal::CaptureStderr();
    reader.TellOfReads();
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(printed({}), HasSubstr(fmt::format("2 samples at {} sites", kSites)));
  // At 50, 61, ...; the last ones of a piece and the first ones of the next.
  EXPECT_THAT(printed({.counted = Region{"20", 50, 50}}), HasSubstr("2 samples at 1 site:"));
  EXPECT_THAT(printed({.counted = Region{"chr20", 22000, 33000}}), HasSubstr("2 samples at 1000 sites:"));
  EXPECT_THAT(printed({.counted = Region{"19"}}), IsEmpty());
}

TEST_F(AlignmentSourceTest, ThreadsDoNotMatter) {
  SetThreads(1);
  StudyReader one("reads", Options());
  const auto expected = AllKnown(ReadAll(one));
  SetThreads(4);
  StudyReader several("reads", Options());
  EXPECT_EQ(AllKnown(ReadAll(several)), expected);
  SetThreads(AvailableThreads());
}

TEST_F(AlignmentSourceTest, TwoFilesOfAPersonAreJoined) {
  targets_[1].name = "A";  // the sample of the first file
  EXPECT_THAT(ErrorOf([&] { Options(); }), HasSubstr("second person"));
  targets_[1].name = targets_[0].name = "";
  SamText sam("A", "chr20", kLength);
  for (int i = 0; i < 3; ++i) {
    sam.Add({.position = 50, .cigar = "12M", .bases = reference_.substr(49, 12), .contig = "chr20"});
  }
  StudyReader before("reads", Options());
  const auto likelihoods = AllKnown(ReadAll(before));
  targets_.push_back({folder_ / "more.bam", ""});
  WriteAlignments(targets_[2].path, sam);
  IndexAlignments(targets_[2].path);
  StudyReader reader("reads", Options());
  EXPECT_THAT(reader.sample_names(), ElementsAre("A", "B"));
  const auto more = AllKnown(ReadAll(reader));
  EXPECT_GT(more[0][0].phred[2], likelihoods[0][0].phred[2]);
  EXPECT_EQ(more[0][1], likelihoods[0][1]);
  EXPECT_EQ(std::vector(more.begin() + 2, more.end()), std::vector(likelihoods.begin() + 2, likelihoods.end()));
}

TEST_F(AlignmentSourceTest, OtherBuildsAreRefused) {
  const std::string fasta = folder_ / "r.fa";
  WriteFasta(fasta, "chr20", reference_);
  StudyReader right("reads", Options(fasta));
  EXPECT_EQ(ErrorOf([&] { ReadAll(right); }), "");
  // ALT of the sites, which is A unless REF is.
  std::string alts = reference_;
  for (char& base : alts) base = base == 'A' ? 'C' : 'A';
  WriteFasta(fasta, "chr20", alts);
  StudyReader exchanged("reads", Options(fasta));
  EXPECT_THAT(ErrorOf([&] { exchanged.NextContig(); }),
              AllOf(HasSubstr("ALT is, so the sites have ALT first"), HasSubstr("ref-first")));
  WriteFasta(fasta, "chr20", std::string(kLength, 'G'));
  StudyReader wrong("reads", Options(fasta));
  EXPECT_THAT(ErrorOf([&] { ReadAll(wrong); }), HasSubstr("r.fa: REF of "));

  VcfText shifted(std::vector<std::string>{"P"}, {"20"});
  for (size_t i = 0; i < kSites; ++i) {
    const std::string ref(1, reference_[11 * i]);
    shifted.Add("20", 50 + static_cast<int64_t>(11 * i), ref, ref == "A" ? "C" : "A", "0|1");
  }
  WriteText(folder_ / "shifted.vcf", shifted.text(), FileForm::kVcf);
  StudyReader other("reads", Options("", folder_ / "shifted.vcf"));
  EXPECT_THAT(ErrorOf([&] { ReadAll(other); }), HasSubstr("have neither REF nor ALT"));
  SamText sam("C", "chr20", kLength);
  for (int64_t position = 1; position < kEnd; position += 40) {
    const std::string bases = reference_.substr(static_cast<size_t>(position) + 500, 100);
    sam.Add({.position = position, .cigar = "100M", .bases = bases, .contig = "chr20"});
  }
  targets_.push_back({folder_ / "C.bam", ""});
  WriteAlignments(targets_.back().path, sam);
  IndexAlignments(targets_.back().path);
  StudyReader with_one("reads", Options());
  EXPECT_THAT(ErrorOf([&] { ReadAll(with_one); }), HasSubstr("C.bam: "));
  targets_.pop_back();
  WriteText(folder_ / "long.vcf",
            "##fileformat=VCFv4.2\n##contig=<ID=20,length=7>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n",
            FileForm::kVcf);
  EXPECT_THAT(ErrorOf([&] { StudyReader("reads", Options("", folder_ / "long.vcf")); }),
              HasSubstr("contig chr20 has 1000000 bp, but 7 in"));
}

}  // namespace
}  // namespace haplospin
