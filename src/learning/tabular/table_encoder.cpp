#include "learning/tabular/table_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Names in the order of DateOrder.
constexpr std::array<const char*, 5> kDateOrders = {"", "year first", "month first", "day first", "time of day"};

DateOrder ParseDateOrder(const std::string& name) {
  const auto found = std::ranges::find(kDateOrders, name);
  return found == kDateOrders.end() ? DateOrder::kNone : static_cast<DateOrder>(found - kDateOrders.begin());
}

// Mean and standard deviation of the values that are not missing; deviation 1 if all are equal.
void Standardize(const std::vector<double>& numbers, const std::vector<size_t>& rows, EncodedColumn& column) {
  double sum = 0.0, count = 0.0;
  for (const size_t row : rows) {
    if (std::isnan(numbers[row])) continue;
    sum += numbers[row];
    count += 1.0;
  }
  if (count == 0.0) return;
  column.mean = sum / count;
  double squares = 0.0;
  for (const size_t row : rows) {
    if (!std::isnan(numbers[row])) squares += (numbers[row] - column.mean) * (numbers[row] - column.mean);
  }
  const double deviation = std::sqrt(squares / count);
  if (deviation > 1e-12 * std::abs(column.mean)) column.deviation = deviation;
}

// Values of n training rows are within sqrt(n) deviations of their mean. A value of a new row that is further away than
// any of these can be would make the activations of a network infinite.
float Standardized(double value, const EncodedColumn& column) {
  constexpr double kMaxDeviations = 1e4;
  return static_cast<float>(std::clamp((value - column.mean) / column.deviation, -kMaxDeviations, kMaxDeviations));
}

}  // namespace

EncodedTable EncodedTable::Rows(const torch::Tensor& rows) const {
  return {values.index_select(0, rows), missing.index_select(0, rows)};
}

EncodedTable EncodedTable::To(torch::Device device) const { return {values.to(device), missing.to(device)}; }

MaskedTable EncodedTable::Masked() const {
  MaskedTable table = Unmasked(values);
  Hide(table, missing);
  return table;
}

EncodedTable EncodedTable::Part(int64_t first, int64_t size) const {
  size = std::min(size, rows() - first);
  return {values.narrow(0, first, size), missing.narrow(0, first, size)};
}

MaskedTable EncodedTable::Query(const torch::Tensor& is_target) const {
  MaskedTable query = Masked();
  query.in_loss = ~missing & is_target;
  Hide(query, is_target.expand_as(query.masked));
  return query;
}

int64_t CountOutputs(const Attributes& attributes) {
  int64_t outputs = 1;
  for (const Attribute& attribute : attributes) outputs = std::max(outputs, attribute.classes);
  return outputs;
}

std::vector<int64_t> FindTargets(const torch::Tensor& is_target) {
  const torch::Tensor indices = is_target.nonzero().squeeze(1).cpu();
  return {indices.data_ptr<int64_t>(), indices.data_ptr<int64_t>() + indices.numel()};
}

torch::Tensor NumericTargets(const Attributes& attributes, const torch::Tensor& is_target) {
  torch::Tensor is_number = is_target.cpu().clone();
  for (size_t j = 0; j < attributes.size(); ++j) {
    if (!attributes[j].IsContinuous()) is_number[static_cast<int64_t>(j)] = false;
  }
  return is_number;
}

EncodedTable Join(const std::vector<EncodedTable>& tables) {
  std::vector<torch::Tensor> values, missing;
  for (const EncodedTable& table : tables) {
    values.push_back(table.values);
    missing.push_back(table.missing);
  }
  return {torch::cat(values), torch::cat(missing)};
}

torch::Tensor ToProbabilities(const torch::Tensor& predictions, const Attributes& attributes) {
  std::vector<torch::Tensor> columns;
  for (int64_t j = 0; j < std::ssize(attributes); ++j) {
    const torch::Tensor column = predictions.select(1, j);
    columns.push_back(attributes[static_cast<size_t>(j)].IsContinuous() ? column : column.softmax(-1));
  }
  return torch::stack(columns, 1);
}

TableEncoder::TableEncoder(const Table& table, const std::vector<std::string>& targets, const std::vector<size_t>& rows)
    : format_(table.format), id_(table.id) {
  for (const Column& column : table.columns) {
    EncodedColumn encoded{.name = column.name,
                          .kind = column.kind,
                          .categories = column.categories,
                          .is_target = std::ranges::find(targets, column.name) != targets.end(),
                          .date = column.date,
                          .tokens = column.tokens};
    if (column.IsNumeric()) Standardize(column.numbers, rows, encoded);
    columns_.push_back(std::move(encoded));
  }
  HS_ASSERT(std::ranges::count(columns_, true, &EncodedColumn::is_target) == std::ssize(targets));
}

TableEncoder::TableEncoder(const nlohmann::json& json, const std::string& source) {
  try {
    format_.decimal = json.at("decimal").get<std::string>() == "," ? ',' : '.';
    json.at("missing").get_to(format_.missing);
    json.at("id").get_to(id_);
    for (const auto& item : json.at("columns")) {
      EncodedColumn column{.name = item.at("name"), .is_target = item.at("target")};
      if (item.contains("categories")) {
        column.kind = ColumnKind::kCategorical;
        column.categories = item.at("categories").get<std::vector<std::string>>();
      } else {
        column.mean = item.at("mean");
        column.deviation = item.at("deviation");
        column.date = ParseDateOrder(item.at("date"));
        item.at("missing").get_to(column.tokens);
      }
      columns_.push_back(std::move(column));
    }
  } catch (const nlohmann::json::exception&) {
    throw InputError(source + ": its columns are damaged; train the model again");
  }
  if (std::ranges::none_of(columns_, &EncodedColumn::is_target)) {
    throw InputError(source + ": none of its columns is a target; train the model again");
  }
}

nlohmann::json TableEncoder::ToJson() const {
  nlohmann::json json = {{"decimal", std::string(1, format_.decimal == ',' ? ',' : '.')},
                         {"missing", format_.missing},
                         {"id", id_},
                         {"columns", nlohmann::json::array()}};
  for (const EncodedColumn& column : columns_) {
    nlohmann::json item = {{"name", column.name}, {"target", column.is_target}};
    if (column.IsNumeric()) {
      item["mean"] = column.mean;
      item["deviation"] = column.deviation;
      item["date"] = kDateOrders[static_cast<size_t>(column.date)];
      item["missing"] = column.tokens;
    } else {
      item["categories"] = column.categories;
    }
    json["columns"].push_back(std::move(item));
  }
  return json;
}

Attributes TableEncoder::attributes() const {
  Attributes attributes;
  for (const EncodedColumn& column : columns_) {
    attributes.push_back({.classes = column.IsNumeric() ? 0 : std::max<int64_t>(1, std::ssize(column.categories))});
  }
  return attributes;
}

torch::Tensor TableEncoder::IsTarget() const {
  torch::Tensor is_target = torch::zeros({std::ssize(columns_)}, torch::kBool);
  for (const int64_t j : targets()) is_target[j] = true;
  return is_target;
}

std::vector<int64_t> TableEncoder::targets() const {
  std::vector<int64_t> indices;
  for (size_t j = 0; j < columns_.size(); ++j) {
    if (columns_[j].is_target) indices.push_back(static_cast<int64_t>(j));
  }
  return indices;
}

std::vector<ColumnSchema> TableEncoder::Schema() const {
  std::vector<ColumnSchema> schema;
  for (const EncodedColumn& column : columns_) {
    schema.push_back({.name = column.name,
                      .kind = column.kind,
                      .categories = column.categories,
                      .required = !column.is_target,
                      .date = column.date,
                      .tokens = column.tokens});
  }
  return schema;
}

EncodedTable TableEncoder::Encode(const Table& table) const {
  HS_ASSERT(table.columns.size() == columns_.size());
  const auto n = static_cast<int64_t>(table.rows());
  const int64_t d = std::ssize(columns_);
  EncodedTable encoded{torch::zeros({n, d}), torch::zeros({n, d}, torch::kBool)};
  auto values = encoded.values.accessor<float, 2>();
  auto missing = encoded.missing.accessor<bool, 2>();
  for (int64_t j = 0; j < d; ++j) {
    const Column& column = table.columns[static_cast<size_t>(j)];
    const EncodedColumn& as = columns_[static_cast<size_t>(j)];
    HS_ASSERT(column.name == as.name && column.kind == as.kind);
    for (int64_t i = 0; i < n; ++i) {
      const auto row = static_cast<size_t>(i);
      missing[i][j] = !column.HasValue(row);
      if (missing[i][j]) continue;
      values[i][j] = column.IsNumeric() ? Standardized(column.numbers[row], as) : static_cast<float>(column.codes[row]);
    }
  }
  return encoded;
}

}  // namespace haplospin
