#include "genotypes/imputation/adapt/adapt_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/counted.h"
#include "core/progress.h"
#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/windows.h"
#include "genotypes/imputation/adapt/left_out_window.h"
#include "genotypes/imputation/adapt/population_markers.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/variant_io/genetic_map_file.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/writing/adapted_panel_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kMinTypedToAdapt = 2;   // array sites of a window, without which it is not imputed
constexpr size_t kMarkersOfPiece = 512;  // markers whose probabilities are in memory as floats

// The probabilities of all left-out haplotypes at the markers of a window are in memory, so it is shorter than those
// of imputation.
constexpr WindowLengths kAdaptWindows{.core = 5, .flank = 2};

// Adapts the panel of a contig, or a part of one, to the array, window by window.
class ContigAdapter {
 public:
  ContigAdapter(const AdaptJob& job, const WindowPlan& plan, PanelReader& reader, AdaptCounts& counts)
      : job_(job),
        plan_(plan),
        first_position_(*reader.NextPosition()),
        last_position_(*reader.LastPosition()),
        reader_(reader),
        panel_(reader.StartContig()),
        map_(job.map.empty() ? GeneticMap::Uniform() : LoadGeneticMap(job.map, panel_.contig())),
        folds_(panel_.samples()),
        population_markers_(panel_),
        counts_(counts) {}

  PanelAdaptation Adapt();

 private:
  void AdaptWindow(MarkerRange core);
  void AddCopying(const PanelCopying& copying, size_t sites);
  void AddSite(size_t marker, double switches);
  void AddMarker(size_t marker, const LeftOutWindow::Result& result);

  const AdaptJob& job_;
  const WindowPlan& plan_;
  const int64_t first_position_, last_position_;  // bp
  PanelReader& reader_;
  MutablePanel panel_;
  const GeneticMap map_;
  const Folds folds_;
  PopulationMarkers population_markers_;
  PanelAdaptation adaptation_;
  AdaptedCopying copying_sum_;  // over the array's sites
  size_t copying_sites_ = 0;
  AdaptCounts& counts_;
};

PanelAdaptation ContigAdapter::Adapt() {
  Progress progress("adapting " + panel_.contig(), "Mb", 1e-6 * static_cast<double>(last_position_ - first_position_));
  for (WindowCursor cursor(map_, kAdaptWindows, first_position_);; cursor.Next()) {
    const Window& window = cursor.window();
    panel_.DropBefore(FirstMarkerAtOrAfter(panel_, window.begin_bp));
    const bool has_more = reader_.ReadUntil(window.end_bp, panel_);
    const size_t end = has_more ? FirstMarkerAtOrAfter(panel_, window.core_end_bp + 1) : panel_.num_markers();
    AdaptWindow({FirstMarkerAtOrAfter(panel_, window.core_begin_bp), end});
    if (!has_more) break;
    progress.Set(1e-6 * static_cast<double>(window.core_end_bp - first_position_));
  }
  progress.Finish();
  if (copying_sites_ > 0) {
    const auto sites = static_cast<double>(copying_sites_);
    adaptation_.SetCopying({copying_sum_.mismatch_rate / sites, copying_sum_.unmatched_share / sites});
  }
  adaptation_.SetShares(PanelPopulations(population_markers_.panel()).RelativeShares());
  return std::move(adaptation_);
}

void ContigAdapter::AdaptWindow(MarkerRange core) {
  population_markers_.Add(panel_, core);
  std::vector<uint32_t> typed;
  for (size_t m = 0; m < panel_.num_markers(); ++m) {
    if (!job_.sites->See(panel_.contig(), panel_.marker(m)).empty()) typed.push_back(static_cast<uint32_t>(m));
  }
  auto next_typed = std::ranges::lower_bound(typed, core.begin);
  const auto is_typed = [&](size_t m) { return next_typed != typed.end() && *next_typed == m; };
  if (typed.size() < kMinTypedToAdapt || core.size() == 0) {
    for (size_t m = core.begin; m < core.end; ++m) {
      if (is_typed(m))
        AddSite(*next_typed++, 0);
      else
        AddMarker(m, {});
    }
    return;
  }
  const PanelWindow window(panel_, map_, typed, core);
  const PanelCopying copying = EstimatePanelCopying(window.typed_panel(), window.options());
  AddCopying(copying, static_cast<size_t>(std::ranges::lower_bound(typed, core.end) - next_typed));
  const LeftOutWindow left_out(panel_, map_, folds_, typed, core, plan_);
  for (MarkerRange piece{core.begin, core.begin}; piece.begin < core.end; piece.begin = piece.end) {
    piece.end = std::min(piece.begin + kMarkersOfPiece, core.end);
    const std::vector<LeftOutWindow::Result> results = left_out.Measure(piece);
    for (size_t m = piece.begin; m < piece.end; ++m) {
      if (!is_typed(m)) {
        AddMarker(m, results[m - piece.begin]);
        continue;
      }
      const auto j = static_cast<size_t>(next_typed++ - typed.begin());
      AddSite(m, j == 0 ? 0 : -std::log1p(-double{copying.switch_probability[j - 1]}));
    }
  }
}

void ContigAdapter::AddCopying(const PanelCopying& copying, size_t sites) {
  copying_sum_.mismatch_rate += copying.mismatch_rate * static_cast<double>(sites);
  copying_sum_.unmatched_share += copying.unmatched_share * static_cast<double>(sites);
  copying_sites_ += sites;
}

void ContigAdapter::AddSite(size_t marker, double switches) {
  ++counts_.typed;
  adaptation_.AddArraySite(panel_.marker(marker).position, switches);
}

void ContigAdapter::AddMarker(size_t marker, const LeftOutWindow::Result& result) {
  ++counts_.imputed;
  adaptation_.AddMarker(panel_.marker(marker).position, result.r2, result.error ? &*result.error : nullptr);
  const double frequency = AltFrequency(panel_, marker);
  if (!result.r2 || std::min(frequency, 1 - frequency) < AdaptCounts::kMinMaf) return;
  ++counts_.common;
  counts_.mean_r2 += *result.r2;
}

void CheckSites(const AdaptJob& job, const AdaptCounts& counts, const PanelBlockReader& file) {
  if (counts.typed > 0) return;
  std::set<std::string> contigs;
  for (const WantedSite& site : job.sites->sites()) contigs.insert(site.contig);
  throw InputError(fmt::format(
      "{}: has {}, but none in {}: contigs {} against {}; give the array's sites on the genome build of the "
      "panel",
      job.array, Counted(job.sites->sites().size(), "site"), job.panel,
      JoinNames(std::vector<std::string>(contigs.begin(), contigs.end())), JoinNames(file.index().ContigNames())));
}

}  // namespace

AdaptCounts AdaptPanel(const AdaptJob& job, const WindowPlan& plan) {
  const PanelBlockReader file(job.panel);
  if (const uint64_t version = file.index().version; version != kPanelFileVersion) {
    throw InputError(
        fmt::format("{}: panel file of version {}, to which nothing can be added; build it again from the VCF or BCF "
                    "(haplospin panel "
                    "build), or from itself (haplospin panel view, then panel build)",
                    job.panel, version));
  }
  const size_t samples = file.index().sample_names.size();
  if (samples < kMinSamplesToAdapt) {
    throw InputError(fmt::format("{}: {}, but adapting needs at least {}, which are imputed from each other", job.panel,
                                 Counted(samples, "sample"), kMinSamplesToAdapt));
  }
  AdaptCounts counts{.samples = std::min(samples, kMaxLeftOut)};
  std::vector<PanelAdaptation> adaptations;  // [contigs of the index]
  const std::unique_ptr<PanelReader> reader = OpenPanelFile(job.panel);
  if (!job.map.empty()) CheckMapContigs(job.map, reader->Contigs());
  while (reader->NextContig()) adaptations.push_back(ContigAdapter(job, plan, *reader, counts).Adapt());
  CheckSites(job, counts, file);
  if (counts.common > 0) counts.mean_r2 /= static_cast<double>(counts.common);
  counts.bytes = WriteAdaptedPanelFile(file, job.array, adaptations, job.out).bytes - file.file_bytes();
  return counts;
}

}  // namespace haplospin
