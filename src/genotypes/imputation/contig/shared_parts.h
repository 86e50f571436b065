// The parts of contigs that study and panel both have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/study_reader.h"

namespace haplospin {

// Goes along the study's contigs, and the parts of different ploidy of a contig.
class SharedParts {
 public:
  // Goes only along the parts that `region` is in, if there is one; then it throws InputError if the study has no
  // record from the region on. Warns of contigs that have another name in the panel, unless `is_quiet`. Readers must
  // outlive it.
  SharedParts(StudyReader& study, PanelContigs& panel, const PloidyRegions& regions,
              const std::optional<Region>& region, bool is_quiet = false);

  // Moves both readers to the next shared part. Returns false at the end.
  bool Next();

  // The present contig, as the study names it, and its part.
  const std::string& contig() const { return contig_; }
  const ContigPart& part() const { return part_; }

  // Adds the present part to those that the panel does not have.
  void NoteAbsent() { absent_.push_back(NameOfPart(contig_, part_)); }

  // Contigs and parts that the panel does not have.
  const std::vector<std::string>& absent() const { return absent_; }

 private:
  bool StartContig(const std::string& name);
  bool MovePanel();

  StudyReader& study_;
  PanelContigs& panel_;
  const PloidyRegions regions_;
  const bool is_quiet_;
  int64_t first_ = 0;            // begin of the part that the region begins in, bp
  std::optional<int64_t> last_;  // end of the region, bp
  std::string contig_;
  std::string panel_contig_;  // name of the contig in the panel
  ContigPart part_;
  std::vector<std::string> absent_;
};

}  // namespace haplospin
