#include "genotypes/imputation/stages/joint_imputation.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/imputation/stages/phase_window.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// The samples of the study, and after them those of the panel.
SampleTable JoinSamples(SampleTable study, const SampleTable& panel) {
  const uint32_t first = study.first_haplotype.back();
  study.names.insert(study.names.end(), panel.names.begin(), panel.names.end());
  for (size_t s = 1; s < panel.first_haplotype.size(); ++s) {
    study.first_haplotype.push_back(first + panel.first_haplotype[s]);
  }
  return study;
}

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
  GenotypeRow StudyRow(const WindowStudy& study, size_t m) const;
  void OrientGuess(MarkerRange range);
  void AddGuess(const WindowDosages& found, std::span<const float> probabilities, size_t m, GenotypeRow& row) const;

  const size_t study_samples_, study_haplotypes_;
  const MarkerRange markers_, found_;  // of the panel: those that take part, and those with dosages
  const SampleTable samples_;
  MutablePanel sites_;            // without haplotypes
  std::deque<GenotypeRow> rows_;  // [joint markers]
};

JointStudy::JointStudy(const PanelWindow& window, const WindowStudy& study, const WindowDosages& found)
    : study_samples_(study.samples().num_samples()),
      study_haplotypes_(study.samples().num_haplotypes()),
      markers_(WithTyped(study, found.range)),
      found_(found.range),
      samples_(JoinSamples(study.samples(), window.panel().samples())),
      sites_(window.panel().contig(), {}) {
  const std::vector<float> probabilities = Columns(found);
  for (size_t m = markers_.begin; m < markers_.end; ++m) {
    GenotypeRow& row = rows_.emplace_back(StudyRow(study, m));
    for (size_t h = 0; h < window.panel().num_haplotypes(); ++h) {
      row.alleles.push_back(static_cast<uint8_t>(window.panel().allele(m, h)));
    }
    row.unphased.resize(study_samples_);
    row.unphased.resize(samples_.num_samples(), 1);
    if (!row.phase_sets.empty()) row.phase_sets.resize(samples_.num_samples());
    AddGuess(found, probabilities, m, row);
    sites_.Append(window.panel().marker(m), nullptr);
  }
  OrientGuess(Joint(found_));
}

// The row of a panel marker, of the study's samples alone.
GenotypeRow JointStudy::StudyRow(const WindowStudy& study, size_t m) const {
  const auto at = std::ranges::lower_bound(study.typed(), static_cast<uint32_t>(m));
  if (at == study.typed().end() || *at != m) return MissingRow(study.samples());
  return study.row(static_cast<size_t>(at - study.typed().begin()));
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
      std::sort(&row.guess[samples_.first_haplotype[s]], &row.guess[samples_.first_haplotype[s + 1]]);
  }
}

// Exchanges the haplotypes of unphased samples so that the first heterozygote of `range` has REF on the first one.
void JointStudy::OrientGuess(MarkerRange range) {
  for (size_t s = 0; s < study_samples_; ++s) {
    const uint32_t h = samples_.first_haplotype[s];
    const auto is_unphased_het = [&](size_t m) {
      const GenotypeRow& row = rows_[m];
      return row.IsUnphased(s) && row.alleles[h] != row.alleles[h + 1] && row.guess[h] != row.guess[h + 1];
    };
    size_t first = range.begin;
    while (first < range.end && !is_unphased_het(first)) ++first;
    if (first == range.end || rows_[first].guess[h] == 0) continue;
    for (size_t m = range.begin; m < range.end; ++m) std::swap(rows_[m].guess[h], rows_[m].guess[h + 1]);
  }
}

WindowDosages JointStudy::Phase(const GeneticMap& map, uint64_t seed) const {
  std::vector<WindowStudy::Site> sites;
  for (uint32_t m = 0; m < rows_.size(); ++m) sites.push_back({m, &rows_[m]});
  const WindowStudy study(samples_, std::move(sites));
  const PanelWindow window(sites_, map, study.typed(), Joint(found_));
  return PhaseWindow(window, study, {.source = PhasingSource::kStudyAndPanel, .seed = seed});
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

bool IsJointWindow(const PanelWindow& window, const WindowStudy& study, MarkerRange core, size_t max_alleles) {
  const size_t haplotypes = window.panel().num_haplotypes() + study.samples().num_haplotypes();
  return haplotypes * WithTyped(study, core).size() <= max_alleles;
}

void AverageWithJoint(const PanelWindow& window, const WindowStudy& study, uint64_t seed, WindowDosages& dosages) {
  const JointStudy joint(window, study, dosages);
  dosages.alt = Average(study, dosages, joint.Phase(window.map(), seed));
}

}  // namespace haplospin
