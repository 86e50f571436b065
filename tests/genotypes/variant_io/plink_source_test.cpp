#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/random.h"
#include "core/temporary_folder.h"
#include "genotypes/variant_io/file_kind.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PlinkSourceTest : public testing::Test {
 protected:
  // Five samples, of which the second and the fifth are men: hom A1, het, missing, hom A2, hom A1 | het.
  PlinkSourceTest() {
    WriteFile(folder_ / "s.fam", "f a 0 0 2 -9\nf b 0 0 1 -9\nf c 0 0 2 -9\nf d 0 0 0 -9\nf e 0 0 1 -9\n");
    WriteFile(folder_ / "s.bim", "20 rs1 0 100 C A\n20 rs2 0 200 0 G\n20\trs3\t0\t300\tT\t0\n23 rs4 0 50 C A\n");
    const std::string genotypes("\xd8\x00", 2), homozygous_a2("\xff\x03", 2), homozygous_a1("\x00\x00", 2);
    bed_ = std::string("\x6c\x1b\x01", 3) + genotypes + homozygous_a2 + homozygous_a1 + genotypes;
    WriteFile(path_, bed_);
  }

  // A line for each record: contig, position, ID, alleles and genotypes.
  std::string Records() const {
    const auto opened = OpenPlink(path_, {});
    RecordSource& source = *opened;
    std::string text;
    while (const size_t count = source.Read()) {
      for (size_t i = 0; i < count; ++i) {
        source.Parse(i, {});
        const ParsedRecord& record = source.record(i);
        EXPECT_EQ(record.error, "");
        text += fmt::format("{}\t{} {} {} {}", record.contig, record.position, record.id, record.ref,
                            fmt::join(record.alts, ","));
        for (size_t s = 0; s < source.header().samples.size(); ++s) text += ' ' + GenotypeText(record.calls, s, '/');
        text += '\n';
      }
    }
    return text;
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "s.bed";
  std::string bed_;
};

TEST_F(PlinkSourceTest, Records) {
  ASSERT_TRUE(IsBed(path_));
  EXPECT_THAT(OpenPlink(path_, {})->header().samples, ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_EQ(Records(),
            "20\t100 rs1 A C 1/1 0/1 ./. 0/0 1/1\n"
            "20\t200 rs2 G  0/0 0/0 0/0 0/0 0/0\n"
            "20\t300 rs3 T  0/0 0/0 0/0 0/0 0/0\n"
            "23\t50 rs4 A C 1/1 0/1 ./. 0/0 1/1\n");
}

// With any number of samples, whatever is in the bits after the last one.
TEST_F(PlinkSourceTest, GenotypesOfAllSamples) {
  RandomStream random(4);
  for (const size_t samples : {1, 2, 3, 4, 5, 8, 31, 130}) {
    std::string fam, bed = bed_.substr(0, 3);
    for (size_t s = 0; s < samples; ++s) fam += fmt::format("f s{} 0 0 0 -9\n", s);
    for (size_t byte = 0; byte < (samples + 3) / 4; ++byte) bed += static_cast<char>(random.UniformInt(256));
    WriteFile(folder_ / "s.fam", fam);
    WriteFile(folder_ / "s.bim", "1 a 0 1 C A\n");
    WriteFile(path_, bed);
    std::string expected = "1\t1 a A C";
    size_t num_unphased = 0, first_unphased = 0;
    for (size_t s = 0; s < samples; ++s) {
      const unsigned code = static_cast<unsigned char>(bed[3 + s / 4]) >> 2 * (s % 4) & 3u;
      expected += std::array<const char*, 4>{" 1/1", " ./.", " 0/1", " 0/0"}[code];
      if (code == 2 && num_unphased++ == 0) first_unphased = s;
    }
    EXPECT_EQ(Records(), expected + "\n");
    const auto opened = OpenPlink(path_, {});
    RecordSource& source = *opened;
    ASSERT_EQ(source.Read(), 1u);
    source.Parse(0, {});
    const GenotypeCalls& calls = source.record(0).calls;
    EXPECT_EQ(calls.num_unphased, num_unphased);
    EXPECT_EQ(calls.unphased.size(), num_unphased == 0 ? 0 : samples);
    EXPECT_EQ(std::ranges::count(calls.unphased, 1), num_unphased);
    if (num_unphased != 0) {
      EXPECT_EQ(calls.first_unphased, first_unphased);
    }
  }
}

// plink2 writes X as three contigs, in this order.
TEST_F(PlinkSourceTest, ThePseudoAutosomalRegionsOfPlink2AreX) {
  WriteFile(folder_ / "s.bim", "PAR1 a 0 100 C A\nX b 0 300 C A\nX c 0 400 C A\nPAR2 d 0 500 C A\n");
  EXPECT_EQ(Records(),
            "X\t100 a A C 1/1 0/1 ./. 0/0 1/1\nX\t300 b A C 0/0 0/0 0/0 0/0 0/0\n"
            "X\t400 c A C 1/1 1/1 1/1 1/1 1/1\nX\t500 d A C 1/1 0/1 ./. 0/0 1/1\n");
  const auto opened = OpenPlink(path_, {});
  RecordSource& source = *opened;
  EXPECT_TRUE(source.header().has_par_contigs);
  EXPECT_THAT(source.KnownContigs(), ElementsAre(testing::Pair("X", 500)));
  StudyReader reader(path_);
  reader.DivideContigs(PloidyRegions({{"X", 1, 200}, {"X", 450, 600}}));
  std::vector<uint32_t> haplotypes;
  while (reader.NextContig()) {
    StudyGenotypes study = reader.StartContig();
    reader.ReadUntil(INT64_MAX, study);
    haplotypes.push_back(study.samples.num_haplotypes());
  }
  EXPECT_THAT(haplotypes, ElementsAre(10, 8, 10)) << "b and e are men";
}

// An allele that is not known cannot be carried.
TEST_F(PlinkSourceTest, UnknownAllelesAreNotCarried) {
  WriteFile(folder_ / "s.bim", "20 rs1 0 100 0 A\n");
  WriteFile(path_, bed_.substr(0, 5));
  EXPECT_THAT(ErrorOf([&] {
                StudyReader reader(path_);
                reader.StartContig();
              }),
              HasSubstr("s.bed: 20:100: sample a has allele 1, but the record has 0 ALT"));
}

TEST_F(PlinkSourceTest, IsReadAsAStudy) {
  StudyReader reader(path_);
  EXPECT_EQ(reader.NextContig(), "20");
  StudyGenotypes study = reader.StartContig();
  EXPECT_FALSE(reader.ReadUntil(INT64_MAX, study));
  ASSERT_EQ(study.markers.size(), 3u);
  EXPECT_THAT(study.markers[0].genotypes.alleles, ElementsAre(1, 1, 0, 1, 2, 2, 0, 0, 1, 1));
  EXPECT_EQ(reader.NextContig(), "23");
  study = reader.StartContig();
  EXPECT_EQ(study.samples.num_haplotypes(), 8u) << "b and e are men";
  reader.ReadUntil(INT64_MAX, study);
  EXPECT_THAT(study.markers[0].genotypes.alleles, ElementsAre(1, 1, 2, 2, 2, 0, 0, 1)) << "b is heterozygous";
  EXPECT_EQ(reader.Reading().male_heterozygotes, 1u);
}

TEST_F(PlinkSourceTest, FilesThatDoNotFitAreNamed) {
  const auto error = [&] { return ErrorOf([&] { Records(); }); };
  WriteFile(path_, bed_.substr(0, bed_.size() - 1));
  EXPECT_THAT(error(), HasSubstr("s.bed: does not have the variants of its .bim"));
  WriteFile(path_, bed_ + "x");
  EXPECT_THAT(error(), HasSubstr("s.bed: does not have the variants of its .bim"));
  WriteFile(path_, bed_);
  WriteFile(folder_ / "s.bim", "20 rs1 0 x C A\n");
  EXPECT_THAT(error(), HasSubstr("s.bim: line 1: \"x\" is not a position"));
  std::filesystem::remove(folder_ / "s.bim");
  EXPECT_THAT(error(), HasSubstr("s.bim: cannot open"));
}

// A linkage map: 1 cM is 1 Mb, unless some variant has a position in bp.
TEST_F(PlinkSourceTest, PositionsMayBeInCentimorgans) {
  const auto positions = [&](const std::string& bim) {
    WriteFile(folder_ / "s.bim", bim);
    std::vector<std::string> found;
    const std::string lines = Records();
    for (size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1) {
      const size_t begin = lines.find('\t', at) + 1;
      found.push_back(lines.substr(begin, lines.find(' ', begin) - begin));
    }
    return found;
  };
  EXPECT_THAT(positions("1 a 0 0 C A\n1 b 0.5 0 C A\n1 c 0.5 0 C A\n1 d 12.0000015 0 C A\n"),
              ElementsAre("0", "500000", "500000", "12000002"));
  EXPECT_THAT(positions("1 a 0 0 C A\n1 b 0.5 0 C A\n1 c 0.5 7 C A\n1 d 12 9 C A\n"), ElementsAre("0", "0", "7", "9"));
  EXPECT_THAT(positions("1 a 0 0 C A\n1 b 0 0 C A\n1 c 0 0 C A\n1 d 0 0 C A\n"), ElementsAre("0", "0", "0", "0"));
  EXPECT_THAT(ErrorOf([&] { positions("1 a 1 0 C A\n1 b x 0 C A\n1 c 3 0 C A\n1 d 4 0 C A\n"); }),
              HasSubstr("s.bim: line 2: the position \"x\" is not in cM"));
}

// PLINK gives a variant a negative position to leave it out.
TEST_F(PlinkSourceTest, VariantsOfNegativePositionAreLeftOut) {
  const std::string whole = Records();
  std::string bim = ReadFile(folder_ / "s.bim");
  const size_t end = bim.find('\n') + 1;
  WriteFile(folder_ / "s.bim", bim.substr(0, end) + "20 left_out 0 -9 C A\n" + bim.substr(end));
  const size_t size = (bed_.size() - 3) / static_cast<size_t>(std::ranges::count(bim, '\n'));
  WriteFile(path_, bed_.substr(0, 3 + size) + std::string(size, '\0') + bed_.substr(3 + size));
  testing::internal::CaptureStderr();
  EXPECT_EQ(Records(), whole);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("1 variant with a negative position"));
}

}  // namespace
}  // namespace haplospin
