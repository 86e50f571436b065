#include "genotypes/variant_io/site_list_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace haplospin
