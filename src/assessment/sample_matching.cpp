#include "assessment/sample_matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "genomics/sites/contig_names.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kNamesShown = 3;

// Throws if `file` lacks a sample of `other`.
void CheckHasAll(const FileSamples& file, const FileSamples& other) {
  std::vector<std::string> sorted(file.names.begin(), file.names.end()), lacking;
  std::ranges::sort(sorted);
  std::ranges::copy_if(other.names, std::back_inserter(lacking),
                       [&](const std::string& name) { return !std::ranges::binary_search(sorted, name); });
  if (lacking.empty()) return;
  throw InputError(
      fmt::format("{}: {} of the {} samples of {} are missing: {}; give both files the same samples (bcftools view -S)",
                  file.path, lacking.size(), other.names.size(), other.path, JoinNames(lacking, kNamesShown)));
}

}  // namespace

std::vector<size_t> MatchSamples(const FileSamples& truth, const FileSamples& file) {
  CheckHasAll(file, truth);
  CheckHasAll(truth, file);
  std::unordered_map<std::string, size_t> index;
  for (size_t i = 0; i < file.names.size(); ++i) index.emplace(file.names[i], i);
  std::vector<size_t> order;
  for (const std::string& name : truth.names) order.push_back(index.at(name));
  return order;
}

}  // namespace haplospin
