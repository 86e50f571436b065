#include "genotypes/genomics/sites/wanted_sites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

WantedSite At(int64_t position, const std::string& allele, const std::string& other) {
  return {.contig = "1", .span = {position, position}, .allele = allele, .other = other};
}

TEST(WantedSitesTest, AllelesMayBeInEitherOrder) {
  WantedSites sites("list", {At(100, "G", "A"), At(100, "A", "G"), At(100, "T", "A"), At(100, "A", ""), At(100, "", ""),
                             At(100, "C", "T"), At(101, "G", "A")});
  EXPECT_THAT(sites.See("chr1", {100, ".", "A", "G"}), ElementsAre(0, 1, 3, 4));
  EXPECT_EQ(sites.Reason(2), "other alleles: A>G");
  EXPECT_EQ(sites.Reason(5), "alleles of the other strand: A>G");
}

// A deletion and an insertion of the same letters are two variants, but the two alleles of each may be exchanged.
TEST(WantedSitesTest, IndelsAreFoundByTheirAlleles) {
  WantedSites sites("list", {At(100, "CA", "C"), At(100, "C", "CA"), At(100, "CT", "C")});
  EXPECT_THAT(sites.See("1", {100, ".", "C", "CA"}), ElementsAre(0, 1));
  EXPECT_EQ(sites.Reason(2), "other alleles: C>CA");
}

// A deletion of the list is that of the panel if the lengths agree, as far as both have them.
TEST(WantedSitesTest, LengthsOfSymbolicAllelesAreCompared) {
  const auto deletion = [](const std::string& info) {
    return WantedSite{.contig = "1", .span = {100, 100}, .allele = "<DEL>", .other = "A", .info = info};
  };
  WantedSites sites("list", {deletion("END=250"), deletion("END=900;SVLEN=-150"), deletion(""), deletion("SVLEN=-90")});
  const auto see = [&](const std::string& info) { return sites.See("1", {100, ".", "A", "<DEL>", info}); };
  EXPECT_THAT(see("END=250"), ElementsAre(0, 2));
  EXPECT_THAT(see("SVLEN=-150"), ElementsAre(0, 1, 2));
  EXPECT_THAT(see("END=900"), ElementsAre(1, 2));
  EXPECT_THAT(see("END=250;SVLEN=-800"), ElementsAre(0, 2));
  EXPECT_EQ(sites.Reason(3), "another END or SVLEN: A><DEL>");
  EXPECT_THAT(see(""), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(sites.See("1", {100, ".", "A", "<DUP>", "END=250"}), IsEmpty());
}

TEST(WantedSitesTest, SpansAndIdsAreFound) {
  WantedSites sites("list", {{.contig = "1", .span = {100, 300}},
                             {.contig = "1", .span = {250, 260}},
                             {.id = "rs7", .allele = "G", .other = "A"},
                             {.id = "rs8"}});
  EXPECT_THAT(sites.See("1", {99, ".", "A", "G"}), IsEmpty());
  EXPECT_THAT(sites.See("1", {100, ".", "A", "G"}), ElementsAre(0));
  EXPECT_THAT(sites.See("1", {255, "rs7", "A", "G"}), ElementsAre(2, 0, 1));
  EXPECT_THAT(sites.See("1", {301, ".", "A", "G"}), IsEmpty());
  EXPECT_THAT(sites.See("1", {302, "rs6;rs7", "A", "G"}), ElementsAre(2)) << "one of several IDs";
  EXPECT_EQ(sites.Reason(3), "no marker has this ID");
}

// What --set-ids and plink2 call markers without an ID.
TEST(WantedSitesTest, NamesBySiteAreFound) {
  WantedSites sites("list", {{.id = "chr1:100:A:G"}, {.id = "1:100:A:G"}, {.id = "1:100:A:T"}});
  EXPECT_THAT(sites.See("1", {100, ".", "A", "G"}), testing::UnorderedElementsAre(0, 1));
  EXPECT_THAT(sites.See("chr1", {100, "rs1", "A", "G"}), testing::UnorderedElementsAre(0, 1));
  EXPECT_THAT(sites.See("chr2", {100, ".", "A", "G"}), IsEmpty());
}

TEST(WantedSitesTest, ReasonsOfAbsenceAreTold) {
  WantedSites sites(
      "list",
      {At(50, "G", "A"), At(150, "G", "A"), At(300, "G", "A"), {.contig = "2", .span = {150, 150}}, At(200, "G", "A")});
  for (const int64_t position : {100, 200}) sites.See("1", {position, ".", "A", "G"});
  EXPECT_EQ(sites.Reason(0), "outside of what is imputed");
  EXPECT_EQ(sites.Reason(1), "not in the panel");
  EXPECT_EQ(sites.Reason(2), "outside of what is imputed");
  EXPECT_EQ(sites.Reason(3), "its contig is not imputed");
  EXPECT_EQ(sites.Reason(4), "left out by another option");
}

}  // namespace
}  // namespace haplospin
