#include "genotypes/variant_io/oxford_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "genotypes/variant_io/row_reader.h"
#include "haplospin/errors.h"

namespace haplospin {

std::string FileBeside(const std::string& path, std::initializer_list<const char*> endings) {
  std::string stem = path.substr(0, path.size() - (path.ends_with(".gz") ? 3 : 0));
  const size_t dot = stem.rfind('.');
  if (dot != std::string::npos && stem.find('/', dot) == std::string::npos) stem.resize(dot);
  for (const char* ending : endings) {
    std::error_code error;
    if (std::filesystem::exists(stem + ending, error)) return stem + ending;
  }
  return "";
}

std::string OxfordSamplesBeside(const std::string& path) { return FileBeside(path, {".sample", ".samples"}); }

std::vector<std::string> ReadOxfordSamples(const std::string& path) {
  RowReader rows(path);
  const std::vector<std::string_view> header = rows.NextRow();
  const bool has_types = header.size() >= 2 && header[1] == "ID_2";
  if (has_types) rows.NextRow();
  std::vector<std::string> names;
  for (auto row = rows.NextRow(); !row.empty(); row = rows.NextRow()) {
    if (has_types && row.size() < 2) rows.Fail("expected the columns ID_1 and ID_2");
    names.emplace_back(row[has_types ? 1 : 0]);
  }
  return names;
}

std::string OxfordSamplesText(const std::vector<std::string>& samples, const SampleSexes* sexes) {
  std::string text = sexes == nullptr ? "ID_1 ID_2 missing\n0 0 0\n" : "ID_1 ID_2 missing sex\n0 0 0 D\n";
  for (const std::string& sample : samples) {
    text.append(sample).append(" ").append(sample).append(" 0");
    if (sexes != nullptr) text += sexes->males.contains(sample) ? " 1" : sexes->females.contains(sample) ? " 2" : " 0";
    text += '\n';
  }
  return text;
}

void CheckOxfordNames(const std::string& path, const std::vector<std::string>& samples) {
  const auto has_blank = [](const std::string& name) { return name.find_first_of(" \t") != std::string::npos; };
  const auto found = std::ranges::find_if(samples, has_blank);
  if (found == samples.end()) return;
  throw InputError(fmt::format(
      "{}: the name of sample \"{}\" has a blank, which the .sample beside a BGEN file cannot hold; rename it in the "
      "study (bcftools reheader -s), or write VCF or BCF",
      path, *found));
}

}  // namespace haplospin
