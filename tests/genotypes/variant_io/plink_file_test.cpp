#include "genotypes/variant_io/plink_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PlinkFileTest : public testing::Test {
 protected:
  // Five samples, of which the second and the fifth are men: hom A1, het, missing, hom A2, hom A1 | het.
  PlinkFileTest() {
    WriteFile(folder_ / "s.fam", "f a 0 0 2 -9\nf b 0 0 1 -9\nf c 0 0 2 -9\nf d 0 0 0 -9\nf e 0 0 1 -9\n");
    WriteFile(folder_ / "s.bim", "20 rs1 0 100 C A\n20 rs2 0 200 0 G\n20\trs3\t0\t300\tT\t0\n23 rs4 0 50 C A\n");
    const std::string genotypes("\xd8\x00", 2), homozygous_a2("\xff\x03", 2), homozygous_a1("\x00\x00", 2);
    bed_ = std::string("\x6c\x1b\x01", 3) + genotypes + homozygous_a2 + homozygous_a1 + genotypes;
    WriteFile(path_, bed_);
  }

  std::string Lines() const {
    PlinkFile file(path_);
    std::string text;
    while (file.ReadLine(text)) {
    }
    return text;
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "s.bed";
  std::string bed_;
};

TEST_F(PlinkFileTest, LinesOfVcf) {
  ASSERT_TRUE(PlinkFile::IsBed(path_));
  EXPECT_THAT(PlinkFile(path_).samples(), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_EQ(Lines(),
            "20\t100\trs1\tA\tC\t.\t.\t.\tGT\t1/1\t0/1\t./.\t0/0\t1/1\n"
            "20\t200\trs2\tG\t.\t.\t.\t.\tGT\t0/0\t0/0\t0/0\t0/0\t0/0\n"
            "20\t300\trs3\tT\t.\t.\t.\t.\tGT\t0/0\t0/0\t0/0\t0/0\t0/0\n"
            "23\t50\trs4\tA\tC\t.\t.\t.\tGT\t1/1\t0/1\t./.\t0/0\t1/1\n");
}

TEST_F(PlinkFileTest, IsReadAsAStudy) {
  StudyReader reader(path_, {.unphased = Unphased::kAccept});
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
  EXPECT_EQ(reader.num_male_heterozygotes(), 1u);
}

TEST_F(PlinkFileTest, FilesThatDoNotFitAreNamed) {
  const auto error = [&] { return ErrorOf([&] { Lines(); }); };
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

// PLINK gives a variant a negative position to leave it out.
// A linkage map: 1 cM is 1 Mb, unless some variant has a position in bp.
TEST_F(PlinkFileTest, PositionsMayBeInCentimorgans) {
  const auto positions = [&](const std::string& bim) {
    WriteFile(folder_ / "s.bim", bim);
    std::vector<std::string> found;
    const std::string lines = Lines();
    for (size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1) {
      const size_t begin = lines.find('\t', at) + 1;
      found.push_back(lines.substr(begin, lines.find('\t', begin) - begin));
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

TEST_F(PlinkFileTest, VariantsOfNegativePositionAreLeftOut) {
  const std::string whole = Lines();
  std::string bim = ReadFile(folder_ / "s.bim");
  const size_t end = bim.find('\n') + 1;
  WriteFile(folder_ / "s.bim", bim.substr(0, end) + "20 left_out 0 -9 C A\n" + bim.substr(end));
  const size_t size = (bed_.size() - 3) / static_cast<size_t>(std::ranges::count(bim, '\n'));
  WriteFile(path_, bed_.substr(0, 3 + size) + std::string(size, '\0') + bed_.substr(3 + size));
  testing::internal::CaptureStderr();
  EXPECT_EQ(Lines(), whole);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("1 variant with a negative position"));
}

}  // namespace
}  // namespace haplospin
