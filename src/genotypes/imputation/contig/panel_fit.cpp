#include "genotypes/imputation/contig/panel_fit.h"

#include <algorithm>
#include <utility>

#include "core/progress.h"
#include "genotypes/imputation/contig/contig_buffer.h"
#include "genotypes/imputation/contig/shared_parts.h"
#include "genotypes/imputation/stages/phase_stage.h"
#include "genotypes/variant_io/reading/panel_reader.h"

namespace haplospin {
namespace {

constexpr size_t kMaxSamples = 16;
constexpr size_t kMinSites = 100, kMaxSites = 2000;
constexpr int64_t kPiece = 1 << 20;  // bp

// Opens the study with at most kMaxSamples evenly spaced samples.
StudyReader OpenSomeSamples(const PanelFitOptions& options) {
  StudyOptions study{.phase_sets = true,
                     .filters = options.filters,
                     .open = options.open,
                     .males = options.males,
                     .females = options.females};
  const std::vector<std::string> names = StudyReader(options.study, study).sample_names();
  const size_t count = std::min(names.size(), kMaxSamples);
  for (size_t s = 0, k = 0; s < names.size(); ++s) {
    if (k < count && s == k * names.size() / count) {
      ++k;
    } else {
      study.excluded_samples.push_back(names[s]);
    }
  }
  return StudyReader(options.study, std::move(study));
}

void ReadSites(PanelReader& panel, ContigBuffer& buffer) {
  while (!buffer.panel_ended() && buffer.NumTyped() < kMaxSites) {
    const int64_t next = panel.NextPosition().value_or(INT64_MAX - kPiece);
    buffer.ReadUntil(std::min(next, INT64_MAX - kPiece) + kPiece);
  }
}

}  // namespace

std::optional<StudyFit> MeasurePanelFit(const PanelFitOptions& options) {
  PanelContigs panel(options.panel);
  StudyReader study = OpenSomeSamples(options);
  std::optional<Region> region;
  if (!options.contig.empty()) region = Region{.contig = options.contig};
  if (!SharedParts(study, panel, options.regions, region, /*is_quiet=*/true).Next()) return std::nullopt;
  ContigBuffer buffer(panel.reader(), study);
  ReadSites(panel.reader(), buffer);
  if (buffer.NumTyped() < kMinSites || buffer.samples().num_samples() == 0) return std::nullopt;
  Progress progress("comparing haplotypes", "samples", static_cast<double>(buffer.samples().num_samples()));
  const WindowStudy typed_study = buffer.Typed(INT64_MAX, 0, 0, 0, [&](double samples) { progress.Advance(samples); });
  const GeneticMap map = GeneticMap::Uniform();
  const PanelWindow window(buffer.panel(), map, typed_study.typed(), {});
  const StudyFit fit = FitWindow(window, typed_study);
  return fit.panel_switches > 0 ? std::optional(fit) : std::nullopt;
}

}  // namespace haplospin
