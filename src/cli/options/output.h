// The outputs of commands: files that are asked for, VCF and BCF, tables for the terminal, and numbers in JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/command_options.h"
#include "core/output_file.h"
#include "genotypes/variant_io/writing/output_type.h"

namespace haplospin {

// A file that a command writes only if it is asked for; "" is no output. Construct it before any work, so that a path
// that cannot be written is reported at once.
class OptionalOutput {
 public:
  explicit OptionalOutput(const std::string& path);

  bool IsWanted() const { return file_.has_value(); }

  // Writes the whole file, if it is wanted.
  void Write(const std::string& text);

 private:
  std::optional<OutputFile> file_;
};

// Throws InputError where two outputs of a command are one file, also "-", which only one can be; "" is no output.
// `options` names them for the message, as in "--tsv and --json".
void CheckDistinctOutputs(const std::string& command, const std::string& options,
                          const std::vector<std::string>& paths);

// Adds --output-type, whose value is for ParseOutputType().
void AddOutputType(CommandOptions& options, std::string* letter);

// Adds --multiallelic, split or keep.
void AddMultiallelic(CommandOptions& options, std::string* choice);

// --write-index and --csi.
class IndexArguments {
 public:
  void Declare(CommandOptions& options);

  // Call it after parsing. Throws InputError for an output that cannot have the index.
  IndexType Type(const std::string& command, const std::string& path, OutputType type) const;

 private:
  bool is_written_ = false, is_csi_ = false;
};

// A table for the terminal. The first column is aligned to the left, the others to the right; the first row is the
// heading.
class TextTable {
 public:
  explicit TextTable(std::vector<std::vector<std::string>> rows = {}) : rows_(std::move(rows)) {}

  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string Text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Returns a section for the terminal: a title, and rows of a name and what is said of it. "" without rows.
std::string RowsText(const std::string& title, std::span<const std::pair<std::string, std::string>> rows);

// Returns a number with six digits for JSON; null where it is undefined (NaN).
nlohmann::ordered_json JsonNumber(double value);

}  // namespace haplospin
