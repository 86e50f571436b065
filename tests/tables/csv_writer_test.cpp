#include "tables/csv_writer.h"

#include <gtest/gtest.h>

#include "tables/csv_reader.h"
#include "tables/table_files.h"

namespace haplospin {
namespace {

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
