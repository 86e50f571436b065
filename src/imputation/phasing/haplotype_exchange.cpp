#include "imputation/phasing/haplotype_exchange.h"

#include "haplospin/errors.h"

namespace haplospin {

HaplotypeExchange::HaplotypeExchange(const SampleTable& samples)
    : first_haplotype_(samples.first_haplotype), first_((samples.num_haplotypes() + 63) / 64), bits_(first_.size()) {}

void HaplotypeExchange::Toggle(size_t sample) {
  const uint32_t h = first_haplotype_[sample];
  HS_ASSERT(first_haplotype_[sample + 1] == h + 2);
  first_[h / 64] ^= uint64_t{1} << h % 64;
}

void HaplotypeExchange::Append(const HaplotypePanel& from, size_t m, MutablePanel& to) {
  if (!from.is_rare(m)) {
    from.CopyBits(m, bits_.data());
    ExchangeBits(bits_);
    to.Append(from.marker(m), bits_.data());
    return;
  }
  const auto carriers = from.carriers(m);
  carriers_.resize(carriers.size());
  for (size_t k = 0; k < carriers.size(); ++k) carriers_[k] = Exchanged(carriers, k);
  to.AppendCarriers(from.marker(m), carriers_, from.minor_is_alt(m));
}

// The haplotypes of a sample may be in two words.
void HaplotypeExchange::ExchangeBits(std::span<uint64_t> bits) const {
  uint64_t carry = 0;  // the last pair of a word differs: its second haplotype is in the next word
  for (size_t w = 0; w < bits.size(); ++w) {
    const uint64_t second = bits[w] >> 1 | (w + 1 < bits.size() ? bits[w + 1] << 63 : 0);
    const uint64_t differs = (bits[w] ^ second) & first_[w];
    bits[w] ^= differs | differs << 1 | carry;
    carry = differs >> 63;
  }
}

// The haplotype that has the allele of the k-th carrier. The ascending order does not change: no carrier is between the
// haplotypes of a sample.
uint32_t HaplotypeExchange::Exchanged(std::span<const uint32_t> carriers, size_t k) const {
  const uint32_t h = carriers[k];
  if (IsFirst(h)) return k + 1 < carriers.size() && carriers[k + 1] == h + 1 ? h : h + 1;
  if (h > 0 && IsFirst(h - 1)) return k > 0 && carriers[k - 1] == h - 1 ? h : h - 1;
  return h;
}

}  // namespace haplospin
