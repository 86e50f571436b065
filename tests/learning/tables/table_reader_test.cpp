#include "learning/tables/table_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "learning/tables/table_files.h"

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

// A column of whole numbers with gaps comes out of some programs as 0.0 and 1.0.
TEST_F(TableReaderTest, ClassesThatAreEqualNumbersAreOne) {
  std::string text = "x,y\n";
  for (int i = 0; i < 60; ++i) text += fmt::format("{},{}\n", i, i % 3 == 0 ? "0" : i % 3 == 1 ? "1" : "1.0");
  const std::string path = Write(text);
  const Table table = ReadTable(path, {}, {.targets = {"y"}}).table;
  EXPECT_THAT(table.Find("y")->categories, ElementsAre("0", "1"));
  EXPECT_EQ(table.Find("y")->codes[2], 1);
  EXPECT_THAT(ReadTable(path, {}, {.categorical = {"y"}}).table.Find("y")->categories, ElementsAre("0", "1", "1.0"));
}

TEST_F(TableReaderTest, CopiesOfRowsAreCountedOnce) {
  std::string text = "x,y\n";
  for (int i = 0; i < 30; ++i) text += fmt::format("{0}.5,{1}\n{0}.5,{1}\n", i, i * i % 7);
  const TypedTable typed = ReadTable(Write(text), {}, {.targets = {"y"}});
  EXPECT_EQ(typed.table.rows(), 30u);
  EXPECT_THAT(typed.notes, ElementsAre("30 of 60 rows are copies of others, equal in every column: not used"));
}

TEST_F(TableReaderTest, AClassCalledNoneIsNamed) {
  const TypedTable typed = ReadTable(Write("x,y\n1,None\n2,mild\n3,None\n4,\n5,severe\n"), {}, {.targets = {"y"}});
  EXPECT_THAT(typed.notes, ElementsAre(HasSubstr("'None' is a missing value, so that 2 rows are not used")));
}

// Three decimals may be thousands: what separates the columns tells it.
TEST_F(TableReaderTest, CommasBeforeThreeDigits) {
  const auto second = [](const TypedTable& typed) { return typed.table.columns[0].numbers[1]; };
  const TypedTable semicolons = ReadTable(Write("x;y\n1;2\n5,983;4\n"), {}, {});
  EXPECT_EQ(second(semicolons), 5.983);
  EXPECT_THAT(semicolons.notes, ElementsAre(HasSubstr("5,983 are read with decimal commas")));
  const TypedTable tabs = ReadTable(Write("x\ty\n1\t2\n5,983\t4\n"), {}, {});
  EXPECT_EQ(second(tabs), 5983);
  EXPECT_THAT(tabs.notes, ElementsAre(HasSubstr("give --decimal comma")));
  const TypedTable sure = ReadTable(Write("x;y\n1;2\n5,983;4.5\n"), {}, {});
  EXPECT_EQ(second(sure), 5983);
  EXPECT_THAT(sure.notes, IsEmpty());
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

TEST_F(TableReaderTest, DropsColumnsThatNumberTheRows) {
  std::string text = ",PassengerId,day,paid,x\n";  // pandas writes the index without a name
  for (int i = 0; i < 25; ++i) text += fmt::format("{},{},{},{},{}\n", i, i + 1, i, i, i * i);
  const std::string path = Write(text);
  const TypedTable typed = ReadTable(path, {}, {});
  ASSERT_THAT(typed.table.columns, SizeIs(3));  // a day may well tell something
  EXPECT_EQ(typed.table.columns[0].name, "day");
  EXPECT_EQ(typed.table.columns[1].name, "paid");
  EXPECT_THAT(typed.notes, ElementsAre(HasSubstr("column '1' only numbers the rows"),
                                       HasSubstr("column 'PassengerId' only numbers the rows")));
  EXPECT_NE(ReadTable(path, {}, {.numeric = {"PassengerId"}}).table.Find("PassengerId"), nullptr);
  EXPECT_NE(ReadTable(path, {}, {.targets = {"PassengerId"}}).table.Find("PassengerId"), nullptr);
  EXPECT_THAT(ReadTable(Write("id,x\n3,1\n4,2\n"), {}, {}).notes, IsEmpty());
}

TEST_F(TableReaderTest, AFewTextsAmongNumbersAreMissing) {
  std::string text = "x,code\n";
  for (int i = 0; i < 40; ++i) text += std::to_string(i) + "," + std::to_string(i % 4) + "\n";
  const std::string path = Write(text + "unknown,A\n1O,A\nunknown,A\n");
  const TypedTable typed = ReadTable(path, {}, {});
  const Column& x = *typed.table.Find("x");
  ASSERT_TRUE(x.IsNumeric());
  EXPECT_EQ(x.missing, 3u);
  EXPECT_TRUE(std::isnan(x.numbers[41]));
  EXPECT_THAT(x.tokens, ElementsAre("1O", "unknown"));
  EXPECT_THAT(typed.notes, ElementsAre(HasSubstr("column 'x' is numeric but for '1O' (1), 'unknown' (2)")));
  EXPECT_FALSE(typed.table.Find("code")->IsNumeric());  // few different numbers: codes
  EXPECT_FALSE(ReadTable(path, {}, {.categorical = {"x"}}).table.Find("x")->IsNumeric());
  EXPECT_THAT(ErrorOf([&] { ReadTable(Write("x\n1\ninf\n"), {}, {.numeric = {"x"}}); }),
              HasSubstr("line 3: column 'x' of --numeric has 'inf'"));
}

TEST_F(TableReaderTest, ManyWordsAmongNumbersAreMissing) {
  std::string text = "price,size\n";
  for (int i = 0; i < 60; ++i) text += fmt::format("{},{}\n", 3000 + i, i);
  for (const char* word : {"unknown", "n.d.", "pending", "to follow", "not measured", "TBD", "?!"}) {
    for (int i = 0; i < 5; ++i) text += fmt::format("{},{}\n", word, i);
  }
  const TypedTable typed = ReadTable(Write(text), {}, {.targets = {"price"}});
  ASSERT_TRUE(typed.table.Find("price")->IsNumeric());
  EXPECT_EQ(typed.table.Find("price")->missing, 35u);
  EXPECT_THAT(typed.notes, ElementsAre(HasSubstr("column 'price' is numeric but for")));
}

// Codes such as 12A are no words: they are not taken for missing.
TEST_F(TableReaderTest, TextsThatMakeAColumnCategoricalAreNamed) {
  std::string text = "price,size\n";
  for (int i = 0; i < 60; ++i) text += fmt::format("{},{}\n", 3000 + i, i);
  for (int i = 0; i < 30; ++i) text += fmt::format("A{},{}\n", i % 10, i);
  const TypedTable typed = ReadTable(Write(text), {}, {.targets = {"price"}});
  EXPECT_FALSE(typed.table.Find("price")->IsNumeric());
  EXPECT_THAT(typed.notes,
              ElementsAre(HasSubstr("read as text, because 30 of its 90 values are not numbers: 'A0' (3)")));
  EXPECT_THAT(ReadTable(Write(text), {}, {.categorical = {"price"}}).notes, IsEmpty());
}

TEST_F(TableReaderTest, NegativeNumbersInParenthesesAreNamed) {
  std::string text = "profit,loss\n";
  for (int i = 0; i < 60; ++i)
    text += fmt::format("{0},{1}\n", i == 7 ? "(12)" : std::to_string(i),
                        i % 2 ? fmt::format("({})", i) : std::to_string(i));
  const TypedTable typed = ReadTable(Write(text), {}, {});
  EXPECT_THAT(
      typed.notes,
      ElementsAre(AllOf(HasSubstr("'profit'"), HasSubstr("if they are numbers, write '(12)' as -12")),
                  AllOf(HasSubstr("'loss' is read as text"), HasSubstr("write '(1)' as -1")), HasSubstr("'loss'")));
}

TEST_F(TableReaderTest, NumbersWithMarksAreNamed) {
  std::string text = "x;rate;comma;price;few;size;name\n";
  for (int i = 0; i < 40; ++i) {
    const int n = 100 + i % 20;
    text += fmt::format("1.5;{0} %;{0},5;1 {0};{1} %;{0};u{0}\n", n, i % 4);
  }
  const std::string path = Write(text + "1.5;unknown;?;1 500;1 %;7;v\n");
  const TypedTable typed = ReadTable(path, {}, {.targets = {"rate"}});
  EXPECT_FALSE(typed.table.Find("rate")->IsNumeric());
  EXPECT_THAT(typed.notes, testing::IsSupersetOf(
                               {"column 'rate' is read as text, but its values look like numbers: write '100 %' as "
                                "100 (--categorical keeps the text)",
                                "column 'comma' is read as text, but its values look like numbers: write '100,5' as "
                                "100.5 (--categorical keeps the text)",
                                "column 'price' is read as text, but its values look like numbers: write '1 100' as "
                                "1100 (--categorical keeps the text)"}));
  EXPECT_THAT(typed.notes, testing::Not(testing::Contains(testing::ContainsRegex("(few|size|name).*look like"))));
  EXPECT_THAT(ReadTable(path, {}, {.categorical = {"rate"}, .ignore = {"comma", "price"}}).notes,
              testing::Not(testing::Contains(HasSubstr("look like"))));
}

TEST_F(TableReaderTest, DatesThatAreNotReadAreNamed) {
  const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::string text = "month;quarter;week;day;german;id;model\n";
  for (int i = 0; i < 48; ++i) {
    const char* month = months[i % 12];
    text += fmt::format(
        "{0}-{1};20{1}Q{2};20{1}-W{3};Friday, {0} {3}, 20{1};{3}. Dezember 20{1};AB-20{1}-{3};x 20{1} {3}\n", month,
        18 + i / 12, 1 + i % 4, 10 + i);
  }
  const TypedTable typed = ReadTable(Write(text), {}, {});
  for (const std::string column : {"month", "quarter", "week", "day", "german"}) {
    EXPECT_THAT(typed.notes, testing::Contains(
                                 HasSubstr("column '" + column + "' is read as text, but its values look like dates")));
  }
  EXPECT_THAT(typed.notes, testing::Not(testing::Contains(testing::ContainsRegex("(id|model)' .*look like"))));
}

TEST_F(TableReaderTest, MissingAsTold) {
  const Table table = ReadTable(Write("x,c\n-99,u\n1,zz\n2,v\n"), {.values = {.missing = {"-99", "zz"}}}, {}).table;
  EXPECT_EQ(table.columns[0].missing, 1u);
  EXPECT_THAT(table.columns[1].codes, ElementsAre(0, -1, 1));
}

TEST_F(TableReaderTest, TheDecimalMarkOfAFile) {
  const Table comma = ReadTable(Write("x;y\n1,5;1.234,5\n2,25;7\n"), {}, {}).table;
  EXPECT_EQ(comma.format.decimal, ',');
  EXPECT_THAT(comma.columns[0].numbers, ElementsAre(1.5, 2.25));
  EXPECT_THAT(comma.columns[1].numbers, ElementsAre(1234.5, 7));
  const Table point = ReadTable(Write("x,y\n1.5,\"1,234\"\n2.25,7\n"), {}, {}).table;
  EXPECT_EQ(point.format.decimal, '.');
  EXPECT_THAT(point.columns[1].numbers, ElementsAre(1234, 7));
  const CsvFormat told{.values = {.decimal = ','}};
  EXPECT_THAT(ReadTable(Write("x\n\"1,234\"\n\"2\"\n"), told, {}).table.columns[0].numbers, ElementsAre(1.234, 2));
}

TEST_F(TableReaderTest, DatesAreNumbers) {
  std::string text = "iso,german,either,us\n";
  for (int day = 1; day <= 12; ++day) {
    text += fmt::format("2021-03-{0:02},{0}.3.2021,{0}/{0}/2021,3/{1}/2021\n", day, day + 12);
  }
  const TypedTable typed = ReadTable(Write(text), {}, {});
  ASSERT_THAT(typed.table.columns, SizeIs(4));
  for (const Column& column : typed.table.columns) {
    EXPECT_TRUE(column.IsNumeric()) << column.name;
    EXPECT_NE(column.date, DateOrder::kNone) << column.name;
  }
  EXPECT_EQ(typed.table.columns[0].numbers, typed.table.columns[1].numbers);
  EXPECT_EQ(typed.table.columns[3].numbers[0], typed.table.columns[0].numbers[0] + 12);
  EXPECT_THAT(typed.notes, ElementsAre(HasSubstr("column 'either': dates are read as month/day/year")));
  EXPECT_THAT(DescribeColumns(typed.table)[0], HasSubstr("date, 2021-03-01 to 2021-03-12"));
}

TEST_F(TableReaderTest, NamesOfMonthsShortYearsAndTimesAreNumbers) {
  std::string text = "iso,name,short,time\n";
  for (int day = 1; day <= 28; ++day) {
    text += fmt::format("2021-03-{0:02},\"Mar {0:02}, 2021\",{0:02}/03/21,{1:02}:30\n", day, day % 24);
  }
  const Table table = ReadTable(Write(text), {}, {}).table;
  ASSERT_THAT(table.columns, SizeIs(4));
  EXPECT_EQ(table.columns[1].numbers, table.columns[0].numbers);
  EXPECT_EQ(table.columns[2].numbers, table.columns[0].numbers);
  EXPECT_EQ(table.columns[3].date, DateOrder::kTimeOfDay);
  EXPECT_NEAR(table.columns[3].numbers[6] * 24, 7.5, 1e-9);
  EXPECT_THAT(DescribeColumns(table)[3], HasSubstr("time of day, 00:30 to 23:30"));
}

TEST_F(TableReaderTest, ConstantColumnsAreDropped) {
  const TypedTable typed =
      ReadTable(Write("a,b,c,y,fold\n1,u,1,7,3\n1,u,,7,3\n1,u,1,7,3\n"), {}, {.targets = {"y"}, .marks = {"fold"}});
  EXPECT_THAT(typed.notes, ElementsAre("the same value in every row of columns a, b: not used"));
  ASSERT_THAT(typed.table.columns, SizeIs(3));  // c says whether there is a value
}

TEST_F(TableReaderTest, IdentifiersOfRows) {
  const Table table = ReadTable(Write("name,x\nann,1\nbob,2\ncy,3\n"), {}, {.id = "name"}).table;
  EXPECT_THAT(table.ids, ElementsAre("ann", "bob", "cy"));
  EXPECT_THAT(table.columns, SizeIs(1));
  EXPECT_THAT(SelectRows(table, {2, 0}).ids, ElementsAre("cy", "ann"));
  EXPECT_THAT(ErrorOf([&] { ReadTable(Write("x,y\n1,2\n"), {}, {.targets = {"x"}, .id = "x"}); }), HasSubstr("--id"));
  EXPECT_THAT(ErrorOf([&] { ReadTable(Write("x,y\n1,2\n"), {}, {.id = "z"}); }), HasSubstr("no column 'z' for --id"));
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

using TableStreamTest = TableFileTest;

const std::vector<ColumnSchema> kSchema = {{.name = "x"},
                                           {.name = "c", .kind = ColumnKind::kCategorical, .categories = {"u", "v"}},
                                           {.name = "y", .required = false}};

TEST_F(TableStreamTest, BlocksInTheOrderOfTheSchema) {
  TableStream stream(Write("c,extra,x\nu,1,1.5\nnew,2,\n?,3,4\n"), {}, kSchema);
  EXPECT_THAT(stream.ignored_columns(), ElementsAre("extra"));
  const Table first = stream.Next(2);
  EXPECT_EQ(first.columns[0].numbers[0], 1.5);
  EXPECT_TRUE(std::isnan(first.columns[0].numbers[1]));
  EXPECT_THAT(first.columns[1].codes, ElementsAre(0, -1));
  EXPECT_TRUE(std::isnan(first.columns[2].numbers[0]));
  EXPECT_EQ(first.columns[2].missing, 2u);
  EXPECT_THAT(stream.unknown_values(), ElementsAre(0, 1, 0));
  const Table second = stream.Next(2);
  EXPECT_THAT(second.lines, ElementsAre(4));
  EXPECT_THAT(stream.unknown_values(), ElementsAre(0, 1, 0));  // "?" is missing, not unknown
  EXPECT_EQ(stream.Next(2).rows(), 0u);
}

TEST_F(TableStreamTest, InfiniteNumbersAreMissingAndCounted) {
  TableStream stream(Write("x,c\ninf,u\n-1e300,v\n2,u\n"), {}, kSchema);
  const Table table = stream.Next(9);
  EXPECT_EQ(table.columns[0].missing, 2u);
  EXPECT_EQ(table.columns[0].numbers[2], 2);
  EXPECT_THAT(stream.infinite_values(), ElementsAre(2, 0, 0));
}

TEST_F(TableStreamTest, NamesWhatIsMissing) {
  EXPECT_THAT(ErrorOf([&] { TableStream(Write("y,z\n1,2\n"), {}, kSchema); }),
              HasSubstr("required columns are missing: x, c"));
}

TEST_F(TableStreamTest, NamesTheLineOfWhatIsNoNumber) {
  TableStream stream(Write("x,c\n1,u\nabc,u\n"), {}, kSchema);
  EXPECT_THAT(ErrorOf([&] { stream.Next(10); }), HasSubstr("line 3: column 'x': expected a number, but found 'abc'"));
}

TEST_F(TableStreamTest, ReadsValuesAsTheTrainingTable) {
  const std::vector<ColumnSchema> schema = {{.name = "x", .tokens = {"unknown"}},
                                            {.name = "day", .date = DateOrder::kDayFirst}};
  const CsvFormat format{.values = {.missing = {"-99"}, .decimal = ','}};
  TableStream stream(Write("name;x;day\na;1,5;2.1.1970\nb;unknown;\nc;-99;3/1/1970\n"), format, schema, "name");
  EXPECT_TRUE(stream.has_ids());
  EXPECT_THAT(stream.ignored_columns(), testing::IsEmpty());
  const Table table = stream.Next(9);
  EXPECT_THAT(table.ids, ElementsAre("a", "b", "c"));
  EXPECT_EQ(table.columns[0].numbers[0], 1.5);
  EXPECT_EQ(table.columns[0].missing, 2u);
  EXPECT_EQ(table.columns[1].numbers[0], 1);
  EXPECT_EQ(table.columns[1].numbers[2], 2);
  TableStream wrong(Write("x;day\n1;1970-01-01\n"), format, schema);
  EXPECT_FALSE(wrong.has_ids());
  EXPECT_THAT(ErrorOf([&] { wrong.Next(9); }), HasSubstr("expected a date as in the training table"));
}

}  // namespace
}  // namespace haplospin
