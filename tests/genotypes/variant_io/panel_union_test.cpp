#include "genotypes/variant_io/joining/panel_union.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace haplospin {
namespace {

using testing::ElementsAre;

std::vector<ImputedRecord> Record(const std::string& ref, const std::vector<std::string>& alts,
                                  const std::string& id = ".", const std::string& info = "") {
  std::vector<ImputedRecord> record;
  for (const std::string& alt : alts) record.push_back({.marker = {100, id, ref, alt, info}, .dosages = {0.25f}});
  return record;
}

// The records, each ALT with the files that have it.
std::vector<std::string> Texts(PanelUnion& at) {
  std::vector<std::string> texts;
  for (const UnionRecord& record : at.records()) {
    std::string text = record.alts[0].marker.ref;
    for (const UnionAlt& alt : record.alts) {
      text += " " + alt.marker.alt + ":";
      for (size_t k = 0; k < alt.in_files.size(); ++k) text += alt.in_files[k] ? fmt::format("{}", k) : "";
    }
    texts.push_back(text);
  }
  return texts;
}

TEST(PanelUnionTest, SingleAltsStayRecordsOfTheirOwn) {
  PanelUnion at(2);
  at.Add(0, Record("A", {"C"}, "rs1"));
  at.Add(0, Record("A", {"G"}, "rs1"));
  at.Add(1, Record("A", {"G"}));
  at.Add(1, Record("A", {"T"}, "rs1"));
  EXPECT_THAT(Texts(at), ElementsAre("A C:0", "A G:01", "A T:1"));
}

TEST(PanelUnionTest, ExchangedAllelesAreOneMarker) {
  PanelUnion at(2);
  at.Add(0, Record("A", {"C"}));
  at.Add(1, Record("C", {"A"}));
  EXPECT_THAT(Texts(at), ElementsAre("A C:01"));
  EXPECT_FLOAT_EQ(at.records()[0].alts[0].in_files[1]->dosages[0], 0.75f);
}

TEST(PanelUnionTest, RecordsWithAnAltOrTheIdInCommonAreOne) {
  PanelUnion at(3);
  at.Add(0, Record("A", {"AT", "ATT"}));
  at.Add(1, Record("A", {"ATTT", "ATT"}));
  at.Add(1, Record("AC", {"A", "ACT"}));
  at.Add(2, Record("A", {"AG", "AGG"}));
  EXPECT_THAT(Texts(at), ElementsAre("A AT:0 ATT:01 ATTT:1", "AC A:1 ACT:1", "A AG:2 AGG:2"));
  PanelUnion named(2);
  named.Add(0, Record("A", {"AT", "ATT"}, "tr"));
  named.Add(1, Record("A", {"ATTT"}, "tr"));
  EXPECT_THAT(Texts(named), ElementsAre("A AT:0 ATT:0 ATTT:1"));
}

TEST(PanelUnionTest, SplitRecordsAreThoseOfTheWholeOne) {
  PanelUnion at(2);
  at.Add(0, Record("A", {"AT"}));
  at.Add(0, Record("A", {"ATT"}));
  at.Add(1, Record("A", {"ATT", "AT"}));
  EXPECT_THAT(Texts(at), ElementsAre("A AT:01 ATT:01"));
}

// TRTools' panel has some records twice.
TEST(PanelUnionTest, ARecordThatAFileHasTwiceIsTwo) {
  PanelUnion at(2);
  for (const size_t file : {0, 1}) {
    at.Add(file, Record("A", {"AT", "ATT"}, "tr"));
    at.Add(file, Record("A", {"AT", "ATT"}, "tr"));
  }
  EXPECT_THAT(Texts(at), ElementsAre("A AT:01 ATT:01", "A AT:01 ATT:01"));
}

TEST(PanelUnionTest, IdsAndLengthsTellEqualAltsApart) {
  PanelUnion at(2);
  at.Add(0, Record("A", {"<DEL>"}, ".", "END=150"));
  at.Add(0, Record("A", {"<DEL>"}, ".", "END=900"));
  at.Add(1, Record("A", {"<DEL>"}, ".", "END=900"));
  at.Add(1, Record("A", {"<DEL>"}, ".", "END=400"));
  EXPECT_THAT(Texts(at), ElementsAre("A <DEL>:0", "A <DEL>:01", "A <DEL>:1"));
  PanelUnion named(2);
  named.Add(0, Record("A", {"T"}, "HLA_A_01"));
  named.Add(0, Record("A", {"T"}, "HLA_A_02"));
  named.Add(1, Record("A", {"T"}, "HLA_A_02"));
  EXPECT_THAT(Texts(named), ElementsAre("A T:0", "A T:01"));
}

TEST(PanelUnionTest, AnAltThatAPanelLacksIsKnownToBeAbsentUnlessItIsTyped) {
  PanelUnion at(3);
  at.Add(0, Record("A", {"AT", "ATT"}));
  at.Add(1, Record("A", {"AT", "ATTT"}));
  const UnionRecord& record = at.records()[0];
  EXPECT_FALSE(record.IsWithout(0, record.alts[1]));
  EXPECT_TRUE(record.IsWithout(1, record.alts[1]));
  EXPECT_FALSE(record.IsWithout(2, record.alts[1]));
  at.records()[0].alts[1].in_files[0]->is_typed = true;
  EXPECT_FALSE(record.IsWithout(1, record.alts[1]));
}

}  // namespace
}  // namespace haplospin
