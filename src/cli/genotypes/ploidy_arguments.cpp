#include "cli/genotypes/ploidy_arguments.h"

#include "variant_io/fam_file.h"
#include "variant_io/reading/study_regions.h"

namespace haplospin {

void PloidyArguments::DeclareRegions(CommandOptions& options) {
  options.Add("par", "BUILD|FILE", &par_,
              "pseudo-autosomal regions, between which ploidy may change: GRCh37, GRCh38 or T2T-CHM13, a file with a "
              "contig, a first and a last position per line, or none; auto: by the contig lengths of panel or study");
}

void PloidyArguments::Declare(CommandOptions& options) {
  DeclareRegions(options);
  options.Add("sex", "FILE", &sex_,
              "PLINK .fam file: males are haploid on X outside the pseudo-autosomal regions, and on Y, also where they "
              "have two equal alleles [the .fam of a .bed]");
}

std::optional<PloidyRegions> PloidyArguments::Regions() const {
  if (par_ == "auto") return std::nullopt;
  if (par_ == "none") return PloidyRegions();
  const PloidyRegions of_build = PloidyRegions::OfBuild(par_);
  return of_build.empty() ? LoadPloidyRegions(par_) : of_build;
}

std::vector<std::string> PloidyArguments::Males() const {
  if (sex_.empty()) return {};
  const FamFile fam = LoadFamFile(sex_);
  std::vector<std::string> males;
  for (size_t s = 0; s < fam.samples.size(); ++s) {
    if (fam.is_male[s]) males.insert(males.end(), {fam.samples[s], fam.families[s] + "_" + fam.samples[s]});
  }
  return males;
}

}  // namespace haplospin
