#include "genotypes/imputation/files/contig_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsNull;

TEST(ContigFilesTest, NamedByContig) {
  const TemporaryFolder folder;
  for (const char* contig : {"10", "2", "X", "1"}) WriteFile(folder / ("p.chr" + std::string(contig) + ".hsp"), "");
  WriteFile(folder / "p.chr3.hsp.old", "");
  const ContigFiles files = ContigFiles::Named("ref", folder / "p.chr{contig}.hsp");
  EXPECT_THAT(files.Names(), ElementsAre("1", "2", "10", "X"));
  EXPECT_EQ(files.Find("chr10")->path, folder / "p.chr10.hsp");
  EXPECT_EQ(files.Find("23")->contig, "X");
  EXPECT_THAT(files.Find("3"), IsNull());
}

TEST(ContigFilesTest, SeveralFiles) {
  const auto list = [](const std::string& path) {
    return path == "a" ? std::vector<std::string>{"chr2", "chr10"} : std::vector<std::string>{path};
  };
  const ContigFiles files = ContigFiles::Listed("ref", {"chrX", "a"}, list, "keep one");
  EXPECT_THAT(files.Names(), ElementsAre("chr2", "chr10", "chrX"));
  EXPECT_EQ(files.Find("10")->path, "a");
  EXPECT_EQ(files.Find("10")->num_contigs, 2u);
  EXPECT_EQ(files.Find("X")->num_contigs, 1u);
  try {
    ContigFiles::Listed("ref", {"a", "10"}, list, "keep one");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "--ref: a and 10 are both contig 10; keep one");
  }
}

TEST(ContigFilesTest, FillsAllPlaces) {
  EXPECT_TRUE(HasContigPlace("a.{contig}"));
  EXPECT_FALSE(HasContigPlace("a.contig"));
  EXPECT_EQ(WithContig("{contig}/out.{contig}.bcf", "chr1"), "chr1/out.chr1.bcf");
  EXPECT_EQ(WithContig("chr{contig}/out.chr{contig}.bcf", "chr1"), "chr1/out.chr1.bcf");
  EXPECT_EQ(WithContig("out.chr{contig}.bcf", "X"), "out.chrX.bcf");
}

TEST(ContigFilesTest, NamesThatHaveChrTwiceAreFound) {
  const TemporaryFolder folder;
  WriteFile(folder / "p.chrchr1.hsp", "");
  const ContigFiles files = ContigFiles::Named("ref", folder / "p.chr{contig}.hsp");
  EXPECT_EQ(files.Find("1")->path, folder / "p.chrchr1.hsp");
}

}  // namespace
}  // namespace haplospin
