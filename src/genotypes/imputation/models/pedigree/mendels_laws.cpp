#include "genotypes/imputation/models/pedigree/mendels_laws.h"

#include <algorithm>
#include <cstddef>

#include "genotypes/genomics/sites/contig_names.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

bool FamilyAlleles::IsInformative() const {
  bool is_varied = false;
  for (const std::span<const uint8_t>& alleles : {child, parents[0], parents[1]}) {
    if (HasMissing(alleles)) return false;
    is_varied = is_varied || std::ranges::any_of(alleles, [&](uint8_t allele) { return allele != child.front(); });
  }
  return is_varied;
}

std::optional<Transmitted> FindTransmitted(const FamilyAlleles& family, std::string_view contig) {
  if (HasMissing(family.child)) return Transmitted{kMissingAllele, kMissingAllele};
  const auto can_transmit = [&](size_t p, uint8_t allele) {
    const std::span<const uint8_t> parent = family.parents[p];
    return parent.empty() || HasMissing(parent) || std::ranges::find(parent, allele) != parent.end();
  };
  const uint8_t first = family.child.front(), second = family.child.back();
  if (family.child.size() == 1) {
    const size_t parent = HaploidParent(contig);
    if (!can_transmit(parent, first)) return std::nullopt;
    Transmitted transmitted{kMissingAllele, kMissingAllele};
    transmitted[parent] = first;
    return transmitted;
  }
  const bool as_is = can_transmit(0, first) && can_transmit(1, second);
  const bool exchanged = can_transmit(0, second) && can_transmit(1, first);
  if (!as_is && !exchanged) return std::nullopt;
  if (first != second && as_is && exchanged) return Transmitted{kMissingAllele, kMissingAllele};
  return as_is ? Transmitted{first, second} : Transmitted{second, first};
}

}  // namespace haplospin
