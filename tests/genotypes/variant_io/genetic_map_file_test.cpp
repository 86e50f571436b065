#include "genotypes/variant_io/genetic_map_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class GeneticMapFileTest : public testing::Test {
 protected:
  GeneticMap LoadText(const std::string& text, const std::string& contig = "20") {
    WriteFile(path_, text);
    return LoadGeneticMap(path_, contig);
  }

  std::string ErrorOfText(const std::string& text, const std::string& contig = "20") {
    return ErrorOf([&] { LoadText(text, contig); });
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "genome.map";
};

// The same points in every format: 1 cM at 1,000 bp, 3 cM at 2,000, 3 cM at 4,000.
void ExpectThePoints(const GeneticMap& map) {
  EXPECT_DOUBLE_EQ(map.Centimorgans(1000), 1);
  EXPECT_DOUBLE_EQ(map.Centimorgans(1250), 1.5);
  EXPECT_DOUBLE_EQ(map.Centimorgans(2000), 3);
  EXPECT_DOUBLE_EQ(map.Centimorgans(3000), 3);
  EXPECT_DOUBLE_EQ(map.Centimorgans(4000), 3);
  EXPECT_NEAR(map.Centimorgans(1'004'000), 4, 1e-12);
  EXPECT_NEAR(map.Centimorgans(0), 0.999, 1e-12);
}

TEST_F(GeneticMapFileTest, ReadsEveryForm) {
  ExpectThePoints(LoadText("20 . 1 1000\n20 . 3 2000\n20 . 3 4000\n"));                 // PLINK
  ExpectThePoints(LoadText("20\trs1\t1.0\t1000\n20\trs2\t3\t2000\n20\trs3\t3\t4000"));  // tabs, no last newline
  ExpectThePoints(LoadText("20 . 1 1000\r\n20 . 3 2000\r\n20 . 3 4000\r\n"));           // from Windows
  ExpectThePoints(LoadText("pos chr cM\n1000 20 1\n2000 20 3\n4000 20 3\n"));           // SHAPEIT, GLIMPSE
  ExpectThePoints(LoadText("pos\tchr\tcM\n1000\tchr20\t1\n2000\tchr20\t3\n4000\tchr20\t3\n"));
  ExpectThePoints(LoadText("1000 20 1\n2000 20 3\n4000 20 3\n"));  // without header
  ExpectThePoints(
      LoadText("Chromosome\tPosition(bp)\tRate(cM/Mb)\tMap(cM)\n"  // HapMap
               "chr20\t1000\t9\t1\nchr20\t2000\t0\t3\nchr20\t4000\t0\t3\n"));
  ExpectThePoints(LoadText("position COMBINED_rate(cM/Mb) Genetic_Map(cM)\n1000 9 1\n2000 0 3\n4000 0 3\n"));  // IMPUTE
}

TEST_F(GeneticMapFileTest, ReadsGzippedMaps) {
  for (const FileForm form : {FileForm::kGzip, FileForm::kBgzip}) {
    WriteText(path_, "20 . 1 1000\n20 . 3 2000\n20 . 3 4000\n", form);
    ExpectThePoints(LoadGeneticMap(path_, "20"));
  }
}

TEST_F(GeneticMapFileTest, KeepsTheContigByAnyOfItsNames) {
  const std::string text = "19 . 5 1000\n20 . 1 1000\n20 . 3 2000\n20 . 3 4000\n23 . 7 1000\n23 . 8 2000\n";
  ExpectThePoints(LoadText(text, "20"));
  ExpectThePoints(LoadText(text, "chr20"));
  for (const char* name : {"X", "chrX", "23"}) EXPECT_DOUBLE_EQ(LoadText(text, name).Centimorgans(1500), 7.5) << name;
}

TEST_F(GeneticMapFileTest, PrefersTheRowsOfItsOwnName) {
  const std::string cattle = "23 . 7 1000\n23 . 8 2000\nX . 1 1000\nX . 2 2000\n";
  EXPECT_DOUBLE_EQ(LoadText(cattle, "chr23").Centimorgans(1500), 7.5);
  EXPECT_DOUBLE_EQ(LoadText(cattle, "X").Centimorgans(1500), 1.5);
}

TEST_F(GeneticMapFileTest, SkipsRepeatedRows) {
  ExpectThePoints(LoadText("20 . 1 1000\n20 . 1 1000\n20 . 3 2000\n20 . 3 4000\n"));
}

TEST_F(GeneticMapFileTest, RefusesWhatIsNoMap) {
  EXPECT_THAT(ErrorOf([&] { LoadGeneticMap(folder_ / "none", "20"); }),
              testing::AllOf(StartsWith(folder_ / "none"), HasSubstr("No such file")));
  EXPECT_THAT(ErrorOf([&] { LoadGeneticMap(folder_.path().string(), "20"); }), HasSubstr("folder"));
  EXPECT_THAT(ErrorOfText(""), HasSubstr("empty"));
  EXPECT_THAT(ErrorOfText("\n\n"), HasSubstr("empty"));
  EXPECT_THAT(ErrorOfText("pos chr cM\n"), HasSubstr("no row for contig 20; it has rows for none"));
  EXPECT_THAT(ErrorOfText("20 1 1000\n20 . 1 1000\n"), HasSubstr("line 2: 4 columns where the first line has 3"));
  EXPECT_THAT(ErrorOfText("pos chr cM\n1000 20 1\n2000 20\n"), HasSubstr("line 3: 2 columns"));
  EXPECT_THAT(ErrorOfText("one two\n"), HasSubstr("line 1: not a genetic map"));
  EXPECT_THAT(ErrorOfText("20 . 1 1000\n20 . x 2000\n"), HasSubstr("line 2: \"x\" is not a position in cM"));
  EXPECT_THAT(ErrorOfText("20 . 1 1000\n20 . nan 2000\n"), HasSubstr("line 2: \"nan\" is not a position in cM"));
  EXPECT_THAT(ErrorOfText("20 . 1 1e3\n"), HasSubstr("line 1: \"1e3\" is not a position in bp"));
}

TEST_F(GeneticMapFileTest, RefusesMapsOfOtherContigsAndSaysWhich) {
  EXPECT_THAT(ErrorOfText("1 . 1 1000\n1 . 2 2000\n2 . 1 1000\n"),
              testing::AllOf(StartsWith(path_), HasSubstr("no row for contig 20; it has rows for 1, 2")));
}

TEST_F(GeneticMapFileTest, KnowsBeforehandThatAContigIsMissing) {
  const std::vector<std::string> contigs{"chr1", "X"}, more{"1", "X", "3"};
  WriteText(path_, "1 . 1 1000\n1 . 2 2000\n23 . 1 1000\n", FileForm::kVcf);
  EXPECT_EQ(ErrorOf([&] { CheckMapContigs(path_, contigs); }), "");
  EXPECT_THAT(ErrorOf([&] { CheckMapContigs(path_, more); }),
              testing::AllOf(StartsWith(path_), HasSubstr("no row for contig 3; it has rows for 1, 23")));
  WriteText(path_, "position COMBINED_rate(cM/Mb) Genetic_Map(cM)\n1000 9 1\n", FileForm::kVcf);
  const std::vector<std::string> one{"X", "chr23"};
  EXPECT_EQ(ErrorOf([&] { CheckMapContigs(path_, one); }), "") << "a map of one contig";
  EXPECT_THAT(ErrorOf([&] { CheckMapContigs(path_, more); }),
              HasSubstr("has no column of contigs, so that nothing tells whether it is of 1 or X"));
}

TEST_F(GeneticMapFileTest, ListsItsContigs) {
  WriteText(path_, "1 . 1 1000\n1 . 2 2000\n23 . 1 1000\n", FileForm::kVcf);
  EXPECT_EQ(ListMapContigs(path_), (std::vector<std::string>{"1", "23"}));
  WriteText(path_, "position COMBINED_rate(cM/Mb) Genetic_Map(cM)\n1000 9 1\n", FileForm::kVcf);
  EXPECT_THAT(ErrorOf([&] { ListMapContigs(path_); }), HasSubstr("has no column of contigs"));
}

TEST_F(GeneticMapFileTest, RefusesMapsThatDecrease) {
  EXPECT_THAT(ErrorOfText("20 . 1 1000\n20 . 2 900\n"), HasSubstr("line 2: 900 bp, 2 cM comes after 1000 bp, 1 cM"));
  EXPECT_THAT(ErrorOfText("20 . 1 1000\n20 . 0.5 2000\n"), HasSubstr("line 2: 2000 bp, 0.5 cM comes after"));
  EXPECT_THAT(ErrorOfText("20 . 1 1000\n20 . 2 1000\n"),
              HasSubstr("line 2: 1000 bp is there twice, with 1 and with 2 cM"));
}

// Positions in bp where cM are expected would make a window of every few bases.
TEST_F(GeneticMapFileTest, RefusesAnotherUnit) {
  EXPECT_THAT(ErrorOfText("20 . 100000 1000000\n20 . 190000 1200000\n"), HasSubstr("4.5e+05 cM per Mb on average"));
  EXPECT_THAT(ErrorOfText("20 . 1 1000\n20 . 1e308 2000\n"), HasSubstr("line 2: 1e+308 cM is longer than any"));
  EXPECT_THAT(ErrorOfText("20 . 1 1000\n20 . 1e9 2000\n"), HasSubstr("line 2: 1000000000 cM is longer than any"));
  EXPECT_THAT(ErrorOfText("20 . 1 1000\n20 . 2 3000000000\n"), HasSubstr("line 2: \"3000000000\" is not a position"));
  testing::internal::CaptureStderr();
  LoadText("20 . 0 1\n20 . 0.6 60000000\n");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("0.01 cM per Mb on average, which is very little"));
}

TEST_F(GeneticMapFileTest, RefusesADamagedArchive) {
  std::string text = "pos chr cM\n";
  for (int i = 0; i < 100'000; ++i) text += std::to_string(1000 + 7 * i) + " 20 " + std::to_string(i * 1e-3) + "\n";
  WriteText(path_, text, FileForm::kBgzip);
  EXPECT_EQ(ErrorOf([&] { LoadGeneticMap(path_, "20"); }), "");
  const std::string bytes = ReadFile(path_);
  WriteFile(path_, bytes.substr(0, bytes.size() / 2));
  EXPECT_THAT(ErrorOf([&] { LoadGeneticMap(path_, "20"); }), HasSubstr("damaged after line"));
}

}  // namespace
}  // namespace haplospin
