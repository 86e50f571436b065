#include "selfcheck/mosaic.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/random.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr double kSwappedShare = 0.2;  // share of markers whose minor allele is REF

// Returns the founder that each haplotype copies at each marker: [haplotypes][markers].
std::vector<std::vector<size_t>> DrawPaths(const MosaicOptions& options, RandomStream& random) {
  const double centimorgans = 1e-6 * static_cast<double>(options.spacing_bp);
  const double switching = 1 - std::exp(-options.switches_per_cm * centimorgans);
  std::vector<std::vector<size_t>> paths(options.haplotypes, std::vector<size_t>(options.markers));
  for (auto& path : paths) {
    size_t founder = random.UniformInt(options.founders);
    for (size_t m = 0; m < options.markers; ++m) {
      if (random.Bernoulli(m == options.hotspot ? 0.5 : switching)) founder = random.UniformInt(options.founders);
      path[m] = founder;
    }
  }
  return paths;
}

bool Differs(const Mosaic& mosaic, size_t m) {
  return std::ranges::any_of(mosaic.alleles, [&](const auto& row) { return row[m] != mosaic.alleles[0][m]; });
}

void DrawCommon(const MosaicOptions& options, const std::vector<std::vector<size_t>>& paths, size_t m,
                RandomStream& random, Mosaic& mosaic) {
  std::vector<uint8_t> founders(options.founders);
  const double frequency = 0.1 + 0.8 * random.Uniform();
  for (uint8_t& allele : founders) allele = random.Bernoulli(frequency);
  for (size_t h = 0; h < paths.size(); ++h) {
    mosaic.alleles[h][m] = founders[paths[h][m]] ^ static_cast<uint8_t>(random.Bernoulli(options.mutation_rate));
  }
}

// Carriers copy the same founder there.
void DrawRare(const std::vector<std::vector<size_t>>& paths, size_t m, RandomStream& random, Mosaic& mosaic) {
  for (auto& row : mosaic.alleles) row[m] = 0;
  const size_t first = random.UniformInt(paths.size());
  size_t more = random.UniformInt(std::min<size_t>(5, std::max<size_t>(paths.size() / 2, 1)));
  mosaic.alleles[first][m] = 1;
  for (size_t h = 0; h < paths.size() && more > 0; ++h) {
    if (h == first || paths[h][m] != paths[first][m]) continue;
    mosaic.alleles[h][m] = 1;
    --more;
  }
}

}  // namespace

Mosaic SimulateMosaic(const MosaicOptions& options) {
  RandomStream random(options.seed);
  const auto paths = DrawPaths(options, random);
  Mosaic mosaic{{}, std::vector(options.haplotypes, std::vector<uint8_t>(options.markers))};
  for (size_t m = 0; m < options.markers; ++m) {
    const auto position = static_cast<int64_t>(m + 1) * options.spacing_bp;
    mosaic.markers.push_back({position, "rs" + std::to_string(position), m % 2 == 0 ? "A" : "C", "G"});
    if (!random.Bernoulli(options.rare_share)) DrawCommon(options, paths, m, random, mosaic);
    if (!Differs(mosaic, m)) DrawRare(paths, m, random, mosaic);
    if (random.Bernoulli(kSwappedShare)) {
      for (auto& row : mosaic.alleles) row[m] ^= 1;
    }
  }
  return mosaic;
}

SampleTable MakeSamples(const std::string& prefix, std::span<const int> ploidies) {
  SampleTable samples{{}, {0}};
  for (const int ploidy : ploidies) samples.Add(prefix + std::to_string(samples.num_samples()), ploidy);
  return samples;
}

SampleTable DiploidSamples(const std::string& prefix, size_t count) {
  return MakeSamples(prefix, std::vector<int>(count, 2));
}

HaplotypePanel MakePanel(const Mosaic& mosaic, SampleTable samples, size_t first) {
  std::vector<uint8_t> alleles(samples.num_haplotypes());
  HS_ASSERT(first + alleles.size() <= mosaic.alleles.size());
  HaplotypePanelBuilder panel("20", std::move(samples));
  for (size_t m = 0; m < mosaic.markers.size(); ++m) {
    for (size_t h = 0; h < alleles.size(); ++h) alleles[h] = mosaic.alleles[first + h][m];
    panel.AddMarker(mosaic.markers[m], alleles);
  }
  return panel.Build();
}

std::vector<uint32_t> CommonMarkers(const HaplotypePanel& panel, size_t step) {
  std::vector<uint32_t> common;
  for (size_t m = 0; m < panel.num_markers(); m += step) {
    const size_t alt = panel.alt_count(m);
    if (10 * std::min(alt, panel.num_haplotypes() - alt) >= panel.num_haplotypes()) {
      common.push_back(static_cast<uint32_t>(m));
    }
  }
  return common;
}

SimulatedStudy::SimulatedStudy(SampleTable sample_table, std::vector<uint32_t> typed_markers,
                               std::span<const std::vector<uint8_t>> haplotypes)
    : samples(std::move(sample_table)), typed(std::move(typed_markers)) {
  HS_ASSERT(samples.num_haplotypes() == haplotypes.size());
  for (const uint32_t m : typed) {
    std::vector<uint8_t>& alleles = rows.emplace_back().alleles;
    for (const auto& haplotype : haplotypes) alleles.push_back(haplotype[m]);
  }
}

WindowStudy SimulatedStudy::View(WindowStudy::Progress on_progress) const {
  std::vector<WindowStudy::Site> sites;
  for (size_t j = 0; j < typed.size(); ++j) sites.push_back({typed[j], &rows[j]});
  return {samples, std::move(sites), {}, std::move(on_progress)};
}

}  // namespace haplospin
