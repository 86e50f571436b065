#include "assessment/sample_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "genomics/contig_names.h"
#include "haplospin/errors.h"
#include "variant_io/row_reader.h"

namespace haplospin {
namespace {

constexpr size_t kNamesShown = 3;

}  // namespace

SampleGroups::SampleGroups(const std::string& path, std::span<const std::string> samples) {
  std::unordered_map<std::string, std::string> groups;
  RowReader reader(path);
  for (auto row = reader.NextRow(); !row.empty(); row = reader.NextRow()) {
    if (row.size() < 2) reader.Fail("expected a sample and its population, as in \"HG00096 GBR\"");
    const auto [entry, is_new] = groups.emplace(row[0], row[1]);
    if (!is_new && entry->second != row[1]) {
      reader.Fail(fmt::format("sample {} is in {} here and in {} before; give it one population", row[0], row[1],
                              entry->second));
    }
  }
  std::vector<std::string> lacking;
  for (const std::string& sample : samples) {
    const auto entry = groups.find(sample);
    if (entry == groups.end()) {
      lacking.push_back(sample);
      continue;
    }
    const auto known = std::ranges::find(names_, entry->second);
    group_of_.push_back(static_cast<size_t>(known - names_.begin()));
    if (known == names_.end()) names_.push_back(entry->second);
  }
  if (lacking.empty()) return;
  throw InputError(fmt::format("{}: {} of the {} samples are missing: {}; add a line for each", path, lacking.size(),
                               samples.size(), JoinNames(lacking, kNamesShown)));
}

}  // namespace haplospin
