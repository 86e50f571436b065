// Lists: of sites, of markers, of the groups of samples, of families, of HLA types and proteins, of names, and a
// region.
#include "cli/options/name_list.h"
#include "fuzz/fuzz_input.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/fam_file.h"
#include "genotypes/variant_io/hla/hla_proteins_file.h"
#include "genotypes/variant_io/hla/hla_types.h"
#include "genotypes/variant_io/reading/wanted_sites_file.h"
#include "genotypes/variant_io/sample_groups.h"
#include "genotypes/variant_io/site_list_file.h"

using namespace haplospin;

void FuzzOne(std::string_view bytes) {
  const std::string path = WriteFuzzFile("list", bytes);
  const std::vector<std::string> samples{"AFR1", "EUR1"};
  AcceptInputErrors([&] { LoadSiteList(path).CountBetween("20", 0, INT64_MAX); });
  AcceptInputErrors([&] { LoadMarkerList(path); });
  AcceptInputErrors([&] { LoadWantedSites(path); });
  AcceptInputErrors([&] { LoadSampleGroups(path, samples); });
  AcceptInputErrors([&] { LoadPedigree(path, samples); });
  AcceptInputErrors([&] { LoadHlaTypes(path, samples, 2, HlaGenesOfBuild("GRCh37")); });
  AcceptInputErrors([&] { LoadHlaGenes(path); });
  AcceptInputErrors([&] { LoadHlaProteins(std::vector{path}); });
  AcceptInputErrors([&] { ReadNameList(path, "names"); });
  AcceptInputErrors([&] { ParseRegion(std::string(bytes)); });
}
