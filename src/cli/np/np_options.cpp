#include "cli/np/np_options.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>

#include "core/install_paths.h"
#include "haplospin/errors.h"
#include "tables/table.h"

namespace haplospin {
namespace {

std::array<double, 2> ParsePair(const std::string& text, const std::string& option, const char* expected) {
  const std::vector<std::string> parts = SplitList(text);
  std::array<double, 2> pair{};
  const bool good = (parts.size() == 1 || parts.size() == 2) && ParseNumber(parts.front(), pair[0]) &&
                    ParseNumber(parts.back(), pair[1]) && pair[0] <= pair[1];
  if (!good) throw InputError(fmt::format("--{} {}: expected {}", option, text, expected));
  return pair;
}

}  // namespace

std::vector<std::string> SplitList(const std::string& text) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  size_t start = 0;
  for (size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', start)) {
    parts.push_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  parts.push_back(text.substr(start));
  return parts;
}

RealRange ParseRealRange(const std::string& text, const std::string& option) {
  const auto pair = ParsePair(text, option, "LOW,HIGH with LOW not above HIGH");
  return {pair[0], pair[1]};
}

IntegerRange ParseIntegerRange(const std::string& text, const std::string& option) {
  constexpr const char* kExpected = "LOW,HIGH, whole numbers from 0 to 1000000";
  const auto pair = ParsePair(text, option, kExpected);
  if (pair[0] < 0 || pair[1] > 1e6 || pair[0] != std::floor(pair[0]) || pair[1] != std::floor(pair[1])) {
    throw InputError(fmt::format("--{} {}: expected {}", option, text, kExpected));
  }
  return {static_cast<int64_t>(pair[0]), static_cast<int64_t>(pair[1])};
}

void ColumnArguments::Declare(CommandOptions& options, bool with_defaults) {
  const char* trained = with_defaults ? "" : " [those of the model, or x and y]";
  options.Add("x", "NAMES", &x, std::string("input columns, separated by commas") + trained);
  options.Add("y", "NAMES", &y, "output columns, separated by commas");
  options.Add("group", "NAME", &group, "column with the task of each row [all rows are one task]");
}

PointColumns ColumnArguments::Columns() const { return {SplitList(x), SplitList(y), group}; }

std::string ShippedWeights(const std::string& model, size_t inputs) {
  if (model != "te-tnp") {
    throw InputError(
        fmt::format("there are no default weights for {}, only for te-tnp; train a model with haplospin np train "
                    "--model {} and give --weights",
                    model, model));
  }
  if (inputs > 2) {
    throw InputError(
        fmt::format("the default weights are for one or two inputs, not for {}; use --model gp, or train a model with "
                    "haplospin np train and give --weights",
                    inputs));
  }
  const char* name = inputs == 2 ? "te-tnp-2d.safetensors" : "te-tnp-1d.safetensors";
  return (std::filesystem::path(ModelsFolder()) / name).string();
}

}  // namespace haplospin
