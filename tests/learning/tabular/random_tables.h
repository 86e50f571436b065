// Random tables for tests.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "core/random.h"
#include "learning/tables/table.h"
#include "learning/tabular/tabular_training_options.h"

namespace haplospin {

// Numbers a and b, categories c, and targets: "class" is whether a + b > 0, "number" is a - b + 2 where c is "u". A few
// features are missing.
inline Table RandomTable(size_t rows, uint64_t seed) {
  RandomStream random(seed);
  Table table{.path = "random.csv"};
  Column a{.name = "a"}, b{.name = "b"}, number{.name = "number"};
  Column c{.name = "c", .kind = ColumnKind::kCategorical, .categories = {"u", "v", "w"}};
  Column kind{.name = "class", .kind = ColumnKind::kCategorical, .categories = {"no", "yes"}};
  for (size_t row = 0; row < rows; ++row) {
    table.lines.push_back(row + 2);
    const double x = random.Normal(), y = random.Normal();
    const auto category = static_cast<int32_t>(random.UniformInt(3));
    const bool hidden = random.Bernoulli(0.03);
    a.numbers.push_back(hidden ? std::numeric_limits<double>::quiet_NaN() : 10 + 3 * x);
    a.missing += hidden ? 1 : 0;
    b.numbers.push_back(5 * y);
    c.codes.push_back(random.Bernoulli(0.03) ? -1 : category);
    c.missing += c.codes.back() < 0 ? 1 : 0;
    kind.codes.push_back(x + y > 0 ? 1 : 0);
    number.numbers.push_back(100 + 7 * (x - y + (category == 0 ? 2 : 0)));
  }
  table.columns = {a, b, c, kind, number};
  return table;
}

inline Table WithoutColumn(Table table, const std::string& name) {
  std::erase_if(table.columns, [&](const Column& column) { return column.name == name; });
  return table;
}

// Small and quick.
inline TabularTrainingOptions QuickTraining(const std::string& model) {
  TabularTrainingOptions options;
  options.network.architecture = model;
  options.network.width = 8;
  options.network.depth = 2;
  options.network.heads = 2;
  options.network.inducing_points = 4;
  options.network.latent_attributes = 3;
  options.network.dropout = 0.0;
  options.members = 2;
  options.validation_share = 0.34;
  options.steps = 60;
  options.batch_rows = 64;
  options.learning_rate = 1e-2;
  options.average_rate = 0.1;
  options.feature_masking = 0.05;
  options.tradeoff = 0.2;
  return options;
}

}  // namespace haplospin
