// Tables for the terminal.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace haplospin {

// The first column is aligned to the left, the others to the right; the first row is the heading.
class TextTable {
 public:
  explicit TextTable(std::vector<std::vector<std::string>> rows = {}) : rows_(std::move(rows)) {}

  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string Text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace haplospin
