// The markers of a study as a panel without haplotypes.
#pragma once

#include <memory>
#include <string>

#include "variant_io/reading/panel_reader.h"
#include "variant_io/reading/study_reader.h"

namespace haplospin {

// Opens the sites of a study that is phased without a panel. `path` must be a file, because the study is read from it
// again.
std::unique_ptr<PanelReader> OpenStudySites(const std::string& path, const StudyOptions& options);

}  // namespace haplospin
