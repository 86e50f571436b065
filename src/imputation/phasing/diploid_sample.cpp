#include "imputation/phasing/diploid_sample.h"

#include <utility>

namespace haplospin {

bool HasSets(const DiploidSample& sample) {
  size_t sets = 0;
  for (size_t h = 0; h + 1 < sample.hets.size(); ++h) {
    sets += !sample.can_switch_after[h] && (h == 0 || sample.can_switch_after[h - 1]);
  }
  return sets > 1;
}

DiploidSample WithoutSets(const DiploidSample& sample) {
  DiploidSample result = sample;
  result.can_flip.assign(sample.hets.size(), true);
  result.can_switch_after.assign(sample.hets.size(), true);
  return result;
}

void TakePhase(const DiploidSample& without_sets, DiploidSample& sample) {
  const auto agrees = [&](size_t h) {
    return without_sets.alleles[0][sample.hets[h]] == sample.alleles[0][sample.hets[h]];
  };
  bool is_turned = false;  // the last heterozygote of a set, relative to `without_sets`
  for (size_t begin = 0, end = 0; begin < sample.hets.size(); begin = end) {
    std::ptrdiff_t agreement = 0;
    for (bool is_last = false; !is_last; ++end) {
      if (!sample.can_flip[end]) agreement += agrees(end) ? 1 : -1;
      is_last = end + 1 == sample.hets.size() || sample.can_switch_after[end];
    }
    for (size_t h = begin; h < end; ++h) {
      const bool exchanges = sample.can_flip[h] ? agrees(h) == is_turned : agreement < 0;
      if (exchanges) std::swap(sample.alleles[0][sample.hets[h]], sample.alleles[1][sample.hets[h]]);
      if (!sample.can_flip[h]) is_turned = !agrees(h);
    }
  }
}

std::vector<bool> CisOf(const DiploidSample& sample) {
  std::vector<bool> cis(sample.hets.size());
  for (size_t h = 1; h < cis.size(); ++h) {
    cis[h] = sample.alleles[0][sample.hets[h]] == sample.alleles[0][sample.hets[h - 1]];
  }
  return cis;
}

void SetCis(const std::vector<bool>& cis, DiploidSample& sample) {
  for (size_t h = 1; h < sample.hets.size(); ++h) {
    uint8_t& first = sample.alleles[0][sample.hets[h]];
    uint8_t& second = sample.alleles[1][sample.hets[h]];
    if ((first == sample.alleles[0][sample.hets[h - 1]]) != cis[h]) std::swap(first, second);
  }
}

}  // namespace haplospin
