// Whether a study has pseudo-haploid genotypes: one read is drawn at each site, and its allele written twice (1240k and
// AADR data of ancient DNA). No sample has a heterozygote then, whatever its two alleles are. Or some samples have such
// genotypes, beside people whose genotypes are diploid.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/variant_io/reading/study_reader.h"

namespace haplospin {

struct PseudoHaploids {
  bool is_whole_study = false;
  std::vector<std::string> samples = {};  // some of a study whose others have heterozygotes
};

// Finds whether no diploid sample of the study is heterozygous on its autosomes, although they have enough genotypes of
// either allele, or else which samples are not, although the frequencies of the study's alleles let expect many
// heterozygotes, over a longer stretch than children of relatives have without any. The people of the panel must be
// heterozygous: a panel of inbred lines tells nothing of heterozygotes. Reading ends when each sample has a
// heterozygote, or there is enough of those without. Finds none in files that cannot be read twice. Throws InputError
// where a file is damaged.
PseudoHaploids FindPseudoHaploids(const std::string& study, const StudyOptions& options,
                                  const std::optional<PloidyRegions>& regions, const std::string& panel,
                                  const std::vector<std::string>& panel_samples);

}  // namespace haplospin
