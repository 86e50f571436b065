// The panels for training the imputer.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "genotypes/genomics/sites/site_list.h"
#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

inline constexpr size_t kMinArrayMarkers = 20;      // markers of an array to train on
inline constexpr size_t kMinTrainingMarkers = 100;  // markers of a panel to train on

// A contig of a phased panel in memory.
struct TrainingPanel {
  std::string name;
  HaplotypePanel panel;
  GeneticMap map;
  std::vector<SiteList> arrays;  // site lists of real arrays; none: random arrays
};

struct TrainingSource {
  std::string panel;
  std::string map;                  // empty: 1 cM per Mb
  std::vector<std::string> arrays;  // site lists
};

// Reads "panel=FILE[,map=FILE][,sites=FILE]..."; throws InputError for anything else.
TrainingSource ParseTrainingSource(const std::string& text);

// Reads the panel without the samples in `excluded`. Throws InputError where it has more than one contig, fewer than
// kMinTrainingMarkers markers, or an array has fewer than kMinArrayMarkers of them.
TrainingPanel LoadTrainingPanel(const TrainingSource& source, const std::unordered_set<std::string>& excluded);

// A copy of some samples and the markers [begin, end) at which they differ.
HaplotypePanel SubPanel(const HaplotypePanel& panel, const std::vector<uint32_t>& samples, size_t begin, size_t end);

// A copy of the samples that are not in `excluded`. Throws InputError, which names `path`, if fewer than 2 are left.
HaplotypePanel WithoutSamples(const HaplotypePanel& panel, const std::string& path,
                              const std::unordered_set<std::string>& excluded);

}  // namespace haplospin
