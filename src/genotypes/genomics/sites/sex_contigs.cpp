#include "genotypes/genomics/sites/sex_contigs.h"

#include <algorithm>
#include <array>

#include "genotypes/genomics/sites/contig_names.h"

namespace haplospin {

bool IsSexOrMitochondrial(std::string_view contig) {
  constexpr std::array<std::string_view, 10> kNames{"X", "Y", "Z", "W", "XY", "M", "MT", "PAR", "PAR1", "PAR2"};
  return std::ranges::find(kNames, BareContig(contig)) != kNames.end();
}

}  // namespace haplospin
