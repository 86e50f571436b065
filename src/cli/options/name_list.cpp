#include "cli/options/name_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/algorithm/string/split.hpp>
#include <optional>

#include "genotypes/variant_io/row_reader.h"
#include "haplospin/errors.h"

namespace haplospin {

std::vector<std::string> ReadNameList(const std::string& path, const std::string& expectation) {
  std::optional<RowReader> file;
  try {
    file.emplace(path);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}; {}", error.what(), expectation));
  }
  std::vector<std::string> names;
  while (const auto name = file->NextLine()) {
    if (!name->empty()) names.emplace_back(*name);
  }
  return names;
}

std::vector<std::string> ReadSampleNames(const std::string& path) {
  std::vector<std::string> names = ReadNameList(path, "expected a file of sample names");
  if (names.empty()) throw InputError(path + ": empty; expected a sample name per line");
  return names;
}

std::vector<std::string> SplitLists(const std::vector<std::string>& lists) {
  const std::string all = fmt::format("{}", fmt::join(lists, ","));
  std::vector<std::string> names;
  if (!all.empty()) boost::algorithm::split(names, all, [](char c) { return c == ','; });
  return names;
}

}  // namespace haplospin
