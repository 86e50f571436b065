// Simulated haplotypes as VCF.
#pragma once

#include <span>
#include <string>

#include "genotypes/imputation/mosaic_panel.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {

// Adds the haplotypes from `first` on at some markers; kMissingAllele is written as a missing one.
void AddMosaic(const Mosaic& mosaic, const SampleTable& samples, size_t first, std::span<const uint32_t> markers,
               const std::string& contig, VcfText& vcf);

VcfText MosaicVcf(const Mosaic& mosaic, const SampleTable& samples, size_t first, std::span<const uint32_t> markers,
                  const std::string& contig = "20");

std::vector<uint32_t> AllMarkers(const Mosaic& mosaic);

}  // namespace haplospin
