#include "genotypes/variant_io/sample_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/row_reader.h"
#include "haplospin/errors.h"

namespace haplospin {

SampleGroups::SampleGroups(std::span<const std::string> groups) {
  for (const std::string& group : groups) {
    const auto known = std::ranges::find(names_, group);
    group_of_.push_back(static_cast<size_t>(known - names_.begin()));
    if (known == names_.end()) names_.push_back(group);
  }
}

SampleGroups LoadSampleGroups(const std::string& path, std::span<const std::string> samples) {
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
  std::vector<std::string> found, missing;
  for (const std::string& sample : samples) {
    const auto entry = groups.find(sample);
    if (entry == groups.end()) {
      missing.push_back(sample);
    } else {
      found.push_back(entry->second);
    }
  }
  if (missing.empty()) return SampleGroups(found);
  throw InputError(fmt::format("{}: {} of the {} samples are missing: {}; add a line for each", path, missing.size(),
                               samples.size(), JoinNames(missing, kSamplesShown)));
}

}  // namespace haplospin
