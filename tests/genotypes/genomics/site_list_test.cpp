#include "genotypes/genomics/sites/site_list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace haplospin {
namespace {

TEST(SiteList, CountsSitesOfAStretch) {
  const SiteList sites({{"20", {100, 300, 200, 200}}, {"chr20", {250}}, {"X", {200}}});
  EXPECT_EQ(sites.CountBetween("20", 100, 300), 4u);
  EXPECT_EQ(sites.CountBetween("chr20", 101, 299), 2u);
  EXPECT_EQ(sites.CountBetween("X", 0, 1000), 1u);
  EXPECT_EQ(sites.CountBetween("20", 301, 1000), 0u);
  EXPECT_EQ(sites.CountBetween("7", 0, 1000), 0u);
}

TEST(SiteList, TellsXFrom23WhereItHasBoth) {
  const SiteList cattle({{"23", {100}}, {"X", {200}}}), human({{"X", {200}}});
  EXPECT_FALSE(cattle.Contains("chrX", 100));
  EXPECT_TRUE(cattle.Contains("23", 100));
  EXPECT_EQ(cattle.CountBetween("23", 0, 1000), 1u);
  EXPECT_TRUE(human.Contains("23", 200));
}

TEST(SiteList, KeepsRepeatedSitesOnce) {
  const SiteList sites({{"20", {300, 100, 300}}});
  EXPECT_EQ(sites.size(), 2u);
  EXPECT_TRUE(sites.Contains("chr20", 300));
  EXPECT_FALSE(sites.Contains("20", 200));
}

TEST(MarkerListTest, AnyOfTheIdsOfAMarkerFindsIt) {
  MarkerList list({{.text = "rs1", .id = "rs1"}, {.text = "rs3", .id = "rs3"}, {.text = "a;b", .id = "a;b"}});
  EXPECT_TRUE(list.Find("20", {100, "rs1;rs2", "A", "C"}));
  EXPECT_TRUE(list.Find("20", {100, "a;b", "A", "C"}));
  EXPECT_FALSE(list.Find("20", {100, "rs33;rs2", "A", "C"}));
  EXPECT_EQ(list.NotFound(), std::vector<std::string>{"rs3"});
  EXPECT_TRUE(list.Find("20", {100, "rs2;rs3", "A", "C"}));
  EXPECT_TRUE(list.NotFound().empty());
}

// What --set-ids and plink2 call markers without an ID.
TEST(MarkerListTest, FindsNamesBySite) {
  MarkerList list(std::vector<MarkerList::Entry>{{.text = "chr20:61098:C:T", .id = "chr20:61098:C:T"}});
  EXPECT_FALSE(list.Find("20", {61098, ".", "C", "G"}));
  EXPECT_TRUE(list.Find("20", {61098, ".", "C", "T"}));
  EXPECT_TRUE(list.NotFound().empty());
}

}  // namespace
}  // namespace haplospin
