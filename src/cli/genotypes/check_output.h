// What `haplospin check` prints and writes, but for the page.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assessment/study_check.h"

namespace haplospin {

// Something to mend, or to know.
struct CheckFinding {
  std::string what;
  std::string remedy;
  bool is_fixed = false;  // --fix mends it
};

// Empty where all is well.
std::vector<CheckFinding> CheckFindings(const StudyCheck& check);

// Rows of a title and its value.
using CheckRows = std::vector<std::pair<std::string, std::string>>;

CheckRows FileRows(const StudyCheck& check);
CheckRows SiteRows(const StudyCheck& check);
CheckRows SampleRows(const StudyCheck& check);
CheckRows FrequencyRows(const StudyCheck& check);

// Those with the most missing genotypes, in descending order; none that has no missing genotype.
std::vector<SampleCheck> SamplesMostMissing(const StudyCheck& check, size_t limit);

std::string CheckText(const StudyCheck& check);
std::string CheckJson(const StudyCheck& check);

}  // namespace haplospin
