// The outputs of `haplospin check`.
#pragma once

#include <string>
#include <vector>

#include "cli/options/multiqc.h"
#include "core/provenance.h"
#include "genotypes/assessment/checking/study_check.h"

namespace haplospin {

// A finding is a problem of the study or a note.
struct CheckFinding {
  std::string what;
  std::string remedy;
  bool is_fixed = false;  // --fix corrects it
};

// Empty if there are no problems.
std::vector<CheckFinding> CheckFindings(const StudyCheck& check);

// Returns the report for the terminal.
std::string CheckText(const StudyCheck& check, const CheckConclusion& conclusion);

// Returns the report as an HTML file without scripts or external files, which has a few tens of kilobytes for studies
// of any size.
std::string CheckPage(const StudyCheck& check, const CheckConclusion& conclusion, const Provenance& provenance);

// Returns all results as JSON.
std::string CheckJson(const StudyCheck& check, const CheckConclusion& conclusion);

// Returns the row of a study, which is named `name` there.
MultiqcSection CheckMultiqc(const StudyCheck& check, const CheckConclusion& conclusion, const std::string& name);

}  // namespace haplospin
