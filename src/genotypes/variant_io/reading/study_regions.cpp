#include "genotypes/variant_io/reading/study_regions.h"

#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/variant_io/row_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

PloidyRegions RegionsByBuild(const StudyReader& study, PanelContigs* panel) {
  const std::string build = panel == nullptr ? "" : DeclaredBuild(panel->reader().header_contigs());
  return PloidyRegions::ForBuild(build.empty() ? DeclaredBuild(study.header_contigs()) : build);
}

}  // namespace

PloidyRegions LoadPloidyRegions(const std::string& path) {
  RowReader rows(path);
  std::vector<Region> regions;
  for (auto row = rows.NextRow(); !row.empty(); row = rows.NextRow()) {
    if (row[0].starts_with('#')) continue;
    if (row.size() < 3) rows.Fail("expected a contig, a first and a last position, as in \"X 60001 2699520\"");
    const Region region{std::string(row[0]), rows.PositionOrFail(row[1]), rows.PositionOrFail(row[2])};
    if (region.end < region.begin) rows.Fail("the last position is before the first; exchange them");
    regions.push_back(region);
  }
  if (regions.empty()) throw InputError(path + ": empty; expected lines of a contig, a first and a last position");
  return PloidyRegions(std::move(regions));
}

PloidyRegions RegionsOfStudy(const std::optional<PloidyRegions>& given, const StudyReader& study, PanelContigs* panel) {
  PloidyRegions regions = given ? *given : RegionsByBuild(study, panel);
  if (panel == nullptr) {
    regions.KeepAutosomesOfStudy(NamesOfContigs(study.header_contigs()));
  } else {
    regions.KeepAutosomesOfPanel(panel->KnownNames());
  }
  regions.KeepAutosomesUpTo(study.num_autosomes());
  return regions;
}

}  // namespace haplospin
