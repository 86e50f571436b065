// Whether a study has pseudo-haploid genotypes: one read is drawn at each site, and its allele written twice (1240k and
// AADR data of ancient DNA). No sample has a heterozygote then, whatever its two alleles are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/variant_io/reading/study_reader.h"

namespace haplospin {

// Returns whether no diploid sample of the study is heterozygous on its autosomes, although they have enough genotypes
// of either allele, and the people of the panel are heterozygous: a panel of inbred lines tells nothing of
// heterozygotes. Reading ends at the first heterozygote. Returns false for files that cannot be read twice. Throws
// InputError where a file is damaged.
bool IsPseudoHaploid(const std::string& study, const StudyOptions& options, const std::optional<PloidyRegions>& regions,
                     const std::string& panel, const std::vector<std::string>& panel_samples);

}  // namespace haplospin
