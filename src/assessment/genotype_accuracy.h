// Measures of agreement between true genotypes and imputed ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "genomics/dosage_r2.h"
#include "variant_io/reading/dosage_reader.h"

namespace haplospin {

// Counts of true (row) against imputed (column) genotypes with 0, 1 or 2 ALT alleles. Where posteriors are known the
// imputed genotype is spread over the columns. A haploid genotype counts as homozygous.
struct GenotypeTable {
  std::array<std::array<double, 3>, 3> counts{};

  GenotypeTable& operator+=(const GenotypeTable& other);

  // Share of genotypes that agree.
  double Concordance() const;

  // Share that agree among those where either side carries ALT: 1 - non-reference discordance. kUndefined if none does.
  double NonReferenceConcordance() const;

  // Imputation quality score, Lin et al. 2010 (PLoS ONE 5:e9697): (Po - Pc) / (1 - Pc), where Po is Concordance() and
  // Pc what chance would give with the same margins. kUndefined where Pc is 1.
  double Iqs() const;
};

// One site for all samples; each span has one entry per sample unless stated otherwise.
struct SiteGenotypes {
  std::span<const int8_t> truth;       // ALT alleles, or kMissingGenotype: the sample is left out
  std::span<const uint8_t> ploidy;     // 1 or 2
  std::span<const float> dosage;       // expected ALT alleles, none missing
  std::span<const int8_t> best_guess;  // 0, 1 or 2 ALT alleles (haploid: 0, 2), none missing
  std::span<const float> posteriors;   // [samples, 3] of 0, 1 and 2 ALT alleles (haploid: 0, 2), or empty
  bool minor_is_ref = false;           // correlations are of the minor allele
};

// Sums over the genotypes of a site, of a sample, or of a group of sites.
struct AccuracySums {
  DosageSums minor;          // of the minor allele
  DosageSums alt;            // of ALT
  GenotypeTable best_guess;  // for concordance
  GenotypeTable posterior;   // for IQS; best guesses where there are no posteriors

  AccuracySums& operator+=(const AccuracySums& other);
};

// The sums of one site. Each sample's genotype is added to its entry of `per_sample` too.
AccuracySums MeasureSite(const SiteGenotypes& site, std::span<AccuracySums> per_sample);

}  // namespace haplospin
