#include "variant_io/ploidy/study_regions.h"

#include <string>

#include "genomics/sites/contig_names.h"
#include "genomics/sites/genome_build.h"

namespace haplospin {
namespace {

PloidyRegions RegionsByBuild(const StudyReader& study, PanelContigs* panel) {
  const std::string build = panel == nullptr ? "" : BuildOfContigs(panel->reader().header_contigs());
  return PloidyRegions::OfBuild(build.empty() ? BuildOfContigs(study.header_contigs()) : build);
}

}  // namespace

PloidyRegions RegionsOfStudy(const std::optional<PloidyRegions>& given, const StudyReader& study, PanelContigs* panel) {
  PloidyRegions regions = given ? *given : RegionsByBuild(study, panel);
  if (panel == nullptr) {
    regions.KeepAutosomesOfStudy(NamesOfContigs(study.header_contigs()));
  } else {
    regions.KeepAutosomesOfPanel(panel->KnownNames());
  }
  return regions;
}

}  // namespace haplospin
