// The markers of a study that its panel does not have, as a window of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/imputation/contig/contig_buffer.h"
#include "genotypes/imputation/plan/window_plan.h"
#include "genotypes/imputation/window/window_state.h"
#include "haplospin/genetic_map.h"

namespace haplospin {

// Samples from which on missing genotypes of such markers are imputed: fewer have too few haplotypes in common.
inline constexpr size_t kMinSamplesOfStudyOnly = 20;

// Markers from `first` to `last`, bp, are imputed; those up to `end` tell which samples share a haplotype.
struct StudyOnlyRange {
  int64_t first, last, end;
};

// The panel of the window are the study's markers, without haplotypes.
class StudyOnlyWindow {
 public:
  // `to_impute` are study markers, ascending. The buffer and the map must outlive the window.
  StudyOnlyWindow(const ContigBuffer& buffer, const GeneticMap& map, int64_t end, const std::vector<size_t>& to_impute);

  size_t num_markers() const { return sites_.num_markers(); }

  // Does what the plan says.
  void Run(const WindowPlan& plan) { plan.Run(*window_); }

  const WindowState& window() const { return *window_; }
  const WindowDosages& dosages() const { return *window_->dosages; }

  // [study markers] that of the dosages, or kNotInPanel where nothing is imputed.
  const std::vector<uint32_t>& markers() const { return imputed_; }
  uint32_t marker(size_t s) const { return imputed_[s]; }

 private:
  MutablePanel sites_;
  std::vector<uint32_t> imputed_;
  std::optional<WindowStudy> study_;
  std::optional<PanelWindow> panel_;
  std::optional<WindowState> window_;
};

// Returns a window with the study's markers that the panel does not have and that have missing genotypes, before
// anything is found. Returns null if there are no such markers, too few samples, or more than `max_markers` of the
// study up to range.end.
std::unique_ptr<StudyOnlyWindow> FindStudyOnly(const ContigBuffer& buffer, const GeneticMap& map,
                                               const StudyOnlyRange& range, size_t max_markers);

}  // namespace haplospin
