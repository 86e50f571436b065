#include "learning/imputer_training/training_data.h"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <utility>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/genomics/sample_subset.h"
#include "genotypes/variant_io/genetic_map_file.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/site_list_file.h"
#include "haplospin/errors.h"

namespace haplospin {

TrainingSource ParseTrainingSource(const std::string& text) {
  TrainingSource source;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const size_t equals = part.find('=');
    const std::string key = part.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    if (key == "panel" && !value.empty() && source.panel.empty()) {
      source.panel = value;
    } else if (key == "map" && !value.empty() && source.map.empty()) {
      source.map = value;
    } else if (key == "sites" && !value.empty()) {
      source.arrays.push_back(value);
    } else {
      throw InputError(fmt::format("train: --data is '{}', but must be panel=FILE[,map=FILE][,sites=FILE]...", text));
    }
    begin = end + 1;
  }
  if (source.panel.empty()) {
    throw InputError(fmt::format("train: --data is '{}', but needs panel=FILE", text));
  }
  return source;
}

HaplotypePanel SubPanel(const HaplotypePanel& panel, const std::vector<uint32_t>& samples, size_t begin, size_t end) {
  const SampleSubset subset(panel.samples(), samples);
  MutablePanel sub(panel.contig(), subset.samples());
  for (size_t m = begin; m < end; ++m) {
    const std::vector<uint64_t> bits = subset.Bits(panel, m);
    size_t count = 0;
    for (const uint64_t word : bits) count += static_cast<size_t>(std::popcount(word));
    if (count > 0 && count < subset.num_haplotypes()) sub.Append(panel.marker(m), bits.data());
  }
  return sub;
}

HaplotypePanel WithoutSamples(const HaplotypePanel& panel, const std::string& path,
                              const std::unordered_set<std::string>& excluded) {
  std::vector<uint32_t> kept;
  for (size_t s = 0; s < panel.samples().num_samples(); ++s) {
    if (!excluded.contains(panel.samples().names[s])) kept.push_back(static_cast<uint32_t>(s));
  }
  if (kept.size() < 2) throw InputError(path + ": fewer than 2 samples are left for training; exclude fewer");
  return SubPanel(panel, kept, 0, panel.num_markers());
}

namespace {

SiteList LoadArray(const std::string& path, const std::string& panel_path, const HaplotypePanel& panel) {
  SiteList sites = LoadSiteList(path);
  size_t shared = 0;
  for (size_t m = 0; m < panel.num_markers(); ++m) shared += sites.Contains(panel.contig(), panel.marker(m).position);
  if (shared < kMinArrayMarkers) {
    throw InputError(
        fmt::format("{}: {} of its sites are in {}; give a list with at least {}, on the genome build of the panel",
                    path, shared, panel_path, kMinArrayMarkers));
  }
  return sites;
}

}  // namespace

TrainingPanel LoadTrainingPanel(const TrainingSource& source, const std::unordered_set<std::string>& excluded) {
  const auto reader = OpenPanel(source.panel);
  MutablePanel panel = reader->StartContig();
  reader->ReadUntil(INT64_MAX, panel);
  TrainingPanel training{source.panel,
                         WithoutSamples(panel, source.panel, excluded),
                         source.map.empty() ? GeneticMap::Uniform() : LoadGeneticMap(source.map, panel.contig()),
                         {}};
  if (training.panel.num_markers() < kMinTrainingMarkers) {
    throw InputError(fmt::format("{}: has {} polymorphic markers; give a panel with at least {}", source.panel,
                                 training.panel.num_markers(), kMinTrainingMarkers));
  }
  if (const std::optional<std::string> other = reader->NextContig()) {
    throw InputError(fmt::format("{}: has contigs {} and {}; give panels of one contig each, with --data once for each",
                                 source.panel, *other, training.panel.contig()));
  }
  for (const std::string& path : source.arrays)
    training.arrays.push_back(LoadArray(path, source.panel, training.panel));
  return training;
}

}  // namespace haplospin
