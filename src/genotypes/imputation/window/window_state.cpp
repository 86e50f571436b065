#include "genotypes/imputation/window/window_state.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Returns columns [begin, end) of a table.
ProbabilityTable Columns(const ProbabilityTable& table, size_t begin, size_t end) {
  std::vector<float> columns;
  table.CopyColumns(begin, end, columns);
  const size_t rows = table.num_haplotypes();
  ProbabilityTable part(rows, end - begin);
  for (size_t h = 0; h < rows; ++h) {
    std::vector<float> row(end - begin);
    for (size_t m = 0; m < row.size(); ++m) row[m] = columns[m * rows + h];
    part.SetRow(h, row);
  }
  return part;
}

}  // namespace

WindowState WindowState::Of(const WindowStudy& other) const {
  WindowState window(copied(), other, core);
  window.map_ = map_;
  window.estimates = estimates;
  return window;
}

void WindowState::Scale(double factor) {
  HS_ASSERT(map_ == nullptr);
  map_ = std::make_shared<const GeneticMap>(panel.map().Scaled(factor));
  copied_ = std::make_unique<const PanelWindow>(copied(), *map_, found());
}

void WindowState::FindCore() {
  HS_ASSERT(!dosages);
  if (found() == core) return;
  copied_ = std::make_unique<const PanelWindow>(copied(), copied().map(), core);
}

void WindowState::KeepWanted() {
  const MarkerRange wanted = panel.wanted(), all = dosages->range;
  if (all == wanted) return;
  WindowDosages part(wanted, 0);
  part.alt = Columns(dosages->alt, wanted.begin - all.begin, wanted.end - all.begin);
  if (dosages->animals) part.animals = Columns(*dosages->animals, wanted.begin - all.begin, wanted.end - all.begin);
  if (dosages->typed) {
    const std::vector<uint32_t>& markers = dosages->typed->markers;
    const auto begin = std::ranges::lower_bound(markers, wanted.begin) - markers.begin();
    const auto end = std::ranges::lower_bound(markers, wanted.end) - markers.begin();
    TypedProbabilities typed({markers.begin() + begin, markers.begin() + end}, 0);
    typed.left_out = Columns(dosages->typed->left_out, static_cast<size_t>(begin), static_cast<size_t>(end));
    if (dosages->typed->phase)
      typed.phase = Columns(*dosages->typed->phase, static_cast<size_t>(begin), static_cast<size_t>(end));
    part.typed = std::move(typed);
  }
  dosages = std::move(part);
}

}  // namespace haplospin
