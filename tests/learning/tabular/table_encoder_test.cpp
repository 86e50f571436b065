#include "learning/tabular/table_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "haplospin/errors.h"
#include "learning/tabular/random_tables.h"

namespace haplospin {
namespace {

std::vector<size_t> AllRows(const Table& table) {
  std::vector<size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), size_t{0});
  return rows;
}

TEST(TableEncoder, NumbersAreStandardizedAndCategoriesIndexed) {
  const Table table = RandomTable(200, 1);
  const TableEncoder encoder(table, {"class"}, AllRows(table));
  const EncodedTable encoded = encoder.Encode(table);
  const torch::Tensor present = ~encoded.missing.select(1, 0);
  const torch::Tensor a = encoded.values.select(1, 0).masked_select(present);
  EXPECT_NEAR(a.mean().item<double>(), 0, 1e-5);
  EXPECT_NEAR(a.square().mean().item<double>(), 1, 1e-4);
  EXPECT_EQ(encoded.missing.select(1, 0).sum().item<int64_t>(), static_cast<int64_t>(table.columns[0].missing));
  EXPECT_GT(table.columns[0].missing, 0u);
  EXPECT_TRUE((encoded.values.masked_select(encoded.missing) == 0).all().item<bool>());
  EXPECT_EQ(encoded.values[5][3].item<float>(), static_cast<float>(table.columns[3].codes[5]));
  EXPECT_EQ(encoder.attributes()[2].classes, 3);
  EXPECT_EQ(encoder.targets(), (std::vector<int64_t>{3}));
  EXPECT_FALSE(encoder.Schema()[3].required);
  EXPECT_TRUE(encoder.Schema()[0].required);
}

// A row that is unlike any of training does not overflow.
TEST(TableEncoder, ValuesOfNewRowsAreBounded) {
  Table table = RandomTable(50, 2);
  const TableEncoder encoder(table, {"class"}, AllRows(table));
  const torch::Tensor before = encoder.Encode(table).values;
  table.columns[0].numbers[3] = 1e100;
  table.columns[0].numbers[4] = -1e39;
  const torch::Tensor after = encoder.Encode(table).values;
  EXPECT_EQ(after[3][0].item<float>(), 1e4f);
  EXPECT_EQ(after[4][0].item<float>(), -1e4f);
  EXPECT_TRUE(torch::equal(before.slice(0, 5), after.slice(0, 5)));
}

TEST(TableEncoder, SurvivesItsJson) {
  Table table = RandomTable(50, 2);
  table.format = {.missing = {"-99"}, .decimal = ','};
  table.id = "name";
  table.columns[0].date = DateOrder::kDayFirst;
  table.columns[1].tokens = {"unknown"};
  const TableEncoder encoder(table, {"number", "class"}, AllRows(table));
  const TableEncoder again(nlohmann::json::parse(encoder.ToJson().dump()), "file");
  EXPECT_TRUE(torch::equal(again.Encode(table).values, encoder.Encode(table).values));
  EXPECT_EQ(again.targets(), encoder.targets());
  EXPECT_EQ(again.format().decimal, ',');
  EXPECT_EQ(again.id(), "name");
  EXPECT_EQ(again.format().missing, std::vector<std::string>{"-99"});
  EXPECT_EQ(again.Schema()[0].date, DateOrder::kDayFirst);
  EXPECT_EQ(again.Schema()[1].tokens, std::vector<std::string>{"unknown"});
}

TEST(TableEncoder, DamagedJson) {
  for (const std::string columns :
       {"[]", "[1]", R"([{"name": "a", "target": true}])", R"([{"name": "a", "target": 3}])"}) {
    const std::string text = R"({"decimal": ".", "missing": [], "id": "", "columns": )" + columns + "}";
    EXPECT_THROW(TableEncoder(nlohmann::json::parse(text), "file"), InputError) << text;
  }
}

TEST(TableEncoder, AConstantColumnIsZero) {
  Table table{.path = "t", .lines = {2, 3, 4}};
  table.columns = {{.name = "x", .numbers = {0.1, 0.1, 0.1}}, {.name = "y", .numbers = {1, 2, 3}}};
  const EncodedTable encoded = TableEncoder(table, {"y"}, AllRows(table)).Encode(table);
  EXPECT_TRUE(torch::allclose(encoded.values.select(1, 0), torch::zeros({3}), 0, 1e-6));
}

}  // namespace
}  // namespace haplospin
