#include "genotypes/imputation/window/window_study.h"

#include <algorithm>
#include <utility>

#include "genotypes/genomics/sites/panel_alignment.h"

namespace haplospin {

bool WindowStudy::IsOutbred() const {
  double heterozygous = 0, expected = 0;
  for (const std::vector<uint8_t>* row : rows) {
    size_t called = 0, alt = 0, different = 0;
    for (size_t s = 0; s < samples->num_samples(); ++s) {
      if (samples->ploidy(s) != 2) continue;
      const uint8_t first = (*row)[samples->first_haplotype[s]], second = (*row)[samples->first_haplotype[s] + 1];
      if (first == kMissingAllele || second == kMissingAllele) continue;
      ++called;
      alt += size_t{first} + second;
      different += first != second ? 1 : 0;
    }
    if (called == 0) continue;
    const double frequency = static_cast<double>(alt) / static_cast<double>(2 * called);
    heterozygous += static_cast<double>(different);
    expected += 2 * frequency * (1 - frequency) * static_cast<double>(called);
  }
  return expected > 0 && heterozygous >= expected / 2;
}

StudyRow RowOf(const StudyGenotypes& study, size_t s) {
  return {.alleles = &study.alleles[s],
          .unphased = study.unphased.empty() ? nullptr : &study.unphased[s],
          .phase_sets = study.phase_sets.empty() ? nullptr : &study.phase_sets[s],
          .likelihoods = study.likelihoods.empty() ? nullptr : &study.likelihoods[s]};
}

WindowStudy TypedSites(const SampleTable& samples, std::span<const uint32_t> panel_marker,
                       const std::function<StudyRow(size_t)>& row) {
  std::vector<size_t> order;
  for (size_t s = 0; s < panel_marker.size(); ++s) {
    if (IsTyped(panel_marker[s])) order.push_back(s);
  }
  std::ranges::sort(order, {}, [&](size_t s) { return panel_marker[s]; });
  WindowStudy window{.samples = &samples, .typed = {}, .rows = {}};
  for (size_t s : order) {
    const StudyRow genotypes = row(s);
    window.typed.push_back(panel_marker[s]);
    window.rows.push_back(genotypes.alleles);
    window.unphased.push_back(genotypes.unphased);
    window.phase_sets.push_back(genotypes.phase_sets);
    window.likelihoods.push_back(genotypes.likelihoods);
  }
  return window;
}

void AddUntyped(MarkerRange range, const std::vector<uint8_t>& missing, WindowStudy& study) {
  WindowStudy all{.samples = study.samples, .typed = {}, .rows = {}, .on_progress = study.on_progress};
  size_t j = 0;
  const auto add = [&](uint32_t marker, const StudyRow& row) {
    all.typed.push_back(marker);
    all.rows.push_back(row.alleles);
    all.unphased.push_back(row.unphased);
    all.phase_sets.push_back(row.phase_sets);
    all.likelihoods.push_back(row.likelihoods);
  };
  const auto add_typed_before = [&](size_t marker) {
    for (; j < study.typed.size() && study.typed[j] < marker; ++j) {
      if (j == study.phased.begin) all.phased.begin = all.typed.size();
      add(study.typed[j], {study.rows[j], study.unphased[j], study.phase_sets[j], study.likelihoods[j]});
      if (j + 1 == study.phased.end) all.phased.end = all.typed.size();
    }
  };
  for (size_t m = range.begin; m < range.end; ++m) {
    add_typed_before(m);
    if (j < study.typed.size() && study.typed[j] == m) continue;
    add(static_cast<uint32_t>(m), {.alleles = &missing});
  }
  add_typed_before(SIZE_MAX);
  study = std::move(all);
}

}  // namespace haplospin
