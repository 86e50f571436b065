// What is wrong with the reads of a study, as their counts at the sites show.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "genotypes/variant_io/alignments/read_filter.h"
#include "genotypes/variant_io/alignments/sample_pileup.h"

namespace haplospin {

struct ReadsFinding {
  std::string what;    // "2 samples (A, B) with ..."
  std::string remedy;  // what it may be, and what to do
};

// "12 below --min-mapq 10, 3 duplicates"; "" where no read is left out.
std::string LeftOutText(const ReadCounts& counts, const ReadFilter& filter);

// Returns what is found if reads of files of several people are of none of them.
std::optional<ReadsFinding> FindNobodysReads(size_t reads);

// Returns what is found: most reads left out, bases below the least quality, reads without qualities, qualities that
// are not on the scale of SAM, and far more bases that are neither REF nor ALT than the qualities tell. `counts` are
// those of the people of these names, of
// whose bases nothing is said if their likelihoods count with `models` of more errors; there may be none.
std::vector<ReadsFinding> FindReadsProblems(std::span<const std::string> names, std::span<const ReadCounts> counts,
                                            const ReadFilter& filter, std::span<const ErrorModel> models = {});

}  // namespace haplospin
