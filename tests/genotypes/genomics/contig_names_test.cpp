#include "genotypes/genomics/sites/contig_names.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "genotypes/genomics/sites/contig_index.h"

namespace haplospin {
namespace {

TEST(ContigNames, KnowsTheNamesOfOneContig) {
  EXPECT_TRUE(SameContig("20", "20"));
  EXPECT_TRUE(SameContig("chr20", "20"));
  EXPECT_TRUE(SameContig("20", "Chr20"));
  EXPECT_TRUE(SameContig("CHR20", "chr20"));
  EXPECT_TRUE(SameContig("chrX", "23"));
  EXPECT_TRUE(SameContig("X", "chr23"));
  EXPECT_TRUE(SameContig("Y", "24"));
  EXPECT_TRUE(SameContig("chrM", "MT"));
  EXPECT_TRUE(SameContig("chrM", "26"));
}

TEST(ContigNames, FindsTheSameNameBeforeAnother) {
  const std::vector<std::string> cattle = {"chr23", "chr26", "chrX", "chrMT"};
  EXPECT_EQ(FindContig(cattle, "X"), "chrX");
  EXPECT_EQ(FindContig(cattle, "23"), "chr23");
  EXPECT_EQ(FindContig(cattle, "MT"), "chrMT");
  EXPECT_EQ(FindContig(cattle, "26"), "chr26");
  EXPECT_EQ(FindContig(cattle, "20"), std::nullopt);
  const std::vector<std::string> two_species = {"20", "chr20", "chr1", "1"};
  EXPECT_EQ(FindContig(two_species, "chr20"), "chr20");
  EXPECT_EQ(FindContig(two_species, "20"), "20");
  EXPECT_EQ(FindContig(two_species, "1"), "1");
  EXPECT_EQ(FindContig(two_species, "01"), "chr1");
  const std::vector<std::string> human = {"chr20", "chrX", "chrM"};
  EXPECT_EQ(FindContig(human, "23"), "chrX");
  EXPECT_EQ(FindContig(human, "26"), "chrM");
}

TEST(ContigNames, MatchesTheOwnNameAloneWhereItIsKnown) {
  const std::vector<std::string> cattle = {"23", "chrX"}, human = {"20", "X"};
  EXPECT_TRUE(ContigMatch("chr23", cattle)("23"));
  EXPECT_FALSE(ContigMatch("23", cattle)("chrX"));
  EXPECT_FALSE(ContigMatch("X", cattle)("23"));
  EXPECT_TRUE(ContigMatch("23", human)("X"));
  EXPECT_FALSE(ContigMatch("23", human)("20"));
  EXPECT_TRUE(ContigMatch("X", {})("23"));
}

TEST(ContigNames, KeepsContigsApart) {
  EXPECT_FALSE(SameContig("2", "20"));
  EXPECT_FALSE(SameContig("chr1", "chr11"));
  EXPECT_FALSE(SameContig("X", "Y"));
  EXPECT_FALSE(SameContig("chr", ""));
  EXPECT_FALSE(SameContig("chr26", "MT")) << "of cattle";
  EXPECT_FALSE(SameContig("scaffold_1", "1"));
}

TEST(ContigNames, TellsWhatToDoAboutPlinksXY) {
  for (const std::string xy : {"25", "XY", "chrXY", "PAR1", "PAR2"}) {
    const std::vector<std::string> names = {"20", xy};
    const std::string remedy = RemedyForPlinkXY(names);
    EXPECT_EQ(remedy.find("; contig " + xy + " is PLINK's name"), 0u);
    const bool is_par = xy.starts_with("PAR");  // plink 1.9 stops at them, and plink2 has no --merge-x for them
    EXPECT_EQ(remedy.find("plink2 --merge-par") != std::string::npos, is_par) << xy;
    EXPECT_EQ(remedy.find("plink --merge-x") != std::string::npos, !is_par) << xy;
  }
  const std::vector<std::string> names = {"20", "X"};
  EXPECT_EQ(RemedyForPlinkXY(names), "");
}

TEST(ContigNames, ThePseudoAutosomalRegionsOfPlink2AreX) {
  EXPECT_EQ(MergePar("PAR1"), "X");
  EXPECT_EQ(MergePar("PAR2"), "X");
  for (const char* other : {"X", "chrX", "25", "XY", "PAR", "PAR3", "20", ""}) EXPECT_EQ(MergePar(other), other);
}

TEST(ContigNames, JoinsNames) {
  const std::vector<std::string> names = {"1", "2", "3", "4"};
  EXPECT_EQ(JoinNames(names), "1, 2, 3, 4");
  EXPECT_EQ(JoinNames(names, 2), "1, 2 and 2 more");
  EXPECT_EQ(JoinNames({}), "none");
}

// UK Biobank and plink2 --output-chr 0M.
TEST(ContigNames, OfTwoCharacters) {
  for (const auto& [two, usual] :
       {std::pair("01", "1"), {"09", "chr9"}, {"0X", "chrX"}, {"0M", "MT"}, {"chr07", "7"}}) {
    EXPECT_TRUE(SameContig(two, usual)) << two;
  }
  EXPECT_FALSE(SameContig("01", "10"));
  EXPECT_FALSE(SameContig("0", "1"));
  EXPECT_FALSE(SameContig("00", "0"));
  EXPECT_EQ(FindContig(std::vector<std::string>{"chr10", "chr1"}, "01"), "chr1");
}

TEST(ContigNames, AccessionNumbersOfHumanGenomes) {
  const std::vector<std::vector<const char*>> same = {
      {"1", "NC_000001.10", "NC_000001.11", "CM000663.1", "CM000663.2", "NC_060925.1", "CP068277.2"},
      {"chr20", "NC_000020.10", "NC_000020.11", "CM000682.2", "NC_060944.1", "CP068258.2"},
      {"chr22", "NC_000022.11", "CM000684.2", "NC_060946.1", "CP068256.2"},
      {"X", "NC_000023.11", "CM000685.2", "NC_060947.1", "CP068255.2"},
      {"Y", "NC_000024.10", "CM000686.2", "NC_060948.1", "CP086569.2"},
      {"chrM", "NC_012920.1", "CP068254.1"}};
  for (const auto& names : same) {
    for (const char* name : names) EXPECT_TRUE(SameContig(names[0], name)) << name;
  }
  for (const char* other :
       {"NC_000025.1", "NC_000086.8", "NC_000020", "NC_00020.1", "CM000687.1", "CM00066.1", "CP068278.1"}) {
    EXPECT_EQ(CanonicalContig(other), other);
  }
}

TEST(ContigIndex, FindsWhatFindContigFinds) {
  const std::vector<std::string> all = {"20",   "chr20", "1",  "chr1", "01", "X", "23",
                                        "chrX", "M",     "MT", "chrM", "26", "7", "NC_000020.11"};
  RandomStream random(1);
  for (int repeat = 0; repeat < 500; ++repeat) {
    std::vector<std::string> names;
    std::vector<std::pair<std::string, int64_t>> contigs;
    for (const std::string& name : all) {
      if (random.Bernoulli(0.4)) names.push_back(name);
    }
    for (const std::string& name : names) contigs.emplace_back(name, 5);
    const ContigIndex index(contigs);
    for (const std::string& name : all) {
      const auto found = index.Find(name);
      EXPECT_EQ(found ? std::optional(names[*found]) : std::nullopt, FindContig(names, name)) << name;
    }
  }
}

}  // namespace
}  // namespace haplospin
