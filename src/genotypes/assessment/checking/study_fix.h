// Writes a corrected copy of a study that matches its panel.
#pragma once

#include <string>
#include <vector>

#include "genotypes/assessment/checking/study_check.h"

namespace haplospin {

struct StudyFixOptions {
  std::string path;
  bool keep_ambiguous = false;            // A/T and C/G sites whose strand is not known, taken to be on the panel's
  std::vector<std::string> header_lines;  // "##key=value"
};

// Reads the checked study again and writes it, and its index where it can have one: swapped alleles are exchanged and
// the genotypes with them, inverted ones exchanged, alleles of the other strand complemented, contigs named as in the
// panel; duplicates and sites whose strand cannot be determined are removed, unless they are kept. Other sites are
// written as they are. The genotypes are unphased if some of the study are. A record with several ALTs becomes one per
// ALT; of INFO and FORMAT there are AC, AN, GT and PS. Throws InputError if the study cannot be read again or the file
// cannot be written.
void FixStudy(const StudyCheck& check, const StudyFixOptions& options);

}  // namespace haplospin
