// What `haplospin check` prints: the rows are those of its page too.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assessment/checking/check_conclusion.h"
#include "assessment/checking/study_check.h"

namespace haplospin {

// Rows of a title and a value.
using CheckRows = std::vector<std::pair<std::string, std::string>>;

CheckRows FileRows(const StudyCheck& check);
CheckRows SiteRows(const StudyCheck& check);
CheckRows SampleRows(const StudyCheck& check);
CheckRows FrequencyRows(const StudyCheck& check);

// The samples with the most missing genotypes, in descending order; samples without missing genotypes are omitted.
std::vector<SampleCheck> SamplesMostMissing(const StudyCheck& check, size_t limit);

std::string CheckText(const StudyCheck& check, const CheckConclusion& conclusion);

}  // namespace haplospin
