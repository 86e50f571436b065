// The markers of a study that its panel does not have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "genotypes/imputation/contig/contig_buffer.h"
#include "genotypes/imputation/window/window_dosages.h"
#include "haplospin/genetic_map.h"

namespace haplospin {

// Samples from which on missing genotypes of such markers are imputed: fewer have too few haplotypes in common.
inline constexpr size_t kMinSamplesOfStudyOnly = 20;

struct StudyOnlyDosages {
  std::vector<uint32_t> marker;  // [study markers] that of `dosages`, or kNotInPanel
  WindowDosages dosages;
};

// Markers from `first` to `last`, bp, are imputed; those up to `end` tell which samples share a haplotype.
struct StudyOnlyRange {
  int64_t first, last, end;
};

// Imputes and phases the study's markers that the panel does not have and that have missing genotypes. The panel knows
// no alleles there, so these are copied from the study's other samples, whose phase up to range.last was found from the
// markers that the panel has. Returns nullopt if there are no such markers, too few samples, or more than `max_markers`
// of the study up to range.end.
std::optional<StudyOnlyDosages> ImputeStudyOnly(const ContigBuffer& buffer, const GeneticMap& map,
                                                const StudyOnlyRange& range, size_t max_markers, uint64_t seed);

}  // namespace haplospin
