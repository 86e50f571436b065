// The regions between which the ploidy of a study changes: from a file, or by the genome build.
#pragma once

#include <optional>
#include <string>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/study_file.h"
#include "genotypes/variant_io/reading/study_reader.h"

namespace haplospin {

// Reads lines of a contig, a first and a last position in bp, or BED in a file of that name; lines that begin with "#"
// are ignored. Throws InputError if a line is not that, there is none, or regions overlap.
PloidyRegions LoadPloidyRegions(const std::string& path);

// Returns `given`, or else the regions of the genome build that the panel declares, or the study if the panel declares
// none. What 23 and 24 are is decided by the number of autosomes that is given or that the study declares, and
// otherwise by the contigs of panel and study. `study` has been opened from `file`. `panel` is null if there is none.
// Throws InputError if the build is needed for plink2's contigs PAR1 and PAR2, and not known.
PloidyRegions RegionsOfStudy(const std::optional<PloidyRegions>& given, StudyFile& file, StudyReader& study,
                             PanelContigs* panel);

}  // namespace haplospin
