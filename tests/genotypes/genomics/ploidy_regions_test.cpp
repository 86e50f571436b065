#include "genotypes/genomics/sites/ploidy_regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

TEST(PloidyRegionsTest, OfTheHumanGenome) {
  for (const char* build : {"GRCh37", "hg19", "b37"}) {
    const PloidyRegions regions = PloidyRegions::ForBuild(build);
    for (const char* contig : {"X", "chrX", "23"}) {
      EXPECT_EQ(NameOfPart("X", regions.PartAt(contig, 60001)), "X:0-2699520");
      EXPECT_EQ(NameOfPart("X", regions.PartAt(contig, 2699520)), "X:0-2699520");
      EXPECT_EQ(NameOfPart("X", regions.PartAt(contig, 2699521)), "X:2699521-154931043");
      EXPECT_EQ(NameOfPart("X", regions.PartAt(contig, 154931043)), "X:2699521-154931043");
      EXPECT_EQ(NameOfPart("X", regions.PartAt(contig, 154931044)), "X:154931044-");
      EXPECT_FALSE(regions.PartAt(contig, 1).males_are_haploid);
      EXPECT_TRUE(regions.PartAt(contig, 1).is_pseudo_autosomal);
      EXPECT_TRUE(regions.PartAt(contig, 5000000).males_are_haploid);
      EXPECT_FALSE(regions.PartAt(contig, 5000000).is_pseudo_autosomal);
    }
    EXPECT_TRUE(regions.PartAt("20", 5000000).IsWhole());
    EXPECT_FALSE(regions.PartAt("20", 5000000).males_are_haploid);
    EXPECT_TRUE(regions.PartAt("Y", 5000000).males_are_haploid);
  }
  EXPECT_EQ(PloidyRegions::ForBuild("hg38").PartAt("X", 3000000).begin, 2781480);
  EXPECT_TRUE(PloidyRegions::ForBuild("").empty());
  EXPECT_TRUE(PloidyRegions().PartAt("X", 3000000).IsWhole());
  EXPECT_TRUE(PloidyRegions().PartAt("X", 3000000).males_are_haploid);
}

// Birds.
TEST(PloidyRegionsTest, MalesHaveNoW) {
  for (const char* contig : {"W", "chrW"}) {
    const ContigPart part = PloidyRegions().PartAt(contig, 1000);
    EXPECT_TRUE(part.IsWhole());
    EXPECT_TRUE(part.males_lack_it);
    EXPECT_FALSE(part.females_lack_it || part.males_are_haploid);
    EXPECT_TRUE(part.IsLacking());
  }
  EXPECT_TRUE(PloidyRegions().PartAt("Y", 1000).IsLacking());
  EXPECT_FALSE(PloidyRegions().PartAt("Z", 1000).IsLacking());
  EXPECT_FALSE(PloidyRegions().PartAt("20", 1000).IsLacking());
}

TEST(PloidyRegionsTest, AutosomesOfTheNames23And24) {
  using Names = std::vector<std::string>;
  const auto is_haploid = [](PloidyRegions regions, const Names& panel, const Names& study) {
    panel.empty() ? regions.KeepAutosomesOfStudy(study) : regions.KeepAutosomesOfPanel(panel);
    EXPECT_TRUE(regions.PartAt("X", 3000000).males_are_haploid);
    EXPECT_EQ(regions.PartAt("chr23", 3000000).begin, regions.PartAt("23", 3000000).begin);
    return regions.PartAt("chr23", 3000000).males_are_haploid;
  };
  const PloidyRegions none, human = PloidyRegions::ForBuild("GRCh37"), cattle({{"X", 1, 1000}});
  const Names letters{"1", "23", "X"}, codes{"1", "23", "24"}, one{"chr23"}, human_panel{"1", "X"};
  EXPECT_FALSE(is_haploid(none, letters, codes));
  EXPECT_FALSE(is_haploid(cattle, letters, letters));
  EXPECT_FALSE(is_haploid(none, codes, codes));
  EXPECT_FALSE(is_haploid(none, one, codes));
  EXPECT_TRUE(is_haploid(human, codes, codes));
  EXPECT_TRUE(is_haploid(none, human_panel, codes));
  EXPECT_TRUE(is_haploid(none, {}, codes));
  EXPECT_FALSE(is_haploid(none, {}, letters));
}

// The parts follow one another without gap, in the order of the contig, whatever the order of the regions.
TEST(PloidyRegionsTest, PartsCoverTheContig) {
  const PloidyRegions regions({{"X", 900, 950}, {"X", 100, 200}, {"Z", 1, 50}, {"X", 201, 300}});
  std::vector<std::string> parts;
  for (int64_t position = 0;;) {
    const ContigPart part = regions.PartAt("X", position);
    EXPECT_EQ(part.begin, position);
    parts.push_back(NameOfPart("X", part) + (part.males_are_haploid ? "" : " PAR"));
    if (part.end == INT64_MAX) break;
    position = part.end + 1;
  }
  EXPECT_THAT(parts,
              testing::ElementsAre("X:0-99", "X:100-200 PAR", "X:201-300 PAR", "X:301-899", "X:900-950 PAR", "X:951-"));
}

TEST(PloidyRegionsTest, RegionsMustNotOverlap) {
  EXPECT_THROW(PloidyRegions({{"X", 100, 200}, {"chrX", 200, 300}}), InputError);
}

using Contigs = std::vector<std::pair<std::string, int64_t>>;

TEST(GenomeBuild, IsToldByMostLengths) {
  EXPECT_EQ(DeclaredBuild(Contigs{{"20", 63025520}}), "GRCh37");
  EXPECT_EQ(DeclaredBuild(Contigs{{"chr20", 64444167}, {"chrX", 156040895}}), "GRCh38");
  EXPECT_EQ(DeclaredBuild(Contigs{{"1", 249250621}, {"X", 155270560}, {"20", 64444167}}), "GRCh37");
}

TEST(GenomeBuild, IsUnknownWithoutLengths) {
  EXPECT_EQ(DeclaredBuild(Contigs{}), "");
  EXPECT_EQ(DeclaredBuild(Contigs{{"20", 0}, {"GL000191.1", 106433}}), "");
  EXPECT_EQ(DeclaredBuild(Contigs{{"20", 100000}}), "") << "simulated";
  EXPECT_EQ(DeclaredBuild(Contigs{{"20", 64444167}, {"21", 48129895}}), "") << "half and half";
}

// Cattle have 29 pairs of autosomes, sheep 26, horses 31, dogs 38: PLINK's 23 to 26 are human.
TEST(PloidyRegionsTest, OtherContigsTellThatTheGenomeIsNotHuman) {
  using Contigs = std::vector<std::pair<std::string, int64_t>>;
  const auto is_haploid = [](const Contigs& contigs, PloidyRegions regions = {}) {
    regions.KeepAutosomesUnlessHuman(contigs);
    EXPECT_TRUE(regions.PartAt("X", 3000000).males_are_haploid);
    EXPECT_EQ(regions.PartAt("24", 3000000).males_are_haploid, regions.PartAt("chr23", 3000000).males_are_haploid);
    return regions.PartAt("23", 3000000).males_are_haploid;
  };
  EXPECT_FALSE(is_haploid({{"1", 0}, {"23", 0}, {"29", 0}}));
  EXPECT_FALSE(is_haploid({{"chr23", 0}, {"chr38", 0}}));
  EXPECT_FALSE(is_haploid({{"23", 62000000}, {"26", 44000000}}));
  EXPECT_FALSE(is_haploid({{"23", 0}, {"25", 42000000}}));
  EXPECT_TRUE(is_haploid({{"1", 0}, {"23", 0}, {"24", 0}, {"25", 155900000}, {"26", 16569}}));
  EXPECT_TRUE(is_haploid({{"1", 0}, {"23", 0}, {"25", 2700000}, {"26", 0}}));
  EXPECT_TRUE(is_haploid({{"23", 0}, {"100", 0}, {"GL000", 0}}));
  EXPECT_TRUE(is_haploid({{"23", 0}, {"27", 0}}, PloidyRegions::ForBuild("GRCh37")));
}

TEST(PloidyRegionsTest, TheNumberOfAutosomesDecides) {
  const auto is_haploid = [](size_t pairs, const std::string& contig) {
    PloidyRegions regions;
    regions.SetAutosomes(pairs);
    return regions.PartAt(contig, 3000000).males_are_haploid;
  };
  for (const auto& [pairs, contig, expected] : std::vector<std::tuple<size_t, std::string, bool>>{{29, "23", false},
                                                                                                  {29, "24", false},
                                                                                                  {29, "30", true},
                                                                                                  {29, "31", true},
                                                                                                  {29, "32", false},
                                                                                                  {29, "X", true},
                                                                                                  {18, "19", true},
                                                                                                  {18, "23", false},
                                                                                                  {22, "23", true},
                                                                                                  {22, "24", true}}) {
    EXPECT_EQ(is_haploid(pairs, contig), expected) << pairs << " " << contig;
  }
}

// As in yeast and sticklebacks; the X of Caenorhabditis elegans, which has five others, is a sex chromosome.
TEST(PloidyRegions, XBetweenRomanNumeralsIsAnAutosome) {
  const std::vector<std::pair<std::string, int64_t>> ten{{"chrI", 0}, {"chrIX", 0}, {"chrX", 0}, {"chrXI", 0}};
  const std::vector<std::pair<std::string, int64_t>> worm{{"I", 0},  {"II", 0}, {"III", 0},
                                                          {"IV", 0}, {"V", 0},  {"X", 0}};
  PloidyRegions regions;
  regions.KeepRomanTen(ten);
  EXPECT_FALSE(regions.PartAt("chrX", 100).males_are_haploid);
  EXPECT_FALSE(regions.PartAt("X", 100).males_are_haploid);
  EXPECT_FALSE(regions.IsSexOrMitochondrial("chrX"));
  EXPECT_TRUE(regions.PartAt("chrX", 100).is_autosomal);
  regions.KeepRomanTen(worm);
  EXPECT_TRUE(regions.PartAt("X", 100).males_are_haploid);
  EXPECT_TRUE(regions.IsSexOrMitochondrial("X"));
}

TEST(PloidyRegions, SexChromosomesAndMitochondriaAreKnownByAnyName) {
  PloidyRegions regions = PloidyRegions::ForBuild("GRCh38");
  for (const char* name : {"X", "chrX", "0X", "23", "NC_000023.11", "CM000685.2", "Y", "24", "NC_000024.10", "Z",
                           "chrW", "M", "chrM", "MT", "NC_012920.1", "XY", "PAR1"}) {
    EXPECT_TRUE(regions.IsSexOrMitochondrial(name)) << name;
    EXPECT_FALSE(regions.PartAt(name, 5'000'000).is_autosomal) << name;
    EXPECT_FALSE(regions.PartAt(name, 5).is_autosomal) << name << ", perhaps in a pseudo-autosomal region";
  }
  for (const char* name : {"1", "chr20", "NC_000020.11", "26", "scaffold_1", "XL", ""}) {
    EXPECT_FALSE(regions.IsSexOrMitochondrial(name)) << name;
    EXPECT_TRUE(regions.PartAt(name, 5'000'000).is_autosomal) << name;
  }
  regions.KeepAllAutosomes();
  EXPECT_FALSE(regions.IsSexOrMitochondrial("23"));
}

}  // namespace
}  // namespace haplospin
