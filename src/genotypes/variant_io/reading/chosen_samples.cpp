#include "genotypes/variant_io/reading/chosen_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/log.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using Names = std::unordered_set<std::string>;

Names SetOf(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

// A name that was misspelled would be missing from the results.
void CheckChosen(const RecordHeader& header, const std::vector<std::string>& chosen) {
  const Names all = SetOf(header.samples);
  const auto missing = std::ranges::find_if(chosen, [&](const auto& name) { return !all.contains(name); });
  if (missing == chosen.end()) return;
  throw InputError(fmt::format("{}: has no sample {}, which was chosen; correct the list", header.path, *missing));
}

void FindSexes(const RecordHeader& header, const StudyOptions& options, ChosenSamples& samples) {
  const Names males = SetOf(options.males), females = SetOf(options.females);
  const auto has = [](const std::vector<bool>& in_file, size_t column) { return !in_file.empty() && in_file[column]; };
  for (size_t s = 0; s < samples.names.size(); ++s) {
    const std::string& name = samples.names[s];
    const size_t column = samples.columns[s];
    const bool is_male = males.contains(name) || has(header.is_male, column);
    samples.is_male.push_back(is_male);
    samples.is_female.push_back(!is_male && (females.contains(name) || has(header.is_female, column)));
  }
}

}  // namespace

ChosenSamples ChooseSamples(const RecordHeader& header, const StudyOptions& options) {
  const Names excluded = SetOf(options.excluded_samples), chosen = SetOf(options.samples);
  ChosenSamples samples;
  size_t num_found = 0;
  for (size_t s = 0; s < header.samples.size(); ++s) {
    const std::string& name = header.samples[s];
    const bool is_excluded = excluded.contains(name);
    num_found += is_excluded ? 1 : 0;
    if (is_excluded || (!chosen.empty() && !chosen.contains(name))) continue;
    samples.columns.push_back(s);
    samples.names.push_back(name);
  }
  CheckChosen(header, options.samples);
  if (samples.names.empty()) throw InputError(header.path + ": all of its samples are excluded; keep some");
  FindSexes(header, options, samples);
  if (num_found < excluded.size()) {
    LogWarning("{}: has only {} of the {} samples to exclude", header.path, num_found, excluded.size());
  }
  return samples;
}

}  // namespace haplospin
