#include "genotypes/imputation/contig/shared_parts.h"

#include "core/log.h"
#include "genotypes/variant_io/reading/pieces.h"

namespace haplospin {

SharedParts::SharedParts(StudyReader& study, PanelContigs& panel, const PloidyRegions& regions,
                         const std::optional<Region>& region, bool is_quiet)
    : study_(study), panel_(panel), regions_(regions), is_quiet_(is_quiet) {
  study_.DivideContigs(regions_);
  panel_.DivideContigs(regions_);
  if (!region) return;
  first_ = regions_.PartAt(region->contig, region->begin).begin;
  last_ = region->end;
  study_.Seek({region->contig, first_});
}

bool SharedParts::Next() {
  const bool is_begun = !contig_.empty();
  if (is_begun && last_ && part_.end >= *last_) return false;
  for (auto name = study_.NextContig(); name; name = study_.NextContig()) {
    part_ = regions_.PartAt(*name, *study_.NextPosition());
    if (last_ && part_.begin > *last_) return false;
    if (*name != contig_ && !StartContig(*name)) {
      absent_.push_back(*name);
      study_.SkipContig();
    } else if (MovePanel()) {
      return true;
    } else {
      NoteAbsent();
      SkipPart(study_);
    }
  }
  return false;
}

bool SharedParts::StartContig(const std::string& name) {
  const auto in_panel = panel_.Find(name);
  if (!in_panel) return false;
  if (*in_panel != name && !is_quiet_) {
    LogWarning("contig {} of the study is treated as {} of the panel", name, *in_panel);
  }
  if (first_ > 0) panel_.reader().Seek({*in_panel, first_});
  contig_ = name;
  panel_contig_ = *in_panel;
  return true;
}

// Returns false if the panel does not have the part.
bool SharedParts::MovePanel() {
  PanelReader& panel = panel_.reader();
  const auto is_in_contig = [&] { return panel.NextContig() == panel_contig_; };
  while (is_in_contig() && *panel.NextPosition() < part_.begin) SkipPart(panel);
  return is_in_contig() && *panel.NextPosition() <= part_.end;
}

}  // namespace haplospin
