#include "assessment/mask_samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/random.h"
#include "genomics/sites/contig_names.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kAbsentShown = 3;

// Entry s is true if sample s is in the study.
std::vector<bool> DrawStudy(const MaskOptions& options, size_t num_samples) {
  if (options.num_study_samples >= num_samples) {
    throw InputError(fmt::format("{}: has {} samples; if {} of them are drawn, no reference is left; draw fewer",
                                 options.panel, num_samples, options.num_study_samples));
  }
  RandomStream random(options.seed, {MaskStream::kSamples});
  const auto order = RandomOrder<size_t>(num_samples, random);
  std::vector<bool> is_study(num_samples, false);
  for (size_t i = 0; i < options.num_study_samples; ++i) is_study[order[i]] = true;
  return is_study;
}

std::vector<bool> FindStudy(const MaskOptions& options, const std::vector<std::string>& names) {
  std::vector<std::string> wanted = options.study_samples;
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::vector<bool> is_study(names.size(), false);
  for (size_t s = 0; s < names.size(); ++s) is_study[s] = std::ranges::binary_search(wanted, names[s]);
  std::erase_if(wanted, [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); });
  if (!wanted.empty()) {
    throw InputError(fmt::format("{}: {} of the study's samples are not in the panel: {}; correct --samples",
                                 options.panel, wanted.size(), JoinNames(wanted, kAbsentShown)));
  }
  if (std::ranges::find(is_study, false) == is_study.end()) {
    throw InputError(fmt::format("{}: all {} samples are in the study, so that no reference is left; list fewer",
                                 options.panel, names.size()));
  }
  return is_study;
}

}  // namespace

MaskSamples ChooseSamples(const MaskOptions& options, const std::vector<std::string>& names) {
  const std::vector<bool> is_study =
      options.study_samples.empty() ? DrawStudy(options, names.size()) : FindStudy(options, names);
  MaskSamples samples;
  for (size_t s = 0; s < names.size(); ++s) {
    (is_study[s] ? samples.study : samples.reference).push_back(static_cast<uint32_t>(s));
  }
  return samples;
}

}  // namespace haplospin
