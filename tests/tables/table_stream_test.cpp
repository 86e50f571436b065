#include <gmock/gmock.h>

#include <cmath>

#include "tables/table_files.h"
#include "tables/table_reader.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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
