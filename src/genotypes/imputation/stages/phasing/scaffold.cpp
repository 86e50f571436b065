#include "genotypes/imputation/stages/phasing/scaffold.h"

#include <algorithm>
#include <utility>

namespace haplospin {
namespace {

constexpr size_t kFewestMarkers = 2;
constexpr double kRounding = 1e-6;  // of a number of copies

std::vector<uint32_t> FrequentMarkers(const WindowStudy& study, size_t min_count) {
  std::vector<uint32_t> markers;
  for (uint32_t j = 0; j < study.num_typed(); ++j) {
    const auto haplotypes = static_cast<double>(study.alleles(j).size());
    if (FindMinorAllele(study, j).frequency() * haplotypes >= static_cast<double>(min_count) - kRounding) {
      markers.push_back(j);
    }
  }
  return markers;
}

}  // namespace

Scaffold::Scaffold(const PanelWindow& all_markers, const WindowStudy& all, std::vector<uint32_t> chosen)
    : markers(std::move(chosen)),
      study(all.At(markers)),
      window(all_markers.panel(), all_markers.map(), study.typed(), all_markers.wanted()) {}

std::unique_ptr<const Scaffold> MakeScaffold(const PanelWindow& window, const WindowStudy& study, size_t min_count) {
  std::vector<uint32_t> markers = FrequentMarkers(study, min_count);
  if (markers.size() < kFewestMarkers || markers.size() == study.num_typed()) return nullptr;
  return std::make_unique<const Scaffold>(window, study, std::move(markers));
}

MinorAllele FindMinorAllele(const WindowStudy& study, size_t j) {
  const auto ones = static_cast<size_t>(std::ranges::count(study.alleles(j), uint8_t{1}));
  const auto zeros = static_cast<size_t>(std::ranges::count(study.alleles(j), uint8_t{0}));
  return ones <= zeros ? MinorAllele{1, ones, ones + zeros} : MinorAllele{0, zeros, ones + zeros};
}

std::vector<float> AltFrequencies(const WindowStudy& study) {
  std::vector<float> frequency;
  frequency.reserve(study.num_typed());
  for (size_t j = 0; j < study.num_typed(); ++j) {
    const MinorAllele minor = FindMinorAllele(study, j);
    frequency.push_back(static_cast<float>(minor.allele == 1 ? minor.frequency() : 1 - minor.frequency()));
  }
  return frequency;
}

}  // namespace haplospin
