#include "genotypes/variant_io/fam_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PedigreeFileTest : public testing::Test {
 protected:
  Pedigree Load(const std::string& text) const {
    WriteFile(path_, text);
    return LoadPedigree(path_, samples_);
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "families.fam";
  const std::vector<std::string> samples_{"dad", "mum", "kid", "F9_kid"};
};

TEST_F(PedigreeFileTest, TriosAndDuosAmongTheSamples) {
  const Pedigree pedigree = Load(
      "F1 dad 0 0 1 -9\n"
      "F1 mum 0 0 2 -9\n"
      "F1 kid dad mum 1 -9\n"
      "F2 other dad mum 2 -9\n"
      "\n"
      "F9\tkin\t0\t0\n"
      "F3 away 0 0 0 -9\n");
  ASSERT_EQ(pedigree.trios.size(), 1u);
  EXPECT_EQ(pedigree.trios[0].child, 2u);
  EXPECT_EQ(pedigree.trios[0].father, 0u);
  EXPECT_EQ(pedigree.trios[0].mother, 1u);
  EXPECT_THAT(pedigree.absent, ElementsAre("other", "kin", "away"));
}

// People who are not in the study have numbers too, by family and name.
TEST_F(PedigreeFileTest, DescentOfAllPeople) {
  const Pedigree pedigree = Load(
      "F1 kid dad away\n"
      "F9 F9_kid 0 away\n"
      "F1 away mum 0\n");
  EXPECT_EQ(pedigree.num_people, samples_.size() + 2);
  ASSERT_EQ(pedigree.descent.size(), 3u);
  EXPECT_EQ(pedigree.descent[0].mother, 4u);
  EXPECT_EQ(pedigree.descent[1].mother, 5u);
  EXPECT_EQ(pedigree.descent[2].child, 4u);
  EXPECT_EQ(pedigree.descent[2].father, 1u);
}

// Those of a panel are found by the same names. Somebody of both has his number in the study.
TEST_F(PedigreeFileTest, PeopleOfAPanel) {
  WriteFile(path_,
            "F1 kid dad away\n"
            "F1 away mum gran\n"
            "F1 gone away 0\n"
            "F1 dad 0 F1_gran\n");
  const std::vector<std::string> panel{"other", "dad", "F1_gran", "away"};
  const Pedigree pedigree = LoadPedigree(path_, samples_, panel);
  ASSERT_EQ(pedigree.others.size(), 3u);
  EXPECT_EQ(pedigree.others[0].person, 0u);
  EXPECT_EQ(pedigree.others[0].sample, 1u);
  EXPECT_EQ(pedigree.others[1].person, pedigree.descent[0].mother);
  EXPECT_EQ(pedigree.others[1].sample, 3u);
  EXPECT_EQ(pedigree.others[2].person, pedigree.descent[1].mother);
  EXPECT_EQ(pedigree.others[2].sample, 2u);
  EXPECT_EQ(pedigree.descent[1].mother, pedigree.descent[3].mother);
  EXPECT_EQ(pedigree.num_people, samples_.size() + 3);
  EXPECT_THAT(pedigree.absent, ElementsAre("gone"));
  ASSERT_EQ(pedigree.trios.size(), 1u);
  EXPECT_EQ(pedigree.trios[0].mother, std::nullopt);
}

TEST_F(PedigreeFileTest, WhatIsWrittenIsReadAgain) {
  Pedigree pedigree{.num_people = samples_.size()};
  pedigree.descent = {{2, 0, 1}, {3, {}, 1}, {1, 0, 0}};
  const std::string text = FamText(pedigree, samples_, {.males = {"dad"}, .females = {"mum"}});
  EXPECT_THAT(text, HasSubstr("0\tkid\tdad\tmum\t0\t-9\n"));
  EXPECT_THAT(text, HasSubstr("0\tdad\t0\t0\t1\t-9\n"));
  const Pedigree read = Load(text);
  ASSERT_EQ(read.trios.size(), 2u);
  EXPECT_EQ(read.trios[0].child, 2u);
  EXPECT_EQ(read.trios[0].father, 0u);
  EXPECT_EQ(read.trios[1].child, 3u);
  EXPECT_EQ(read.trios[1].father, std::nullopt);
  EXPECT_EQ(read.trios[1].mother, 1u);
  ASSERT_EQ(read.selfed.size(), 1u);
  EXPECT_EQ(read.selfed[0].child, 1u);
}

TEST_F(PedigreeFileTest, FamiliesInNames) {
  const std::vector<std::string> samples{"F2_kid", "F2_mum", "F3_kid"};
  WriteFile(path_, "F2 kid away mum 0 0\nF3 kid 0 0 0 0\nF4 kid 0 0 0 0\n");
  const Pedigree pedigree = LoadPedigree(path_, samples);
  ASSERT_EQ(pedigree.trios.size(), 1u);
  EXPECT_EQ(pedigree.trios[0].child, 0u);
  EXPECT_EQ(pedigree.trios[0].father, std::nullopt);
  EXPECT_EQ(pedigree.trios[0].mother, 1u);
  EXPECT_THAT(pedigree.absent, ElementsAre("kid"));
}

// The pedigrees of breeders have no family. A selfed child is no trio.
TEST_F(PedigreeFileTest, ThreeColumnsAndSelfing) {
  const Pedigree pedigree = Load("dad 0 0\nmum dad dad\nkid dad mum\n");
  ASSERT_EQ(pedigree.trios.size(), 1u);
  EXPECT_EQ(pedigree.trios[0].child, 2u);
  EXPECT_EQ(pedigree.trios[0].father, 0u);
  EXPECT_EQ(pedigree.trios[0].mother, 1u);
  ASSERT_EQ(pedigree.selfed.size(), 1u);
  EXPECT_EQ(pedigree.selfed[0].child, 1u);
  EXPECT_EQ(pedigree.selfed[0].father, 0u);
  EXPECT_EQ(pedigree.selfed[0].mother, 0u);
}

TEST_F(PedigreeFileTest, CommasAndUnknownParents) {
  for (const char* text : {"dad,0,0\nmum, ,\nkid,dad,mum\n", "\"dad\";\"\";NA\n\nkid; dad ; mum\r\nmum;.;-9\n",
                           "dad unknown NA\nmum . 0\nkid dad mum\n", "F1,dad,0,0,1,-9\nF1,kid,dad,mum,1,-9\n"}) {
    const Pedigree pedigree = Load(text);
    ASSERT_EQ(pedigree.trios.size(), 1u) << text;
    EXPECT_EQ(pedigree.trios[0].child, 2u);
    EXPECT_EQ(pedigree.trios[0].father, 0u);
    EXPECT_EQ(pedigree.trios[0].mother, 1u);
    EXPECT_EQ(pedigree.descent.size(), 1u);  // nobody is the child of NA
    EXPECT_EQ(pedigree.num_people, samples_.size());
    EXPECT_EQ(pedigree.lines.size(), text[0] == 'F' ? 2u : 3u);
    EXPECT_EQ(pedigree.lines.front(), 0u);
  }
}

// A word that means an unknown parent, but that no program knows.
TEST_F(PedigreeFileTest, AParentWhoIsPerhapsNobodyIsNoticed) {
  const auto warning = [&](const std::string& text) {
    testing::internal::CaptureStderr();
    Load(text);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(warning("kid nobody mum\nlamb dad nobody\n"),
              HasSubstr("nobody has neither a line nor genotypes, and is father and mother of 2 offspring; if it"));
  std::string herd, lines = "bull1 0 0\nbull2 0 0\n";
  for (int child = 0; child < 12; ++child) {
    herd += fmt::format("kid{} {} mum\n", child == 0 ? "" : std::to_string(child), child < 10 ? "fremd" : "dad");
  }
  EXPECT_THAT(warning(herd), HasSubstr("fremd has neither a line nor genotypes, and is the only such parent of 10"));
  EXPECT_EQ(warning("fremd 0 0\n" + herd), "") << "its line is there";
  EXPECT_EQ(warning(herd + "cow stier mum\n"), "") << "others have no line either";
  EXPECT_EQ(warning("kid away mum\nlamb away 0\n"), "") << "few offspring";
  EXPECT_EQ(warning("kid a b\nlamb b c\nk3 c a\nk4 a mum\n"), "") << "plants";
  EXPECT_EQ(warning("kid plant plant\n"), "") << "selfed";
}

// Spreadsheets and data frames change names in one column, and not in the other.
TEST_F(PedigreeFileTest, ParentsWhoAreWrittenOtherwiseAreNoticed) {
  const auto warning = [&](const std::string& text) {
    testing::internal::CaptureStderr();
    Load(text);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(warning("kid Dad mum\n"), HasSubstr("1 parent is not in the study, which has one of nearly the same name "
                                                  "(Dad for dad); write them alike"));
  EXPECT_THAT(warning("kid 00dad mum.0\n"), HasSubstr("2 parents are not in the study, which has others"));
  EXPECT_THAT(warning("kid father 0\nk2 father mother\n"),
              HasSubstr("none of its parents has genotypes or a line (father, mother); check how"));
  EXPECT_EQ(warning("kid father mum\n"), "");
  EXPECT_EQ(warning("kid father 0\nfather 0 0\n"), "");
}

// Without a header, the second of three columns is that of the sire.
TEST_F(PedigreeFileTest, AHeaderOfUnknownWordsIsNoticed) {
  EXPECT_THAT(Load("dyr;mor;far\ndad;0;0\nkid;mum;dad\n").perhaps_header, ElementsAre("dyr", "mor", "far"));
  EXPECT_THAT(Load("Tier;Mutter;Vater\ndad;0;0\nkid;mum;dad\n").perhaps_header, ElementsAre());
  EXPECT_EQ(Load("Tier;Mutter;Vater\ndad;0;0\nkid;mum;dad\n").trios[0].mother, 1u);
  EXPECT_THAT(Load("away;a;b\nkid;a;dad\n").perhaps_header, ElementsAre()) << "a parent of two";
  EXPECT_THAT(Load("away;a;0\nkid;0;dad\n").perhaps_header, ElementsAre()) << "one parent is not known";
  EXPECT_THAT(Load("kid;a;b\nmum;0;0\n").perhaps_header, ElementsAre()) << "a sample";
}

TEST_F(PedigreeFileTest, ParentsOfAnotherSexAreNamed) {
  const Pedigree exchanged = Load("F1 dad 0 0 1\nF1 mum 0 0 2\nF1 kid mum dad 1\nF2 kid2 dad mum 1\n");
  EXPECT_THAT(exchanged.female_fathers, ElementsAre("F1 mum"));
  EXPECT_THAT(exchanged.male_mothers, ElementsAre("F1 dad"));
  const Pedigree right = Load("F1 dad 0 0 1\nF1 mum 0 0 2\nF1 kid dad mum 0\nF1 line dad dad 0\n");
  EXPECT_THAT(right.female_fathers, ElementsAre());
  EXPECT_THAT(right.male_mothers, ElementsAre());
}

TEST_F(PedigreeFileTest, TheColumnOfSexTellsWhoIsMale) {
  using testing::UnorderedElementsAre;
  const auto sexes = [&](const std::string& text) {
    WriteFile(path_, text);
    return LoadPedigreeSexes(path_);
  };
  const SampleSexes fam = sexes("F1 dad 0 0 1\nF1 mum NA NA 2\nF1 kid dad mum 0\nF1 lamb dad mum 2\n");
  EXPECT_THAT(fam.males, UnorderedElementsAre("dad", "F1_dad"));
  EXPECT_THAT(fam.females, UnorderedElementsAre("mum", "F1_mum", "lamb", "F1_lamb"));
  const SampleSexes herd = sexes("animal,dam,sire,sex\ndad,,,M\nmum,0,0,F\nkid,mum,dad,m\n");
  EXPECT_THAT(herd.males, UnorderedElementsAre("dad", "kid"));
  EXPECT_THAT(herd.females, UnorderedElementsAre("mum"));
  EXPECT_THAT(sexes("dad 0 0\nkid dad mum\n").males, UnorderedElementsAre());
  // What is in the fifth column is no sex, if a father would be female.
  EXPECT_THAT(sexes("F1 dad 0 0 2\nF1 kid dad mum 1\n").males, UnorderedElementsAre());
}

// A loop may begin below the people who are in it, and pass through people who are not in the study.
TEST_F(PedigreeFileTest, NobodyIsHisOwnAncestor) {
  const auto error = [&](const std::string& text) { return ErrorOf([&] { Load(text); }); };
  EXPECT_THAT(
      error("kid mum 0\nmum dad 0\ndad away 0\naway mum 0\n"),
      HasSubstr("families.fam: away is an ancestor of itself (away, child of mum, child of dad, child of away)"));
  EXPECT_THAT(error("F1 dad 0 mum\nF1 mum dad 0\n"), HasSubstr("dad is an ancestor of itself"));
  EXPECT_THAT(error("F1 dad kid 0 0\nF2 kid dad 0 0\n"), HasSubstr("dad is an ancestor of itself (dad, child of kid"));
  EXPECT_EQ(error("kid mum dad\nmum dad 0\ndad 0 0\n"), "");
  std::string deep = "kid p0 0\n";
  for (int k = 0; k < 20'000; ++k) deep += fmt::format("p{} p{} 0\n", k, k + 1);
  EXPECT_EQ(error(deep), "");
}

TEST_F(PedigreeFileTest, InvalidFilesAreNamed) {
  const auto error = [&](const std::string& text) { return ErrorOf([&] { Load(text); }); };
  EXPECT_THAT(error("F1 kid\n"), HasSubstr("line 1: expected the columns family, sample, father, mother"));
  EXPECT_THAT(error("F1 mum 0 0\nF1 kid kid mum\n"), HasSubstr("line 2: kid is its own parent"));
  EXPECT_THAT(error("F1 kid dad mum\nF1 kid dad 0\n"), HasSubstr("line 2: kid of family F1 occurs twice"));
  EXPECT_THAT(error("kid dad mum\nkid dad 0\n"), HasSubstr("line 2: kid occurs twice"));
  EXPECT_THAT(error("dad 0 0 2011\n"),
              HasSubstr("line 1: \"0\" is not the name of an individual; a file of individual, sire and dam has"));
  EXPECT_THAT(error("F1 a b c\nF1 d 0 0\n"), HasSubstr("families.fam: none of its people is a sample of the study"));
  EXPECT_THAT(error("F1 kid 0 0\nF2 kid 0 0\n"), HasSubstr("line 2: kid is in two families, but one sample"));
  EXPECT_THAT(error(""), HasSubstr("none of its people is a sample of the study"));
  EXPECT_THAT(ErrorOf([&] { LoadPedigree(folder_ / "none.fam", samples_); }), HasSubstr("none.fam: cannot open"));
}

}  // namespace
}  // namespace haplospin
