// A table in CSV.
#include "fuzz/fuzz_input.h"
#include "learning/tables/table_reader.h"

using namespace haplospin;

void FuzzOne(std::string_view bytes) {
  const std::string path = WriteFuzzFile("table.csv", bytes);
  for (const bool header : {true, false}) {
    AcceptInputErrors([&] { DescribeColumns(ReadTable(path, {.header = header}, {}).table); });
  }
  AcceptInputErrors([&] {
    TableStream stream(path, {}, {{.name = "x"}, {"y", ColumnKind::kCategorical, {"a", "b"}, false}});
    while (stream.Next(3).rows() > 0) {
    }
  });
}
