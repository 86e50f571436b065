#include "genotypes/variant_io/reading/study_regions.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/variant_io/row_reader.h"
#include "genotypes/variant_io/site_list_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

PloidyRegions RegionsByBuild(const StudyReader& study, PanelContigs* panel) {
  const std::string build = panel == nullptr ? "" : DeclaredBuild(panel->reader().header_contigs());
  return PloidyRegions::ForBuild(build.empty() ? DeclaredBuild(study.header().contigs) : build);
}

// Returns the contigs of the study, where they decide what 23 and 24 are: where males are known. They take reading the
// records of a file whose header declares none.
ContigTable GenomeContigs(StudyFile& file, StudyReader& study) {
  if (!file.CanBeReadTwice()) return study.header().contigs;
  ContigTable contigs = file.KnownContigs();
  const std::vector<std::string> names = NamesOfContigs(contigs);
  const auto is_declared = [&] {
    const auto first = study.NextContig();
    return !first || std::ranges::find(names, *first) != names.end();
  };
  if (!study.has_males() || is_declared()) return contigs;
  for (const std::string& name : file.Contigs()) contigs.emplace_back(name, 0);
  return contigs;
}

}  // namespace

PloidyRegions LoadPloidyRegions(const std::string& path) {
  RowReader rows(path);
  const bool is_bed = IsBedName(path);  // whose first position is the one before
  std::vector<Region> regions;
  for (auto row = rows.NextRow(); !row.empty(); row = rows.NextRow()) {
    if (row[0].starts_with('#')) continue;
    if (row.size() < 3) rows.Fail("expected a contig, a first and a last position, as in \"X 60001 2699520\"");
    const int64_t first = rows.PositionOrFail(row[1]) + (is_bed ? 1 : 0);
    const Region region{std::string(row[0]), first, rows.PositionOrFail(row[2])};
    if (region.end < region.begin) rows.Fail("the last position is before the first; exchange them");
    regions.push_back(region);
  }
  if (regions.empty()) throw InputError(path + ": empty; expected lines of a contig, a first and a last position");
  return PloidyRegions(std::move(regions));
}

PloidyRegions RegionsOfStudy(const std::optional<PloidyRegions>& given, StudyFile& file, StudyReader& study,
                             PanelContigs* panel) {
  PloidyRegions regions = given && !given->IsByBuild() ? *given : RegionsByBuild(study, panel);
  if (panel == nullptr) {
    regions.KeepAutosomesOfStudy(NamesOfContigs(study.header().contigs));
  } else {
    regions.KeepAutosomesOfPanel(panel->KnownNames());
  }
  const ContigTable contigs = GenomeContigs(file, study);
  regions.KeepAutosomesUnlessHuman(contigs);
  regions.KeepRomanTen(contigs);
  if (study.header().has_par_contigs && regions.empty() && study.has_males()) {
    throw InputError(study.header().path +
                     ": the contigs PAR1 and PAR2 are regions of X, and no header tells the genome build; give it with "
                     "--par");
  }
  regions.SetAutosomes(given && given->num_autosomes() > 0 ? given->num_autosomes() : study.header().NumAutosomes());
  return regions;
}

}  // namespace haplospin
