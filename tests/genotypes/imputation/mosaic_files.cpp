#include "genotypes/imputation/mosaic_files.h"

#include <numeric>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

char AlleleText(uint8_t allele) { return allele == kMissingAllele ? '.' : static_cast<char>('0' + allele); }

}  // namespace

void AddMosaic(const Mosaic& mosaic, const SampleTable& samples, size_t first, std::span<const uint32_t> markers,
               const std::string& contig, VcfText& vcf) {
  for (const uint32_t m : markers) {
    std::string genotypes;
    for (size_t s = 0; s < samples.num_samples(); ++s) {
      const size_t haplotype = first + samples.first_haplotype[s];
      genotypes += AlleleText(mosaic.alleles.at(haplotype)[m]);
      if (samples.ploidy(s) == 2) genotypes += {'|', AlleleText(mosaic.alleles.at(haplotype + 1)[m])};
      genotypes += ' ';
    }
    const Marker& marker = mosaic.markers[m];
    vcf.Add(contig, marker.position, marker.ref, marker.alt, genotypes);
  }
}

VcfText MosaicVcf(const Mosaic& mosaic, const SampleTable& samples, size_t first, std::span<const uint32_t> markers,
                  const std::string& contig) {
  VcfText vcf(samples.names, {contig});
  AddMosaic(mosaic, samples, first, markers, contig, vcf);
  return vcf;
}

std::vector<uint32_t> AllMarkers(const Mosaic& mosaic) {
  std::vector<uint32_t> all(mosaic.markers.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace haplospin
