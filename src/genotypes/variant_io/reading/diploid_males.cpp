#include "genotypes/variant_io/reading/diploid_males.h"

#include <algorithm>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// One woman may be without heterozygotes in a part of X, whose parents are relatives; several women are not.
constexpr double kMinExpected = 50;
constexpr double kMaxShare = 0.02;         // of the expected ones, which are genotyping errors of a male
constexpr int64_t kMinSpan = 20'000'000;   // bp
constexpr size_t kMinSamplesOfShort = 3;   // over a shorter span
constexpr double kMinShareOfShort = 0.05;  // of the diploid samples

}  // namespace

DiploidMaleSearch::DiploidMaleSearch(const SampleTable& samples)
    : samples_(samples), expected_(samples.num_samples()), observed_(samples.num_samples()) {}

void DiploidMaleSearch::Add(int64_t position, const std::vector<uint8_t>& alleles) {
  if (first_ < 0) first_ = position;
  last_ = position;
  const auto known =
      static_cast<double>(alleles.size()) - static_cast<double>(std::ranges::count(alleles, kMissingAllele));
  const double alt = known == 0 ? 0 : static_cast<double>(std::ranges::count(alleles, 1)) / known;
  if (alt == 0 || alt == 1) return;
  for (size_t s = 0; s < expected_.size(); ++s) {
    const uint32_t h = samples_.first_haplotype[s];
    if (samples_.ploidy(s) != 2 || alleles[h] == kMissingAllele || alleles[h + 1] == kMissingAllele) continue;
    expected_[s] += 2 * alt * (1 - alt);
    observed_[s] += alleles[h] != alleles[h + 1] ? 1 : 0;
  }
}

DiploidMales DiploidMaleSearch::Find() const {
  DiploidMales found;
  size_t diploid = 0;
  for (size_t s = 0; s < expected_.size(); ++s) {
    if (samples_.ploidy(s) == 1) ++found.haploid;
    if (samples_.ploidy(s) == 1) continue;
    ++diploid;
    const bool is_homozygous = expected_[s] >= kMinExpected && observed_[s] <= kMaxShare * expected_[s];
    if (is_homozygous && found.samples++ == 0) found.first = samples_.names[s];
  }
  const bool are_several = found.samples >= kMinSamplesOfShort &&
                           static_cast<double>(found.samples) >= kMinShareOfShort * static_cast<double>(diploid);
  const bool is_certain = found.haploid > 0 && (are_several || last_ - first_ >= kMinSpan);
  return is_certain ? found : DiploidMales();
}

}  // namespace haplospin
