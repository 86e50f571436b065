#include "genotypes/assessment/sample_matching.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// The samples that are among others, and those that are not, each in their order.
struct Comparison {
  std::vector<std::string> shared, lacking;
};

Comparison Compare(std::span<const std::string> samples, std::span<const std::string> others) {
  const std::unordered_set<std::string_view> names(others.begin(), others.end());
  Comparison comparison;
  for (const std::string& sample : samples) {
    (names.contains(sample) ? comparison.shared : comparison.lacking).push_back(sample);
  }
  return comparison;
}

void CheckHasChosen(const FileSamples& file, std::span<const std::string> chosen) {
  const std::vector<std::string> lacking = Compare(chosen, file.names).lacking;
  if (lacking.empty()) return;
  throw InputError(
      fmt::format("{}: does not have {} of the {} samples of --samples: {}; give names that "
                  "`bcftools query -l` prints for every file",
                  file.path, lacking.size(), chosen.size(), JoinNames(lacking, kSamplesShown)));
}

// Appends "imputed.vcf lacks 2 of the 240 samples of truth.vcf: A, B" where it does.
void DescribeLacking(const FileSamples& file, const FileSamples& other, std::vector<std::string>& texts) {
  const std::vector<std::string> lacking = Compare(other.names, file.names).lacking;
  if (lacking.empty()) return;
  texts.push_back(fmt::format("{} lacks {} of the {} samples of {}: {}", file.path, lacking.size(), other.names.size(),
                              other.path, JoinNames(lacking, kSamplesShown)));
}

void WarnOfOthers(const FileSamples& truth, std::span<const FileSamples> files, size_t num_shared) {
  std::vector<std::string> texts;
  for (const FileSamples& file : files) {
    DescribeLacking(file, truth, texts);
    DescribeLacking(truth, file, texts);
  }
  if (texts.empty()) return;
  LogWarning("only the {} scored; {}",
             num_shared == 1 ? "1 sample that all files have is"
                             : fmt::format("{} samples that all files have are", num_shared),
             fmt::join(texts, "; "));
}

}  // namespace

std::vector<std::string> SamplesToScore(const FileSamples& truth, std::span<const FileSamples> files,
                                        std::span<const std::string> chosen) {
  if (!chosen.empty()) {
    CheckHasChosen(truth, chosen);
    for (const FileSamples& file : files) CheckHasChosen(file, chosen);
    return Compare(truth.names, chosen).shared;
  }
  std::vector<std::string> shared = truth.names;
  for (const FileSamples& file : files) {
    std::vector<std::string> remaining = Compare(shared, file.names).shared;
    if (remaining.empty()) {
      throw InputError(fmt::format(
          "{}: has none of the {} samples to score ({}), but {}; name the samples as in {} (`bcftools query -l` prints "
          "the names, `bcftools reheader -s` changes them)",
          file.path, shared.size(), JoinNames(shared, kSamplesShown), JoinNames(file.names, kSamplesShown),
          truth.path));
    }
    shared = std::move(remaining);
  }
  WarnOfOthers(truth, files, shared.size());
  return shared;
}

}  // namespace haplospin
