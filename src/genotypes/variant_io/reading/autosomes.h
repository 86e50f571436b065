// The genotypes of a study's autosomes, for those who look at the beginning of a file before it is imputed.
#pragma once

#include <functional>

#include "genotypes/variant_io/reading/study_reader.h"

namespace haplospin {

// Calls `wants_more` with piece after piece of the autosomes, each of one contig, until it returns false. Returns
// whether all were read. Throws InputError where the file is damaged.
bool ReadAutosomes(StudyReader& reader, const std::function<bool(const StudyGenotypes& piece)>& wants_more);

}  // namespace haplospin
