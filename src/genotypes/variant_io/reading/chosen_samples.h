// The samples of a study that are read.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/variant_io/reading/record_source.h"
#include "genotypes/variant_io/reading/study_reader.h"

namespace haplospin {

struct ChosenSamples {
  std::vector<size_t> columns;  // in the file
  std::vector<std::string> names;
  std::vector<bool> is_male, is_female;

  // Returns whether a sample has nothing of a part of a contig, whatever the file has.
  bool Lacks(const ContigPart& part, size_t sample) const { return part.females_lack_it && is_female[sample]; }
};

// Returns the samples that the options choose. Throws InputError if one of them is not in the file, or none is left.
ChosenSamples ChooseSamples(const RecordHeader& header, const StudyOptions& options);

}  // namespace haplospin
