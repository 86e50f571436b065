#include "genotypes/imputation/stages/joint_stage.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/imputation/stages/panel_families.h"
#include "genotypes/imputation/stages/phase_stage.h"
#include "genotypes/imputation/window/study_builder.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// [markers][haplotypes] the probabilities of a table.
std::vector<float> Columns(const WindowDosages& dosages) {
  std::vector<float> columns;
  dosages.alt.CopyColumns(0, dosages.range.size(), columns);
  return columns;
}

// The individuals of study and panel as one study without a panel: those of the study lack what they are not typed at,
// and those of the panel lack a phase.
class JointStudy {
 public:
  // `found` are the dosages of the study, with which the draws begin.
  JointStudy(const PanelWindow& window, const WindowStudy& study, const WindowDosages& found);

  // The dosages of both at the markers that were found.
  WindowDosages Phase(const GeneticMap& map, uint64_t seed) const;

 private:
  MarkerRange Joint(MarkerRange range) const { return {range.begin - markers_.begin, range.end - markers_.begin}; }
  void OrientGuess(MarkerRange range);
  void AddGuess(const WindowDosages& found, std::span<const float> probabilities, size_t m, GenotypeRow& row) const;

  const size_t study_samples_, study_haplotypes_;
  const MarkerRange markers_, found_;  // of the panel: those that take part, and those with dosages
  MutablePanel sites_;                 // [joint markers] without haplotypes
  StudyBuilder builder_;
};

JointStudy::JointStudy(const PanelWindow& window, const WindowStudy& study, const WindowDosages& found)
    : study_samples_(study.samples().num_samples()),
      study_haplotypes_(study.samples().num_haplotypes()),
      markers_(WithTyped(study, found.range)),
      found_(found.range),
      sites_(window.panel().contig(), {}) {
  const HaplotypePanel& panel = window.panel();
  for (size_t s = 0; s < study_samples_; ++s) builder_.Add(study, s);
  for (size_t s = 0; s < panel.samples().num_samples(); ++s) builder_.Add(panel, s);
  std::vector<uint32_t> markers(markers_.size());
  std::iota(markers.begin(), markers.end(), static_cast<uint32_t>(markers_.begin));
  builder_.AddMarkers(markers);
  const std::vector<float> probabilities = Columns(found);
  for (size_t m = markers_.begin; m < markers_.end; ++m) {
    GenotypeRow& row = builder_.row(m - markers_.begin);
    for (size_t s = study_samples_; s < builder_.samples().num_samples(); ++s) builder_.SetPhase(row, s, true, 0);
    AddGuess(found, probabilities, m, row);
    sites_.Append(panel.marker(m), nullptr);
  }
  OrientGuess(Joint(found_));
}

// The order of alleles in the row of an unphased sample is that of an earlier window, if there was one, and is not
// used.
void JointStudy::AddGuess(const WindowDosages& found, std::span<const float> probabilities, size_t m,
                          GenotypeRow& row) const {
  row.guess = row.alleles;
  if (found.range.Contains(m)) {
    const float* p = &probabilities[(m - found.range.begin) * study_haplotypes_];
    for (size_t h = 0; h < study_haplotypes_; ++h) row.guess[h] = p[h] > 0.5f ? 1 : 0;
    return;
  }
  std::replace(row.guess.begin(), row.guess.end(), kMissingAllele, uint8_t{0});
  for (size_t s = 0; s < study_samples_; ++s) {
    if (row.IsUnphased(s))
      std::sort(&row.guess[builder_.samples().first_haplotype[s]],
                &row.guess[builder_.samples().first_haplotype[s + 1]]);
  }
}

// Exchanges the haplotypes of unphased samples so that the first heterozygote of `range` has REF on the first one.
void JointStudy::OrientGuess(MarkerRange range) {
  for (size_t s = 0; s < study_samples_; ++s) {
    const uint32_t h = builder_.samples().first_haplotype[s];
    const auto is_unphased_het = [&](size_t m) {
      const GenotypeRow& row = builder_.row(m);
      return row.IsUnphased(s) && row.alleles[h] != row.alleles[h + 1] && row.guess[h] != row.guess[h + 1];
    };
    size_t first = range.begin;
    while (first < range.end && !is_unphased_het(first)) ++first;
    if (first == range.end || builder_.row(first).guess[h] == 0) continue;
    for (size_t m = range.begin; m < range.end; ++m) std::swap(builder_.row(m).guess[h], builder_.row(m).guess[h + 1]);
  }
}

WindowDosages JointStudy::Phase(const GeneticMap& map, uint64_t seed) const {
  std::vector<WindowStudy::Site> sites;
  for (uint32_t m = 0; m < builder_.markers().size(); ++m) sites.push_back({m, &builder_.row(m)});
  const WindowStudy study(builder_.samples(), std::move(sites));
  const PanelWindow window(sites_, map, study.typed(), Joint(found_));
  WindowState joint(window, study, window.wanted());
  PhaseStage({.options = {.plan = PlanFromStudyAndPanel, .seed = seed}}).Run(joint);
  return *std::move(joint.dosages);
}

// Returns the mean of two pairs of probabilities. Where the phase is not given, the haplotypes of the pairs that belong
// together are those that are most alike at the marker.
std::pair<float, float> MeanOfPairs(const float* a, const float* b, bool is_phased) {
  const float same = std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]);
  const float exchanged = std::abs(a[0] - b[1]) + std::abs(a[1] - b[0]);
  const size_t first = !is_phased && exchanged < same ? 1 : 0;
  return {(a[0] + b[first]) / 2, (a[1] + b[1 - first]) / 2};
}

// Averages the rows of a study's samples with those of the same samples among more haplotypes.
ProbabilityTable Average(const WindowStudy& study, const WindowDosages& found, const WindowDosages& drawn) {
  const std::vector<float> a = Columns(found), b = Columns(drawn);
  ProbabilityTable average(found.num_haplotypes(), found.range.size());
  tbb::parallel_for(size_t{0}, study.samples().num_samples(), [&](size_t s) {
    const uint32_t first = study.samples().first_haplotype[s];
    const bool is_diploid = study.samples().ploidy(s) == 2, is_phased = HasPhase(study, s);
    std::vector<float> rows[2];
    for (size_t m = 0; m < found.range.size(); ++m) {
      const float* pa = &a[m * found.num_haplotypes() + first];
      const float* pb = &b[m * drawn.num_haplotypes() + first];
      const auto mean = is_diploid ? MeanOfPairs(pa, pb, is_phased) : std::pair((pa[0] + pb[0]) / 2, 0.0f);
      rows[0].push_back(mean.first);
      rows[1].push_back(mean.second);
    }
    for (size_t c = 0; c < (is_diploid ? 2 : 1); ++c) average.SetRow(first + c, rows[c]);
  });
  return average;
}

}  // namespace

bool IsSmallHerd(const WindowState& window, const JointOptions& options) {
  if (!window.is_scaled()) return false;
  const size_t haplotypes = window.panel.panel().num_haplotypes() + window.study.samples().num_haplotypes();
  if (haplotypes * WithTyped(window.study, window.core).size() > options.max_alleles) return false;
  return !options.has_families || !PanelFamilies(window.panel, window.study).HasAllParents();
}

void JointStage::Run(WindowState& window) const {
  const JointStudy joint(window.copied(), window.study, *window.dosages);
  window.dosages->alt = Average(window.study, *window.dosages, joint.Phase(window.copied().map(), options_.seed));
}

}  // namespace haplospin
