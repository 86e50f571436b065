#include "tables/table_reader.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tables/table_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using TableReaderTest = TableFileTest;

TEST_F(TableReaderTest, KindsAndMissingValues) {
  const TypedTable typed =
      ReadTable(Write("x,c,n\n1.5,red,10\n?,blue,9\n+2e1,NA,\n-3,red,NaN\n"), {}, {.categorical = {"n"}});
  EXPECT_THAT(typed.notes, IsEmpty());
  const Table& table = typed.table;
  ASSERT_THAT(table.columns, SizeIs(3));
  EXPECT_THAT(table.lines, ElementsAre(2, 3, 4, 5));
  EXPECT_TRUE(table.columns[0].IsNumeric());
  EXPECT_TRUE(std::isnan(table.columns[0].numbers[1]));
  EXPECT_EQ(table.columns[0].numbers[2], 20);
  EXPECT_EQ(table.columns[0].missing, 1u);
  EXPECT_THAT(table.columns[1].categories, ElementsAre("blue", "red"));
  EXPECT_THAT(table.columns[1].codes, ElementsAre(1, 0, -1, 1));
  EXPECT_THAT(table.columns[2].categories, ElementsAre("9", "10"));  // by value
  EXPECT_THAT(table.columns[2].codes, ElementsAre(1, 0, -1, -1));
  EXPECT_THAT(DescribeColumns(table),
              ElementsAre("x: numeric, -3 to 20, 1 missing", "c: categorical, 2 categories (blue, red), 1 missing",
                          "n: categorical, 2 categories (9, 10), 2 missing"));
}

TEST_F(TableReaderTest, WholeNumbersOfFewValuesAreClassesInTargetsOnly) {
  std::string text = "x,y\n";
  for (int i = 0; i < 40; ++i) text += std::to_string(i % 3) + "," + std::to_string(i % 3) + "\n";
  const std::string path = Write(text);
  const Table table = ReadTable(path, {}, {.targets = {"y"}}).table;
  EXPECT_TRUE(table.Find("x")->IsNumeric());
  EXPECT_FALSE(table.Find("y")->IsNumeric());
  EXPECT_TRUE(ReadTable(path, {}, {.numeric = {"y"}, .targets = {"y"}}).table.Find("y")->IsNumeric());
}

TEST_F(TableReaderTest, DropsWhatSaysNothing) {
  std::string text = "id,none,x,skip\n";
  for (int i = 0; i < 25; ++i) text += "row" + std::to_string(i) + ",NA," + std::to_string(i) + ",1\n";
  const std::string path = Write(text);
  const TypedTable typed = ReadTable(path, {}, {.ignore = {"skip"}});
  ASSERT_THAT(typed.table.columns, SizeIs(1));
  EXPECT_EQ(typed.table.columns[0].name, "x");
  EXPECT_THAT(typed.notes,
              ElementsAre(HasSubstr("'id' is text with 25 different values"), HasSubstr("'none' has no values")));
  EXPECT_NE(ReadTable(path, {}, {.categorical = {"id"}}).table.Find("id"), nullptr);
}

TEST_F(TableReaderTest, TextAmongNumbers) {
  std::string text = "x\n";
  for (int i = 0; i < 40; ++i) text += std::to_string(i) + "\n";
  const std::string path = Write(text + "1O\n");
  EXPECT_THAT(ErrorOf([&] { ReadTable(path, {}, {}); }), HasSubstr("line 42: column 'x' has numbers, but '1O' here"));
  EXPECT_THAT(ErrorOf([&] { ReadTable(Write("x\n1\ninf\n"), {}, {.numeric = {"x"}}); }), HasSubstr("line 3"));
}

TEST_F(TableReaderTest, ChoicesMustFit) {
  const std::string path = Write("a,b\n1,2\n");
  EXPECT_THAT(ErrorOf([&] { ReadTable(path, {}, {.targets = {"c"}}); }),
              HasSubstr("no column 'c' for --target; the columns are a, b"));
  EXPECT_THAT(ErrorOf([&] { ReadTable(path, {}, {.categorical = {"a"}, .ignore = {"a"}}); }), HasSubstr("'a'"));
  EXPECT_THAT(ErrorOf([&] { ReadTable(path, {}, {.ignore = {"a"}, .targets = {"a"}}); }), HasSubstr("--target"));
}

TEST_F(TableReaderTest, EmptyFiles) {
  EXPECT_THAT(ErrorOf([&] { ReadTable(Write(""), {}, {}); }), HasSubstr("empty"));
  EXPECT_THAT(ErrorOf([&] { ReadTable(Write("a,b\n"), {}, {}); }), HasSubstr("no rows"));
}

TEST_F(TableReaderTest, SelectedRows) {
  const Table table = ReadTable(Write("x,c\n1,u\n2,v\n,w\n"), {}, {}).table;
  const Table part = SelectRows(table, {2, 0});
  EXPECT_THAT(part.lines, ElementsAre(4, 2));
  EXPECT_TRUE(std::isnan(part.columns[0].numbers[0]));
  EXPECT_EQ(part.columns[0].missing, 1u);
  EXPECT_THAT(part.columns[1].codes, ElementsAre(2, 0));
  EXPECT_THAT(part.columns[1].categories, SizeIs(3));
}

}  // namespace
}  // namespace haplospin
