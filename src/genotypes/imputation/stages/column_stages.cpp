#include "genotypes/imputation/stages/column_stages.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/genomics/genotype_call.h"
#include "genotypes/genomics/quantized_probability.h"
#include "genotypes/imputation/window/allele_sums.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// Returns alleles for those that are missing of a marker: for each haplotype the more probable one, or for each diploid
// sample those of the most probable genotype.
std::vector<uint8_t> CallGenotypes(const SampleTable& samples, std::span<const uint8_t> known,
                                   std::span<const float> alt) {
  std::vector<uint8_t> alleles(known.begin(), known.end());
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    const uint32_t first = samples.first_haplotype[s], end = samples.first_haplotype[s + 1];
    std::array<uint8_t, 2> called{};
    if (end - first == 2) {
      called = CallGenotype(alt[first], alt[first + 1]);
    } else {
      called[0] = CallsAlt(alt[first]) ? 1 : 0;
    }
    for (uint32_t h = first; h < end; ++h) {
      if (known[h] == kMissingAllele) alleles[h] = called[h - first];
    }
  }
  return alleles;
}

}  // namespace

void ArrayStage::Run(const WindowState& window, DosageColumns& columns) const {
  window.array->Correct(window.panel.panel(), columns.markers, window.study, columns.alt);
}

void SumsStage::Run(const WindowState& window, DosageColumns& columns) const {
  columns.is_exclusive = ScaleAlleleSums(window.panel.panel(), columns.markers, columns.typed, columns.alt);
}

void CallStage::Run(const WindowState& window, DosageColumns& columns) const {
  columns.calls.resize(columns.markers.size());
  for (size_t k = 0; k < columns.markers.size(); ++k) {
    const bool is_exclusive = !columns.is_exclusive.empty() && columns.is_exclusive[k];
    if (is_exclusive || columns.typed[k] == nullptr || !HasMissing(*columns.typed[k])) continue;
    columns.calls[k] =
        CallGenotypes(window.study.samples(), *columns.typed[k], columns.Column(columns.markers.begin + k));
  }
}

}  // namespace haplospin
