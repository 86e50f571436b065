#include "genotypes/variant_io/record_header.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_set>

#include "core/parse_number.h"
#include "haplospin/errors.h"

namespace haplospin {

std::string RecordHeader::Value(const std::string& key) const {
  const auto found = values.find(key);
  return found == values.end() ? "" : found->second;
}

size_t RecordHeader::NumAutosomes() const {
  constexpr std::string_view kKey = "autosomePairCt=";
  const std::string value = Value("chrSet");
  const size_t at = value.find(kKey);
  if (at == std::string::npos) return 0;
  const std::string_view number = std::string_view(value).substr(at + kKey.size());
  return ParseNumber<uint32_t>(number.substr(0, number.find_first_of(",>"))).value_or(0);
}

void RecordHeader::CheckSamples(const std::string& remedy) const {
  if (samples.empty()) throw InputError(path + ": has no samples; a file with genotypes is needed");
  std::unordered_set<std::string_view> names;
  for (const std::string& name : samples) {
    if (name.empty()) {
      throw InputError(path + ": a sample name in the #CHROM line is empty; remove the tab that is too many");
    }
    if (!names.insert(name).second) throw InputError(fmt::format("{}: sample {} occurs twice{}", path, name, remedy));
  }
}

}  // namespace haplospin
