#include "genotypes/imputation/stages/shared_sample.h"

#include <utility>

namespace haplospin {

void SharedSample::Keep(size_t m, std::span<const float> alt) {
  const bool is_heterozygous = rows_.size() == 2 && (alt[0] > 0.5f) != (alt[1] > 0.5f);
  const bool decides = is_heterozygous && panel_.allele(m, first_) != panel_.allele(m, first_ + 1);
  const bool is_exchanged = decides && (alt[0] > 0.5f) != (panel_.allele(m, first_) == 1);
  for (size_t c = 0; c < rows_.size(); ++c) rows_[c][m - range_.begin] = alt[c];
  is_kept_[m - range_.begin] = true;
  if (!decides) return;
  if (!has_order_) is_exchanged_ = is_exchanged;
  has_order_ = true;
  CopyUntil(m);
  is_exchanged_ = is_exchanged;
}

std::vector<std::vector<float>> SharedSample::Take() {
  CopyUntil(range_.end);
  return std::move(rows_);
}

void SharedSample::CopyUntil(size_t end) {
  for (; next_ < end; ++next_) {
    const size_t m = next_;
    if (is_kept_[m - range_.begin]) continue;
    for (size_t c = 0; c < rows_.size(); ++c) {
      const size_t copied = is_exchanged_ ? 1 - c : c;
      rows_[c][m - range_.begin] = static_cast<float>(panel_.allele(m, first_ + copied));
    }
  }
}

}  // namespace haplospin
