#include "imputation/phasing/diploid_sample.h"

#include <utility>

namespace haplospin {

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
