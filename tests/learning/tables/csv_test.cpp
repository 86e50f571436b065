#include "learning/tables/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/random.h"
#include "learning/tables/table_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Rows = std::vector<std::vector<std::string>>;

Rows ReadAll(const std::string& path, const CsvFormat& format = {}) {
  CsvReader reader(path, format);
  Rows rows;
  for (std::vector<std::string> fields; reader.Next(fields);) rows.push_back(fields);
  return rows;
}

using CsvReaderTest = TableFileTest;

TEST_F(CsvReaderTest, NamesRowsAndLines) {
  CsvReader reader(Write("a,b\n1,\"x, \"\"y\"\"\nz\"\r\n\n , 4 \n5,6"), {});
  EXPECT_THAT(reader.names(), ElementsAre("a", "b"));
  std::vector<std::string> fields;
  ASSERT_TRUE(reader.Next(fields));
  EXPECT_THAT(fields, ElementsAre("1", "x, \"y\"\nz"));
  EXPECT_EQ(reader.line(), 2u);
  ASSERT_TRUE(reader.Next(fields));
  EXPECT_THAT(fields, ElementsAre("", "4"));
  EXPECT_EQ(reader.line(), 5u);
  ASSERT_TRUE(reader.Next(fields));
  EXPECT_THAT(fields, ElementsAre("5", "6"));
  EXPECT_EQ(reader.line(), 6u);
  EXPECT_FALSE(reader.Next(fields));
  EXPECT_FALSE(reader.Next(fields));
}

TEST_F(CsvReaderTest, EmptyFieldsOfTabSeparatedFiles) {
  EXPECT_THAT(ReadAll(Write("a\tb\tc\n1\t\t3\n\t2\t\n")),
              ElementsAre(ElementsAre("1", "", "3"), ElementsAre("", "2", "")));
}

TEST_F(CsvReaderTest, SemicolonsAndAGivenSeparator) {
  const std::string path = Write("a;b,c;d\n1;2,5;3\n");
  EXPECT_THAT(ReadAll(path), ElementsAre(ElementsAre("1", "2,5", "3")));
  EXPECT_THAT(ReadAll(path, {.separator = ','}), ElementsAre(ElementsAre("1;2", "5;3")));
}

TEST_F(CsvReaderTest, WithoutHeaderTheFirstLineIsARow) {
  CsvReader reader(Write("\xEF\xBB\xBF"
                         "1,2\n3,4\n"),
                   {.header = false});
  EXPECT_THAT(reader.names(), ElementsAre("1", "2"));
  std::vector<std::string> fields;
  ASSERT_TRUE(reader.Next(fields));
  EXPECT_THAT(fields, ElementsAre("1", "2"));
  EXPECT_EQ(reader.line(), 1u);
  ASSERT_TRUE(reader.Next(fields));
  EXPECT_EQ(reader.line(), 2u);
}

// Programs that do not quote write a missing value of a single column as an empty line.
TEST_F(CsvReaderTest, EmptyLinesBetweenTheRowsOfOneColumnAreRows) {
  CsvReader reader(Write("a\n\n5\n\r\n\n7\n\n\n"), {});
  std::vector<size_t> lines;
  Rows rows;
  for (std::vector<std::string> fields; reader.Next(fields);) {
    rows.push_back(fields);
    lines.push_back(reader.line());
  }
  EXPECT_THAT(rows, ElementsAre(ElementsAre(""), ElementsAre("5"), ElementsAre(""), ElementsAre(""), ElementsAre("7")));
  EXPECT_THAT(lines, ElementsAre(2, 3, 4, 5, 6));
}

// The reader returns any values that a writer has quoted, gzipped or not.
TEST_F(CsvReaderTest, RandomTablesRoundTrip) {
  RandomStream random(1);
  for (int round = 0; round < 20; ++round) {
    const size_t columns = 1 + random.UniformInt(6);
    std::string text;
    for (size_t i = 0; i < columns; ++i) text += (i == 0 ? "c" : ",c") + std::to_string(i);
    text += '\n';
    Rows rows;
    for (uint64_t row = random.UniformInt(300); row > 0; --row) {
      std::vector<std::string> fields;
      for (size_t i = 0; i < columns; ++i) {
        std::string field, quoted;
        for (uint64_t size = random.UniformInt(8); size > 0; --size) field += "ab,\"\n\r 1\t;"[random.UniformInt(10)];
        for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
        text += (i == 0 ? "\"" : ",\"") + quoted + "\"";
        fields.push_back(field);
      }
      text += '\n';
      rows.push_back(fields);
    }
    EXPECT_EQ(ReadAll(Write(text), {.separator = ','}), rows);
    EXPECT_EQ(ReadAll(WriteGzipped(text), {.separator = ','}), rows);
  }
}

TEST_F(CsvReaderTest, RaggedRowsAreNamed) {
  const std::string path = Write("a,b\n1,2\n\n3\n");
  EXPECT_THAT(ErrorOf([&] { ReadAll(path); }), HasSubstr("line 4: 1 fields, but 2 in line 1"));
}

TEST_F(CsvReaderTest, WrongQuotes) {
  EXPECT_THAT(ErrorOf([&] { ReadAll(Write("a,b\n1,x\"y\n")); }), HasSubstr("line 2: misplaced quotes"));
  EXPECT_THAT(ErrorOf([&] { ReadAll(Write("a,b\n1,2\n3,\"x\ny\n")); }), HasSubstr("line 3: misplaced quotes"));
}

TEST_F(CsvReaderTest, AHeaderOfValuesIsNone) {
  EXPECT_THAT(ErrorOf([&] { ReadAll(Write("1,2,?\n3,4,5\n")); }), HasSubstr("give --no-header"));
}

TEST_F(CsvReaderTest, NamesMustDiffer) {
  EXPECT_THAT(ErrorOf([&] { ReadAll(Write("a,a\n1,2\n")); }), HasSubstr("two columns are called 'a'"));
  CsvReader reader(Write(",a\n1,2\n"), {});
  EXPECT_THAT(reader.names(), ElementsAre("1", "a"));
}

TEST_F(CsvReaderTest, FilesThatAreNone) {
  EXPECT_THAT(ErrorOf([&] { ReadAll(folder_ / "absent.csv"); }), HasSubstr("cannot open"));
  EXPECT_THAT(ErrorOf([&] { ReadAll(folder_.path().string()); }), HasSubstr(folder_.path().string()));
  EXPECT_THAT(ErrorOf([&] { ReadAll(Write(std::string("a,b\n1,\0\n", 8))); }), HasSubstr("line 2: not text"));
  for (const std::string& text : {std::string("\xFF\xFE"
                                              "a\0,\0",
                                              6),
                                  std::string("\xFE\xFF\0a", 4), std::string("a\0,\0b\0", 6)}) {
    EXPECT_THAT(ErrorOf([&] { ReadAll(Write(text)); }), HasSubstr("UTF-16, Excel's Unicode text; expected UTF-8"));
  }
  EXPECT_THAT(ErrorOf([&] { ReadAll(Write("PAR1\1\2")); }), HasSubstr("a Parquet file; expected CSV or TSV: convert"));
  EXPECT_THAT(ErrorOf([&] { ReadAll(Write("{\"a\": 1}\n{\"a\": 2}\n")); }), HasSubstr("lines=True)"));
  EXPECT_THAT(ErrorOf([&] { ReadAll(Write("[{\"a\": 1}]")); }), HasSubstr("a JSON file"));
  EXPECT_TRUE(CsvReader(Write(""), {}).names().empty());
}

TEST_F(CsvReaderTest, GzippedFileCutShort) {
  std::string text = "a,b\n";
  RandomStream random(2);
  for (int i = 0; i < 20000; ++i) text += std::to_string(random()) + ",2\n";
  const std::string path = WriteGzipped(text);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THAT(ErrorOf([&] { ReadAll(path); }), HasSubstr("truncated"));
}

using CsvWriterTest = TableFileTest;

TEST_F(CsvWriterTest, TheReaderGivesBackWhatWasWritten) {
  const std::vector<std::string> names = {"plain", "with space", "a,b"}, fields = {"x", "say \"so\"", " two\nlines "};
  EXPECT_EQ(CsvLine({"a", "b c", "d\"e"}), "a,\"b c\",\"d\"\"e\"\n");
  for (const char separator : {',', '\t', ';'}) {
    CsvReader reader(Write(CsvLine(names, separator) + CsvLine(fields, separator)), {.separator = separator});
    EXPECT_EQ(reader.names(), names);
    std::vector<std::string> read;
    ASSERT_TRUE(reader.Next(read));
    EXPECT_EQ(read, fields);
  }
}

}  // namespace
}  // namespace haplospin
