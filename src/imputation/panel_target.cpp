#include "imputation/panel_target.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace haplospin {

TargetHaplotype PanelHaplotype(const ArrayPanel& panel, size_t h) {
  std::vector<uint8_t> alleles(panel.num_typed());
  const uint64_t* bits = panel.haplotype_bits(h);
  for (size_t j = 0; j < alleles.size(); ++j) alleles[j] = bits[j / 64] >> (j % 64) & 1;
  return TargetHaplotype(std::move(alleles));
}

Excluded WithNeighbour(size_t h, size_t num_haplotypes) {
  Excluded excluded;
  excluded.haplotypes[excluded.count++] = static_cast<uint32_t>(h);
  if ((h ^ 1) < num_haplotypes && num_haplotypes > 2)
    excluded.haplotypes[excluded.count++] = static_cast<uint32_t>(h ^ 1);
  return excluded;
}

}  // namespace haplospin
