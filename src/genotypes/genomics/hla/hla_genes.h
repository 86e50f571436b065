// Where the HLA genes are, and in which genome build.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "genotypes/genomics/sites/contig_table.h"

namespace haplospin {

// The contig of the HLA genes.
inline constexpr char kHlaContig[] = "6";

// Genes with the position of their middle, bp.
using HlaGenes = std::map<std::string, int64_t, std::less<>>;

// Returns the classical genes of "GRCh36", "GRCh37" or "GRCh38", also as UCSC names them (hg18, hg19, hg38); none of
// another build. Positions of HIBAG's tables of genes (Zheng et al. 2014, Pharmacogenomics J 14:192).
HlaGenes HlaGenesOfBuild(std::string_view build);

// Returns the build whose chromosome 6 has the declared length: "GRCh36", "GRCh37", "GRCh38", "T2T-CHM13", or "" if the
// length is not declared or another one.
std::string HlaBuild(const ContigTable& contigs);

}  // namespace haplospin
