// Where the ploidy of a study changes.
#pragma once

#include <optional>

#include "genomics/sites/ploidy_regions.h"
#include "variant_io/reading/panel_contigs.h"
#include "variant_io/reading/study_reader.h"

namespace haplospin {

// `given`, or else by the genome build that the panel declares, or the study if the panel declares none. `panel` is
// null if there is none.
PloidyRegions RegionsOfStudy(const std::optional<PloidyRegions>& given, const StudyReader& study, PanelContigs* panel);

}  // namespace haplospin
