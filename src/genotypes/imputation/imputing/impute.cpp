#include "haplospin/impute.h"

#include <fmt/format.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

#include "core/install_paths.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/genomics/sites/reference_sites.h"
#include "genotypes/imputation/imputing/cpu_backend.h"
#include "genotypes/imputation/imputing/impute_window.h"
#include "genotypes/imputation/window/allele_sums.h"

namespace haplospin {
namespace {

// A table of a study that may be empty, or have empty rows.
template <typename Value>
void CheckTable(const StudyGenotypes& study, const std::vector<std::vector<Value>>& rows, const char* name) {
  if (!rows.empty() && rows.size() != study.markers.size()) {
    throw InputError(fmt::format("study: {} markers, but {} rows of {}; give one for each marker, or none",
                                 study.markers.size(), rows.size(), name));
  }
  for (const std::vector<Value>& row : rows) {
    if (!row.empty() && row.size() != study.samples.num_samples()) {
      throw InputError(fmt::format("study: a row of {} has {} samples; give all {}, or none", name, row.size(),
                                   study.samples.num_samples()));
    }
  }
}

void CheckStudy(const StudyGenotypes& study) {
  study.samples.Check("the study");
  if (study.alleles.size() != study.markers.size()) {
    throw InputError(fmt::format("study: {} markers, but alleles of {}; give one row of alleles for each marker",
                                 study.markers.size(), study.alleles.size()));
  }
  CheckTable(study, study.unphased, "unphased genotypes");
  CheckTable(study, study.phase_sets, "phase sets");
  for (size_t s = 0; s < study.markers.size(); ++s) {
    if (s > 0 && study.markers[s].position < study.markers[s - 1].position) {
      throw InputError(fmt::format("study: marker {} lies before the one it follows; sort the markers by position", s));
    }
    if (study.alleles[s].size() != study.samples.num_haplotypes()) {
      throw InputError(fmt::format("study: marker {} has {} alleles; give one for each of the {} haplotypes", s,
                                   study.alleles[s].size(), study.samples.num_haplotypes()));
    }
    if (std::ranges::any_of(study.alleles[s], [](uint8_t allele) { return allele > kMissingAllele; })) {
      throw InputError(
          fmt::format("study: marker {} has an allele that is not 0, 1 or {} (missing)", s, kMissingAllele));
    }
  }
}

// The study's alleles at the markers that the panel has, coded as in the panel.
WindowStudy TypedStudy(const HaplotypePanel& panel, StudyGenotypes& study) {
  if (!SameContig(panel.contig(), study.contig)) {
    throw InputError(fmt::format("the panel is of contig {}, but the study of {}; give the panel of the study's contig",
                                 panel.contig(), study.contig));
  }
  AddReferenceSites(study, 0, panel);
  const PanelAlignment alignment = AlignToPanel(study, panel);
  if (alignment.counts.matched == 0) {
    throw InputError(
        NoSharedSiteMessage(alignment.counts, {"the study", {study.contig}}, {"the panel", {panel.contig()}}));
  }
  UsePanelAlleles(alignment, study);
  return TypedSites(study.samples, alignment.panel_marker, [&](size_t s) { return RowOf(study, s); });
}

ImputedDosages ToFloats(const WindowDosages& dosages, const HaplotypePanel& panel, const WindowStudy& study) {
  constexpr size_t kMarkersAtATime = 256;
  const size_t markers = dosages.range.size();
  ImputedDosages result(*study.samples, markers);
  std::vector<const std::vector<uint8_t>*> typed(markers);
  for (size_t i = 0; i < study.typed.size(); ++i) typed[study.typed[i]] = study.rows[i];
  std::vector<float> columns;
  for (size_t first = 0, last; first < markers; first = last) {
    last = EndOfPosition(panel, std::min(first + kMarkersAtATime, markers));
    dosages.alt.CopyColumns(first, last, columns);
    LimitAlleleSums(panel, {first, last}, std::span(typed).subspan(first, last - first), columns);
    const float* column = columns.data();
    for (size_t m = first; m < last; ++m, column += result.num_haplotypes()) {
      for (size_t h = 0; h < result.num_haplotypes(); ++h) result.haplotype(h)[m] = column[h];
    }
  }
  return result;
}

}  // namespace

ImputedDosages::ImputedDosages(const SampleTable& samples, size_t num_markers)
    : first_haplotype_(samples.first_haplotype),
      num_markers_(num_markers),
      values_(samples.num_haplotypes() * num_markers) {}

float ImputedDosages::Dosage(size_t sample, size_t marker) const {
  float sum = 0;
  for (uint32_t h = first_haplotype_[sample]; h < first_haplotype_[sample + 1]; ++h) sum += probability(h, marker);
  return sum;
}

ImputedDosages Impute(const HaplotypePanel& panel, const StudyGenotypes& study, const GeneticMap& map,
                      const ImputeOptions& options) {
  if (options.threads < 0) throw InputError(fmt::format("threads: {} is negative; 0 is all cores", options.threads));
  CheckStudy(study);
  StudyGenotypes coded = study;  // receives the coding of the panel
  const WindowStudy view = TypedStudy(panel, coded);
  const std::string model = options.model.empty() ? ModelsFolder() + "/imputer.safetensors" : options.model;
  const auto backend = MakeCpuBackend(LoadImputerWeights(model));
  tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
  return arena.execute([&] {
    const PanelWindow window(panel, map, view.typed, {0, panel.num_markers()});
    return ToFloats(ImputeWindow({window, view, window.wanted()}, *backend), panel, view);
  });
}

}  // namespace haplospin
