#include "cli/options/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <unordered_set>

#include "haplospin/errors.h"

namespace haplospin {

OptionalOutput::OptionalOutput(const std::string& path) {
  if (!path.empty()) file_.emplace(path);
}

void OptionalOutput::Write(const std::string& text) {
  if (!file_) return;
  file_->Write(text);
  file_->Commit();
}

void CheckDistinctOutputs(const std::string& command, const std::string& options,
                          const std::vector<std::string>& paths) {
  std::unordered_set<std::string> files;
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    std::error_code unreadable;
    const auto file = std::filesystem::weakly_canonical(std::filesystem::absolute(path, unreadable), unreadable);
    if (files.insert(file.string()).second) continue;
    throw InputError(fmt::format("{}: two of {} are '{}'; give them different names", command, options, path));
  }
}

void AddOutputType(CommandOptions& options, std::string* letter) {
  options.AddChoice("output-type,O", letter, {"auto", "v", "z", "u", "b"},
                    "VCF, VCF.gz, uncompressed BCF or BCF; auto: by the file name extension");
}

void AddMultiallelic(CommandOptions& options, std::string* choice) {
  options.AddChoice("multiallelic", choice, {"split", "keep"},
                    "records with several ALT alleles: split, a record for each, or keep, as one record");
}

void IndexArguments::Declare(CommandOptions& options) {
  options.AddFlag("write-index", &is_written_, "index the output");
  options.AddFlag("csi", &is_csi_, "index VCF.gz as .csi, not .tbi");
}

IndexType IndexArguments::Type(const std::string& command, const std::string& path, OutputType type) const {
  if (is_csi_ && !is_written_) throw InputError(command + ": --csi needs --write-index; add it");
  if (!is_written_) return IndexType::kNone;
  if (!CanBeIndexed(path, type)) {
    throw InputError(
        fmt::format("{}: --write-index needs VCF.gz, BCF or BGEN output, and a file; {} is neither", command, path));
  }
  return is_csi_ ? IndexType::kCsi : IndexType::kByFormat;
}

std::string TextTable::Text() const {
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      text += i == 0 ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string RowsText(const std::string& title, std::span<const std::pair<std::string, std::string>> rows) {
  if (rows.empty()) return "";
  size_t width = 0;
  for (const auto& [name, value] : rows) width = std::max(width, name.size());
  std::string text = title + "\n";
  for (const auto& [name, value] : rows) text += fmt::format("  {:<{}}  {}\n", name, width, value);
  return text + "\n";
}

nlohmann::ordered_json JsonNumber(double value) {
  return std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(std::stod(fmt::format("{:.6g}", value)));
}

}  // namespace haplospin
