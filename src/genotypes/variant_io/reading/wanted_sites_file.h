// Files that tell which sites an output is to have.
#pragma once

#include <string>
#include <vector>

#include "genotypes/genomics/sites/wanted_sites.h"

namespace haplospin {

// Reads, gzipped or not:
// - scoring files of the PGS Catalog: lines of tab-separated columns whose names are in the first one, after comments.
//   effect_allele and effect_weight are needed; hm_chr, hm_pos and hm_inferOtherAllele, the positions of a harmonized
//   file, go before chr_name, chr_position and other_allele. A line without a position is found by its ID.
// - VCF or BCF, with or without genotypes, such as the positions of PharmCAT: a site for each ALT.
// - what LoadMarkerList() reads: BED, a contig and a position, or an ID per line.
// Throws InputError if the file is none of these, or has no site.
std::vector<WantedSite> LoadWantedSites(const std::string& path);

}  // namespace haplospin
