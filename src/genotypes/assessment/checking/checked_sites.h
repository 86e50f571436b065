// The sites of a study that was checked, read again in its order, with what the check found.
#pragma once

#include <string>
#include <utility>

#include "genotypes/assessment/checking/study_check.h"
#include "genotypes/variant_io/reading/pieces.h"
#include "haplospin/errors.h"

namespace haplospin {

// Opens the study that is checked.
inline StudyReader OpenStudy(const StudyCheckOptions& options) {
  StudyOptions reading = options.reading;
  reading.phase_sets = true;
  return StudyReader(options.study, std::move(reading));
}

// Opens the study as it was checked.
inline StudyReader OpenCheckedStudy(const StudyCheck& check) {
  StudyReader reader = OpenStudy(check.options);
  reader.DivideContigs(check.regions);
  if (!check.options.contig.empty()) reader.Seek({.contig = check.options.contig});
  return reader;
}

// Calls visit(study, s, index) with each site: its index in `study` and in check.site_relations. Throws InputError if
// the study has changed.
template <typename Visit>
void ForEachCheckedSite(const StudyCheck& check, StudyReader& reader, Visit visit) {
  size_t next = 0;
  const auto fail_changed = [&] {
    throw InputError(check.options.study + ": changed while it was read; run again when the file is complete");
  };
  while (reader.NextContig()) {
    StudyGenotypes study = reader.StartContig();
    ForEachMarker(reader, study, [&](size_t s) {
      if (next == check.site_relations.size()) fail_changed();
      visit(study, s, next++);
    });
  }
  if (next != check.site_relations.size()) fail_changed();
}

// Returns a table of the sites that impute does not take as they are, tab-separated: those that it leaves out, those
// that --fix changes, and those that only the study has, each with the reason.
std::string CheckedSitesTsv(const StudyCheck& check);

}  // namespace haplospin
