#include "genotypes/assessment/checking/site_quality.h"

#include <algorithm>
#include <utility>

#include "genotypes/genomics/sites/site_relation.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr double kOftenMissing = 0.1, kRare = 0.01, kMinProbability = 1e-6;

GenotypeCounts CountGenotypes(const SampleTable& samples, const std::vector<uint8_t>& alleles) {
  GenotypeCounts counts;
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    const uint32_t h = samples.first_haplotype[s];
    if (samples.ploidy(s) != 2 || alleles[h] == kMissingAllele || alleles[h + 1] == kMissingAllele) continue;
    const int count = alleles[h] + alleles[h + 1];
    ++(count == 0 ? counts.ref : count == 1 ? counts.het : counts.alt);
  }
  return counts;
}

}  // namespace

void SiteQuality::Add(const std::string& contig, const Marker& marker, const SampleTable& samples,
                      const std::vector<uint8_t>& alleles) {
  const auto missing = static_cast<size_t>(std::ranges::count(alleles, kMissingAllele));
  often_missing += static_cast<double>(missing) > kOftenMissing * static_cast<double>(alleles.size());
  without_alt += !marker.HasAlt();
  if (!marker.HasAlt()) return;
  strand_ambiguous += IsStrandAmbiguous(marker);
  const size_t known = alleles.size() - missing;
  const auto alt = static_cast<size_t>(std::ranges::count(alleles, 1));
  const size_t minor = std::min(alt, known - alt);
  if (known == 0) return;
  monomorphic += minor == 0;
  rare += minor > 0 && static_cast<double>(minor) < kRare * static_cast<double>(known);
  if (ExcessHeterozygosity(CountGenotypes(samples, alleles)) >= kMinProbability) return;
  if (heterozygous++ == 0) first_heterozygous = SiteName(contig, marker);
}

// Computes relative probabilities from one number of heterozygotes to the next. The most probable number has 1, because
// the probabilities of numbers far from it may be too small for a double.
double ExcessHeterozygosity(const GenotypeCounts& counts) {
  const size_t genotypes = counts.ref + counts.het + counts.alt;
  const size_t minor = 2 * std::min(counts.ref, counts.alt) + counts.het;
  if (minor == 0) return 1;
  size_t most_probable = minor * (2 * genotypes - minor) / (2 * genotypes);
  if (most_probable % 2 != minor % 2) ++most_probable;
  double total = 0, at_least = 0;
  const auto add = [&](size_t het, double probability) {
    total += probability;
    if (het >= counts.het) at_least += probability;
  };
  // The product of the numbers of homozygotes of either allele, and the product with one more of each.
  const auto homozygotes = [&](size_t het) {
    const size_t minor_homozygotes = (minor - het) / 2, major_homozygotes = genotypes - het - minor_homozygotes;
    return std::pair(static_cast<double>(minor_homozygotes) * static_cast<double>(major_homozygotes),
                     static_cast<double>(minor_homozygotes + 1) * static_cast<double>(major_homozygotes + 1));
  };
  add(most_probable, 1);
  double probability = 1;
  for (size_t het = most_probable; het >= 2; het -= 2) {
    const auto n = static_cast<double>(het);
    add(het - 2, probability *= n * (n - 1) / (4 * homozygotes(het).second));
  }
  probability = 1;
  for (size_t het = most_probable; het + 2 <= minor; het += 2) {
    const auto n = static_cast<double>(het);
    add(het + 2, probability *= 4 * homozygotes(het).first / ((n + 2) * (n + 1)));
  }
  return std::min(at_least / total, 1.0);
}

}  // namespace haplospin
