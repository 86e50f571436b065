#include "genotypes/variant_io/pedigree_rows.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PedigreeRowsTest : public testing::Test {
 protected:
  // Each row as "family person father mother sex".
  std::vector<std::string> Read(const std::string& text) const {
    WriteFile(path_, text);
    PedigreeReader reader(path_, [](std::string_view family, std::string_view name) {
      return name == "kid" || (family == "F1" && name == "child");
    });
    std::vector<std::string> rows;
    while (const auto row = reader.Next()) {
      const std::string sex = row->is_male ? *row->is_male ? "male" : "female" : "-";
      rows.push_back(fmt::format("{} {} {} {} {}", row->family.empty() ? "-" : row->family, row->person, row->father,
                                 row->mother, sex));
    }
    return rows;
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "pedigree.txt";
};

TEST_F(PedigreeRowsTest, WithoutAHeaderTheNumberOfColumnsTells) {
  EXPECT_THAT(Read("F1 kid dad mum 1 -9\nF1 dad 0 0 2\n"), ElementsAre("F1 kid dad mum male", "F1 dad 0 0 female"));
  EXPECT_THAT(Read("F1 kid dad mum\n"), ElementsAre("F1 kid dad mum -"));
  EXPECT_THAT(Read("kid;dad;\n"), ElementsAre("- kid dad 0 -"));
  EXPECT_THAT(Read("F1 kid dad mum 2011\n"), ElementsAre("F1 kid dad mum -"));  // a year of birth
}

TEST_F(PedigreeRowsTest, AHeaderNamesTheColumns) {
  for (const char* text :
       {"animal,dam,sire\nkid,mum,dad\n", "id\tdam\tsire\tbirth\nkid\tmum\tdad\t2011\n", "Tier,Dam,Sire\nkid,mum,dad\n",
        "\"Mother ID\",\"Father ID\",\"Animal ID\"\n\"mum\",\"dad\",\"kid\"\n", "\nsire dam animal\ndad mum kid\n",
        "ID_animal;ID_sire;ID_dam\nkid;dad;mum\n"}) {
    EXPECT_THAT(Read(text), ElementsAre("- kid dad mum -")) << text;
  }
  EXPECT_THAT(Read("#FID IID PAT MAT SEX PHENO1\nF1 kid dad mum F 1\n"), ElementsAre("F1 kid dad mum female"));
  EXPECT_THAT(Read("animal,sire\nkid,dad\nlamb,NA\n"), ElementsAre("- kid dad 0 -", "- lamb 0 0 -"));
}

// PLINK, R, pandas, Python, SQL, spreadsheets and breeders have other words.
TEST_F(PedigreeRowsTest, AnUnknownParentHasManyNames) {
  for (const std::string word :
       {"0",   "00",      "0000000", "NA",      "na", "N/A", "nan", "NaN", "None", "null", "NULL",
        "UNK", "unknown", "Unknown", "missing", "-",  "--",  "?",   ".",   "*",    "-9",   "-1"}) {
    EXPECT_TRUE(IsUnknownName(word)) << word;
    EXPECT_THAT(Read("kid " + word + " mum\n"), ElementsAre("- kid 0 mum -")) << word;
    EXPECT_THAT(Read("kid,dad," + word + "\n"), ElementsAre("- kid dad 0 -")) << word;
    EXPECT_THAT(ErrorOf([&] { Read("kid dad mum\n" + word + " 0 0\n"); }),
                HasSubstr("is not the name of an individual"));
  }
  for (const std::string name : {"1", "10", "Nana", "Nanny", "UNK1", "-10", "\xe7\x89\x9b", "A-"}) {
    EXPECT_FALSE(IsUnknownName(name)) << name;
  }
  // A person of the study may have such a name.
  WriteFile(path_, "kid none mum\n");
  PedigreeReader reader(path_, [](std::string_view, std::string_view name) { return name == "none"; });
  EXPECT_EQ(reader.Next()->father, "none");
}

// The word for a parent makes a header, unless somebody in the line is known.
TEST_F(PedigreeRowsTest, PeopleAreNoHeader) {
  EXPECT_THAT(Read("F1 child father mother 1\n"), ElementsAre("F1 child father mother male"));
  EXPECT_THAT(Read("kid father mother\n"), ElementsAre("- kid father mother -"));
  EXPECT_THAT(Read("animal a b\nid 0 0\n"), ElementsAre("- animal a b -", "- id 0 0 -"));
  EXPECT_THAT(Read("kid dad2 mum2\nsire dam 0\n"), ElementsAre("- kid dad2 mum2 -", "- sire dam 0 -"));
}

TEST_F(PedigreeRowsTest, WhatIsMissingIsNamed) {
  const auto error = [&](const std::string& text) { return ErrorOf([&] { Read(text); }); };
  EXPECT_THAT(error("animal,dam,sire\nkid,mum\n"), HasSubstr("line 2: 2 columns, expected 3 as in the header"));
  EXPECT_THAT(error("animal,dam,sire\nkid,mum,kid\n"), HasSubstr("line 2: kid is its own parent"));
  EXPECT_THAT(error("animal,dam,sire\n,mum,dad\n"), HasSubstr("line 2: \"\" is not the name of an individual"));
  EXPECT_THAT(error("F1 kid\n"), HasSubstr("line 1: expected the columns family, sample, father, mother"));
  EXPECT_EQ(error(""), "");
}

}  // namespace
}  // namespace haplospin
