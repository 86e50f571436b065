// An unphased panel, phased together with the HLA types of its people.
#pragma once

#include <memory>
#include <string>

#include "genotypes/genomics/hla/hla_genes.h"
#include "genotypes/variant_io/hla/hla_types.h"

namespace haplospin {

// Returns whether a file of genotypes (VCF, BCF, BGEN or PLINK .bed) is unphased, by the heterozygotes of its first
// records. Panels in formats that are always phased are not.
bool IsUnphasedPanel(const std::string& path);

// A file that is removed with this object, or by a signal that ends the process.
class TemporaryCopy {
 public:
  explicit TemporaryCopy(std::string path);
  ~TemporaryCopy();
  TemporaryCopy(const TemporaryCopy&) = delete;
  TemporaryCopy& operator=(const TemporaryCopy&) = delete;

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  const int slot_;
};

// Phases an unphased panel to a copy beside `out`. Each allele of a gene is a marker of its own meanwhile, so that
// people who share an allele tell each other's phase around the gene; these markers are in the copy. Missing genotypes
// are imputed. `types` are those of the people of the panel, in its order. `map` is the path of a genetic map; if
// empty, 1 cM is 1 Mb. Throws InputError as PhaseFiles() does.
std::unique_ptr<TemporaryCopy> PhaseWithTypes(const std::string& panel, const HlaTypes& types, const HlaGenes& places,
                                              const std::string& map, const std::string& out);

}  // namespace haplospin
