// Encodes a table of numbers and categories as tensors for the models, and decodes them.
#pragma once

#include <torch/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "learning/nn/layers/attributes.h"
#include "learning/nn/layers/masking.h"
#include "learning/tables/table.h"
#include "learning/tables/table_reader.h"

namespace haplospin {

// The encoding of a column as an attribute: a category is its index, a number x is (x - mean) / deviation.
struct EncodedColumn {
  std::string name;
  ColumnKind kind = ColumnKind::kNumeric;
  std::vector<std::string> categories;
  double mean = 0.0, deviation = 1.0;
  bool is_target = false;
  DateOrder date = DateOrder::kNone;  // Column::date
  std::vector<std::string> tokens{};  // Column::tokens

  bool IsNumeric() const { return kind == ColumnKind::kNumeric; }
};

struct EncodedTable {
  torch::Tensor values;   // [n, d] float; 0 where missing
  torch::Tensor missing;  // [n, d] bool

  int64_t rows() const { return values.size(0); }
  EncodedTable Rows(const torch::Tensor& rows) const;  // int64 [b]
  EncodedTable To(torch::Device device) const;

  // Returns at most `size` rows from `first` on.
  EncodedTable Part(int64_t first, int64_t size) const;

  // Masks missing values only.
  MaskedTable Masked() const;

  // Masks the targets as well; those that have a value are in the loss.
  MaskedTable Query(const torch::Tensor& is_target) const;
};

// The number of outputs for each attribute: the largest number of classes, and at least 1 for numbers.
int64_t CountOutputs(const Attributes& attributes);

// The indices of the targets. is_target: [d] bool.
std::vector<int64_t> FindTargets(const torch::Tensor& is_target);

// Returns which attributes are numeric targets, bool [d].
torch::Tensor NumericTargets(const Attributes& attributes, const torch::Tensor& is_target);

// The rows of all tables, one after the other.
EncodedTable Join(const std::vector<EncodedTable>& tables);

// Logits of classes as probabilities; numbers stay as they are. [n, d, c]
torch::Tensor ToProbabilities(const torch::Tensor& predictions, const Attributes& attributes);

class TableEncoder {
 public:
  // Means and deviations over the rows at `rows` of the table. `targets` name columns of the table.
  TableEncoder(const Table& table, const std::vector<std::string>& targets, const std::vector<size_t>& rows);

  // Throws InputError, naming `source`, if the text is not from ToJson().
  TableEncoder(const nlohmann::json& json, const std::string& source);
  nlohmann::json ToJson() const;

  // The way in which the values of the table were written, and in which those of other tables are read.
  const ValueFormat& format() const { return format_; }
  const std::string& id() const { return id_; }  // Table::id
  const std::vector<EncodedColumn>& columns() const { return columns_; }
  Attributes attributes() const;
  torch::Tensor IsTarget() const;            // [d] bool
  std::vector<int64_t> targets() const;      // indices of the target columns
  std::vector<ColumnSchema> Schema() const;  // targets are not required

  // The table has the encoder's columns in its order (as TableStream gives them with Schema()).
  EncodedTable Encode(const Table& table) const;

 private:
  ValueFormat format_;
  std::string id_;
  std::vector<EncodedColumn> columns_;
};

}  // namespace haplospin
