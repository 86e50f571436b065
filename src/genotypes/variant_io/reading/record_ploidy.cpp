#include "genotypes/variant_io/reading/record_ploidy.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "genotypes/genomics/bits.h"

namespace haplospin {
namespace {

size_t Ploidy(const std::vector<bool>& is_haploid, size_t sample) { return IsHaploid(is_haploid, sample) ? 1 : 2; }

// [rows, haplotypes] bits of samples that had another ploidy.
std::vector<uint64_t> BitsWithPloidy(const std::vector<uint64_t>& bits, size_t num_rows, size_t num_samples,
                                     const std::vector<bool>& was_haploid, const std::vector<bool>& is_haploid) {
  if (bits.empty()) return {};
  const size_t old_words = bits.size() / num_rows, words = WordsOf(CountHaplotypes(is_haploid, num_samples));
  std::vector<uint64_t> result(num_rows * words);
  for (size_t row = 0; row < num_rows; ++row) {
    size_t from = 0, to = 0;
    for (size_t s = 0; s < num_samples; ++s) {
      const size_t had = Ploidy(was_haploid, s);
      for (size_t i = 0; i < Ploidy(is_haploid, s); ++i, ++to) {
        const size_t h = from + std::min(i, had - 1);
        result[row * words + to / 64] |= (bits[row * old_words + h / 64] >> h % 64 & 1) << to % 64;
      }
      from += had;
    }
  }
  return result;
}

// Returns whether all alleles of each sample are missing.
std::vector<bool> WithoutAlleles(const ParsedRecord& record, size_t num_samples) {
  std::vector<bool> result(num_samples);
  if (record.missing.empty()) return result;
  size_t h = 0;
  for (size_t s = 0; s < num_samples; ++s) {
    const size_t ploidy = Ploidy(record.is_haploid, s);
    result[s] = HasBit(record.missing, h) && HasBit(record.missing, h + ploidy - 1);
    h += ploidy;
  }
  return result;
}

}  // namespace

size_t CountHaplotypes(const std::vector<bool>& is_haploid, size_t num_samples) {
  return 2 * num_samples - static_cast<size_t>(std::ranges::count(is_haploid, true));
}

size_t CountMissing(const ParsedRecord& record) { return CountBits(record.missing); }

size_t FirstSampleWithMissing(const ParsedRecord& record, size_t num_samples) {
  size_t h = 0, s = 0;
  for (; s + 1 < num_samples; ++s) {
    const size_t ploidy = Ploidy(record.is_haploid, s);
    if (HasBit(record.missing, h) || HasBit(record.missing, h + ploidy - 1)) break;
    h += ploidy;
  }
  return s;
}

void SetPloidy(std::vector<bool> is_haploid, size_t num_samples, ParsedRecord& record) {
  record.bits = BitsWithPloidy(record.bits, record.alts.size(), num_samples, record.is_haploid, is_haploid);
  record.missing = BitsWithPloidy(record.missing, 1, num_samples, record.is_haploid, is_haploid);
  record.is_haploid = std::move(is_haploid);
}

void SetPloidyWithoutAlleles(const std::vector<bool>& is_haploid, size_t num_samples, ParsedRecord& record) {
  if (record.is_haploid == is_haploid) return;
  const std::vector<bool> has_none = WithoutAlleles(record, num_samples);
  std::vector<bool> flags(num_samples);
  for (size_t s = 0; s < num_samples; ++s) flags[s] = IsHaploid(has_none[s] ? is_haploid : record.is_haploid, s);
  if (std::ranges::count(flags, true) == 0) flags.clear();
  SetPloidy(std::move(flags), num_samples, record);
}

void HaploidSamples::Add(const ParsedRecord& record) {
  const std::vector<bool> has_none = WithoutAlleles(record, is_known_.size());
  for (size_t s = 0; s < is_known_.size(); ++s) {
    if (is_known_[s] || has_none[s]) continue;
    is_known_[s] = true;
    is_haploid_[s] = IsHaploid(record.is_haploid, s);
  }
}

bool HaploidSamples::IsComplete() const { return std::ranges::count(is_known_, false) == 0; }

std::vector<bool> HaploidSamples::Take() {
  const auto num_haploid = std::ranges::count(is_haploid_, true);
  if (num_haploid == 0) return {};
  if (num_haploid == std::ranges::count(is_known_, true)) is_haploid_.assign(is_haploid_.size(), true);
  return std::move(is_haploid_);
}

}  // namespace haplospin
