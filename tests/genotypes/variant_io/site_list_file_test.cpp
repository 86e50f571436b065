#include "genotypes/variant_io/site_list_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

class SiteListFileTest : public testing::Test {
 protected:
  SiteList Load(const std::string& text, FileForm form = FileForm::kVcf) {
    WriteText(folder_ / "sites.txt", text, form);
    return LoadSiteList(folder_ / "sites.txt");
  }
  std::string ErrorFor(const std::string& text) {
    return ErrorOf([&] { Load(text); });
  }

  TemporaryFolder folder_;
};

TEST_F(SiteListFileTest, FindsItsSitesUnderEitherContigName) {
  for (const FileForm form : {FileForm::kVcf, FileForm::kBgzip, FileForm::kGzip}) {
    const SiteList sites = Load("#chrom pos\n20\t300\trs3\n20 100\n\nX 7\n20\t300\n20 200\n", form);
    EXPECT_EQ(sites.size(), 4u);
    EXPECT_THAT(sites.contigs(), testing::UnorderedElementsAre("20", "X"));
    for (const int position : {100, 200, 300}) {
      EXPECT_TRUE(sites.Contains("20", position));
      EXPECT_TRUE(sites.Contains("chr20", position));
    }
    EXPECT_TRUE(sites.Contains("chrX", 7));
    EXPECT_FALSE(sites.Contains("20", 7));
    EXPECT_FALSE(sites.Contains("2", 100));
  }
}

TEST_F(SiteListFileTest, ABcfFileHasThePositionsOfItsRecords) {
  const VcfText vcf = VcfText().Add("2", 7, "A", "C", "0|1 0|0 0|0").Add("20", 300, "A", "C", "0|1 0|0 0|0");
  for (const FileForm form : {FileForm::kVcf, FileForm::kBcf, FileForm::kBcfUncompressed}) {
    WriteVariants(folder_ / "sites.bcf", vcf, form);
    const SiteList sites = LoadSiteList(folder_ / "sites.bcf");
    EXPECT_EQ(sites.size(), 2u);
    EXPECT_TRUE(sites.Contains("chr2", 7));
    EXPECT_TRUE(sites.Contains("20", 300));
    MarkerList markers = LoadMarkerList(folder_ / "sites.bcf");
    EXPECT_TRUE(markers.Find("chr20", {300, ".", "A", "C"}));
    EXPECT_FALSE(markers.Find("20", {301, ".", "A", "C"}));
    EXPECT_THAT(markers.NotFound(), testing::ElementsAre("2:7"));
  }
  WriteVariants(folder_ / "empty.bcf", VcfText(), FileForm::kBcf);
  EXPECT_THAT(ErrorOf([&] { LoadSiteList(folder_ / "empty.bcf"); }), HasSubstr("empty"));
  EXPECT_THAT(ErrorOf([&] { LoadMarkerList(folder_ / "empty.bcf"); }), HasSubstr("has no records"));
}

TEST_F(SiteListFileTest, MarkersMayBeNamedInThreeWays) {
  WriteText(folder_ / "markers.txt", "rs7\n20:300\nHLA:A:5\n20 100\n20:300:A:C\n", FileForm::kVcf);
  MarkerList markers = LoadMarkerList(folder_ / "markers.txt");
  EXPECT_TRUE(markers.Find("20", {1, "rs7", "A", "C"}));
  EXPECT_TRUE(markers.Find("chr20", {300, ".", "A", "C"}));
  EXPECT_TRUE(markers.Find("20", {1, "20:300", "A", "C"}));
  EXPECT_TRUE(markers.Find("HLA:A", {5, ".", "A", "C"}));
  EXPECT_TRUE(markers.Find("20", {100, ".", "A", "C"}));
  EXPECT_TRUE(markers.Find("20", {1, "20:300:A:C", "A", "C"}));
  EXPECT_FALSE(markers.Find("20", {200, "rs8", "A", "C"}));
  EXPECT_THAT(markers.NotFound(), testing::IsEmpty());
}

TEST_F(SiteListFileTest, ReadsTheTextOfOtherSystems) {
  WriteText(folder_ / "markers.txt", "\xef\xbb\xbfrs7\r\n20:300\r\nrs9", FileForm::kVcf);
  MarkerList markers = LoadMarkerList(folder_ / "markers.txt");
  EXPECT_THAT(markers.NotFound(), testing::ElementsAre("rs7", "20:300", "rs9"));
  EXPECT_TRUE(markers.Find("20", {1, "rs7", "A", "C"}));
  EXPECT_TRUE(markers.Find("20", {1, "rs9", "A", "C"}));
  WriteText(folder_ / "markers.txt",
            std::string("rs7\nrs\0"
                        "8\n",
                        9),
            FileForm::kVcf);
  EXPECT_THAT(ErrorOf([&] { LoadMarkerList(folder_ / "markers.txt"); }), HasSubstr("line 2: has a NUL character"));
}

TEST_F(SiteListFileTest, TellsWhichMarkersWereNotFound) {
  WriteText(folder_ / "markers.txt", "rs7\n20:300\n21 100\nrs9\n20 300\n", FileForm::kVcf);
  MarkerList markers = LoadMarkerList(folder_ / "markers.txt");
  EXPECT_FALSE(markers.Find("20", {100, "rs8", "A", "C"}));
  EXPECT_THAT(markers.NotFound(), testing::ElementsAre("rs7", "20:300", "21:100", "rs9", "20:300"));
  EXPECT_TRUE(markers.Find("chr20", {300, "rs9", "A", "C"}));
  EXPECT_THAT(markers.NotFound(), testing::ElementsAre("rs7", "21:100"));
}

TEST_F(SiteListFileTest, NamesTheLineThatIsNoSite) {
  EXPECT_THAT(ErrorFor("20 100\n20\n"), HasSubstr("sites.txt: line 2: expected a contig and a position"));
  EXPECT_THAT(ErrorFor("chrom pos\n"), HasSubstr("sites.txt: line 1: \"pos\" is not a position in bp"));
  EXPECT_THAT(ErrorFor("20 1e6\n"), HasSubstr("\"1e6\" is not a position"));
  EXPECT_THAT(ErrorFor(""), HasSubstr("sites.txt: empty"));
  EXPECT_THAT(ErrorFor("# nothing\n"), HasSubstr("sites.txt: empty"));
  EXPECT_THAT(ErrorOf([] { LoadSiteList("/no/such/file"); }), HasSubstr("/no/such/file: cannot open"));
}

// BED has the position before the first one, and the last one.
TEST_F(SiteListFileTest, BedIsToldByItsNameOrItsColumns) {
  const auto expect = [&](const std::string& name, const std::string& text, const std::vector<int64_t>& sites) {
    WriteText(folder_ / name, text, name.ends_with(".gz") ? FileForm::kBgzip : FileForm::kVcf);
    const SiteList list = LoadSiteList(folder_ / name);
    EXPECT_EQ(list.size(), sites.size()) << name;
    EXPECT_EQ(list.CountBetween("20", 0, 1000), sites.size()) << name;
    for (int64_t position = 0; position <= 110; ++position) {
      EXPECT_EQ(list.Contains("20", position), std::ranges::find(sites, position) != sites.end()) << position;
    }
  };
  expect("a.bed", "20 99 101 name\n", {100, 101});
  expect("a.bed.gz", "#chrom start end\n20\t0\t1\n20\t99\t101\n20\t100\t102\n", {1, 100, 101, 102});
  expect("insertion.bed", "20 100 100\n", {100});
  expect("a.txt", "track name=array\n20 99 101\n", {100, 101});
  expect("b.txt", "20 99 100\n20 104 105\n", {100, 105});
  expect("c.txt", "20 99 100\n20 104 110\n", {99, 104});
  expect("d.txt", "20 100 100\n", {100});
  WriteText(folder_ / "e.bed", "20 99\n", FileForm::kVcf);
  EXPECT_THAT(ErrorOf([&] { LoadSiteList(folder_ / "e.bed"); }), HasSubstr("line 1: expected the columns of BED"));

  WriteText(folder_ / "m.bed", "20 99 101\n21 5 6\n", FileForm::kVcf);
  MarkerList markers = LoadMarkerList(folder_ / "m.bed");
  EXPECT_FALSE(markers.Find("20", {99, ".", "A", "C"}));
  EXPECT_TRUE(markers.Find("20", {101, ".", "A", "C"}));
  EXPECT_THAT(markers.NotFound(), testing::ElementsAre("21:5"));
}

}  // namespace
}  // namespace haplospin
