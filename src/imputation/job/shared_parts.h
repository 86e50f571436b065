// The parts of contigs that study and panel both have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "genomics/sites/ploidy_regions.h"
#include "genomics/sites/region.h"
#include "variant_io/reading/panel_reader.h"
#include "variant_io/reading/study_reader.h"

namespace haplospin {

// Goes along the study's contigs, and the parts into which ploidy divides them.
class SharedParts {
 public:
  // With `region`, only the parts that it is in. Throws InputError where the study has no record from there on. Warns
  // of contigs that have another name in the panel, unless it is to be quiet.
  SharedParts(StudyReader& study, PanelContigs& panel, const PloidyRegions& regions,
              const std::optional<Region>& region, bool is_quiet = false);

  // Moves both readers to the next one; false at the end.
  bool Next();

  // The present contig, as the study names it, and its part.
  const std::string& contig() const { return contig_; }
  const ContigPart& part() const { return part_; }

  // Adds the present part to absent().
  void NoteAbsent() { absent_.push_back(NameOfPart(contig_, part_)); }

  // Those that the panel does not have.
  const std::vector<std::string>& absent() const { return absent_; }

 private:
  bool StartContig(const std::string& name);
  bool MovePanel();

  StudyReader& study_;
  PanelContigs& panel_;
  const PloidyRegions regions_;
  const bool is_quiet_;
  int64_t first_ = 0;            // bp: the begin of the first part that is wanted
  std::optional<int64_t> last_;  // of the region
  std::string contig_;
  std::string panel_contig_;  // the same, as the panel names it
  ContigPart part_;
  std::vector<std::string> absent_;
};

}  // namespace haplospin
