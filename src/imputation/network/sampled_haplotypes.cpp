#include "imputation/network/sampled_haplotypes.h"

#include <algorithm>

namespace haplospin {

SampledHaplotypes::SampledHaplotypes(const HaplotypePanel& panel, size_t max_haplotypes) : panel_(panel) {
  const size_t all = panel.words_per_marker();
  const size_t count = std::min(all, std::max<size_t>(max_haplotypes / 64, 1));
  slot_of_.assign(all, kNone);
  for (size_t k = 0; k < count; ++k) {
    words_.push_back(static_cast<uint32_t>(k * all / count));
    slot_of_[words_.back()] = static_cast<uint32_t>(k);
    num_haplotypes_ += std::min<size_t>(64, panel.num_haplotypes() - size_t{64} * words_.back());
  }
}

void SampledHaplotypes::CopyAlt(size_t marker, uint64_t* out) const {
  if (panel_.is_rare(marker)) {
    CopyCarriers(marker, out);
    if (!panel_.minor_is_alt(marker)) Flip(out);
    return;
  }
  for (size_t k = 0, last; k < words_.size(); k = last) {  // runs of adjacent words
    for (last = k + 1; last < words_.size() && words_[last] == words_[last - 1] + 1;) ++last;
    panel_.CopyWords(marker, words_[k], words_[last - 1] + size_t{1}, out + k);
  }
}

void SampledHaplotypes::CopyMinor(size_t marker, uint64_t* out) const {
  if (panel_.is_rare(marker)) {
    CopyCarriers(marker, out);
  } else {
    CopyAlt(marker, out);
    if (!panel_.minor_is_alt(marker)) Flip(out);
  }
}

std::optional<size_t> SampledHaplotypes::BitOf(size_t haplotype) const {
  const uint32_t slot = slot_of_[haplotype / 64];
  if (slot == kNone) return std::nullopt;
  return size_t{64} * slot + haplotype % 64;
}

void SampledHaplotypes::CopyCarriers(size_t marker, uint64_t* out) const {
  std::fill_n(out, words_.size(), 0);
  for (const uint32_t h : panel_.carriers(marker)) {
    if (const uint32_t slot = slot_of_[h / 64]; slot != kNone) out[slot] |= uint64_t{1} << h % 64;
  }
}

void SampledHaplotypes::Flip(uint64_t* bits) const {
  for (size_t k = 0; k < words_.size(); ++k) bits[k] = ~bits[k];
  const size_t last = panel_.num_haplotypes() % 64;
  if (last != 0 && words_.back() + size_t{1} == panel_.words_per_marker()) {
    bits[words_.size() - 1] &= (uint64_t{1} << last) - 1;
  }
}

}  // namespace haplospin
