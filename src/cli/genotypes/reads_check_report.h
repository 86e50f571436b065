// The outputs of `haplospin check` of aligned reads.
#pragma once

#include <string>

#include "cli/options/multiqc.h"
#include "core/provenance.h"
#include "genotypes/assessment/checking/reads_check.h"

namespace haplospin {

// Each returns one of the outputs: text for the terminal, a page as an HTML file, JSON, and the row of the study, which
// is named `name` there.
std::string ReadsCheckText(const ReadsCheck& check, const CheckConclusion& conclusion);
std::string ReadsCheckPage(const ReadsCheck& check, const CheckConclusion& conclusion, const Provenance& provenance);
std::string ReadsCheckJson(const ReadsCheck& check, const CheckConclusion& conclusion);
MultiqcSection ReadsCheckMultiqc(const ReadsCheck& check, const CheckConclusion& conclusion, const std::string& name);

}  // namespace haplospin
