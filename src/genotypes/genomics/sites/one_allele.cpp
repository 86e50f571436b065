#include "genotypes/genomics/sites/one_allele.h"

#include "genotypes/genomics/sites/contig_names.h"

namespace haplospin {
namespace {

bool IsAutosome(const std::string& contig, const ContigPart& part) {
  return part.is_autosomal && CanonicalContig(contig) != "MT";
}

}  // namespace

OneAlleleSamples FindOneAllele(const std::string& contig, const ContigPart& part, const SampleTable& study,
                               const SampleTable& panel) {
  const bool is_diploid = panel.num_samples() > 0 && panel.num_haplotypes() == 2 * panel.num_samples();
  if (!is_diploid || !IsAutosome(contig, part)) return {};
  OneAlleleSamples found{.of = study.num_samples(), .first = {}, .contig = contig};
  for (size_t s = 0; s < study.num_samples(); ++s) {
    if (study.ploidy(s) == 1 && found.samples++ == 0) found.first = study.names[s];
  }
  return found;
}

}  // namespace haplospin
