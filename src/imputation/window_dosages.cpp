#include "imputation/window_dosages.h"

namespace haplospin {

void ProbabilityTable::CopyColumns(size_t first, size_t last, std::vector<float>& out) const {
  out.resize((last - first) * num_haplotypes_);
  for (size_t h = 0; h < num_haplotypes_; ++h) {
    for (size_t m = first; m < last; ++m) out[(m - first) * num_haplotypes_ + h] = Get(h, m);
  }
}

}  // namespace haplospin
