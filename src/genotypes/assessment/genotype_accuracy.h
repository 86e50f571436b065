// Measures of agreement between true genotypes and imputed ones: of a site, a sample, or the sites of a range of
// minor-allele frequency.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include "genotypes/genomics/dosage_r2.h"

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

// The genotypes of all samples at a site; each span has an entry per sample unless stated otherwise.
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
  DosageSums minor;          // dosages of the minor allele
  DosageSums alt;            // dosages of ALT
  GenotypeTable best_guess;  // table of the concordance
  GenotypeTable posterior;   // table of the IQS; counts best guesses if the file has no posteriors

  AccuracySums& operator+=(const AccuracySums& other);
};

// The sums of one site. Each sample's genotype is added to its entry of `per_sample` too.
AccuracySums MeasureSite(const SiteGenotypes& site, std::span<AccuracySums> per_sample);

// The mean of values as they come in.
class Mean {
 public:
  void Add(double value) {
    sum_ += value;
    ++count_;
  }
  size_t count() const { return count_; }
  double value() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : kUndefined; }

 private:
  double sum_ = 0;
  size_t count_ = 0;
};

// The sites that have a minor-allele frequency in a range.
struct MafGroup {
  double from = 0;
  double to = 0.5;
  bool includes_from = true;  // bins are (from, to], so that they do not overlap; the others [from, to]

  bool Contains(double maf) const { return (includes_from ? maf >= from : maf > from) && maf <= to; }
};

// The bins of published comparisons, then MAF >= 0.5 %, >= 1 %, >= 5 %, and all sites.
inline constexpr MafGroup kMafGroups[] = {
    {0, .0005, false}, {.0005, .001, false}, {.001, .002, false}, {.002, .005, false}, {.005, .01, false},
    {.01, .02, false}, {.02, .05, false},    {.05, .1, false},    {.1, .2, false},     {.2, .5, false},
    {.from = .005},    {.from = .01},        {.from = .05},       {.from = 0}};
inline constexpr size_t kNumMafBins = 10;
enum MafGroupIndex : size_t {
  kFromHalfPercent = kNumMafBins,
  kFromOnePercent,
  kFromFivePercent,
  kAllSites,
  kNumMafGroups
};
static_assert(std::size(kMafGroups) == kNumMafGroups);

// Undefined measures are NaN. Correlations are between the dosage of the minor allele and its true count, unless stated
// otherwise.
struct GroupAccuracy {
  size_t sites = 0;
  size_t varying_sites = 0;     // whose true genotypes differ between samples: those of mean_r2 and iqs
  size_t missing_sites = 0;     // sites that the imputed file lacks; scored as the mean dosage
  double r2 = kUndefined;       // squared Pearson correlation, genotypes of all sites pooled
  double alt_r2 = kUndefined;   // the same of the ALT allele, as in the SPIN paper
  double mean_r2 = kUndefined;  // mean over varying sites of the site's own; 0 where the imputed dosage is constant
  double mse = kUndefined;      // mean squared error of the dosage
  double concordance = kUndefined;
  double non_reference_concordance = kUndefined;
  double iqs = kUndefined;                      // mean over varying sites
  size_t rated_sites = 0;                       // varying ones that come with an estimate of their r2 (DR2)
  double dr2_mean_absolute_error = kUndefined;  // difference between the estimate and the site's r2
  double dr2_mean_error = kUndefined;           // above 0: the estimates are too high
};

// Accumulates the measures of a group of sites.
class GroupTally {
 public:
  // The sums are those of a site; `estimated_r2` (DR2) may be NaN.
  void Add(const AccuracySums& site, bool is_missing, double estimated_r2);

  GroupAccuracy Accuracy() const;

 private:
  AccuracySums sums_;
  size_t sites_ = 0, missing_sites_ = 0;
  Mean r2_, iqs_, dr2_absolute_error_, dr2_error_;
};

// Pairs of a predicted probability and the truth (0 or 1, or a fraction), in bins of equal width of the probability.
class Calibration {
 public:
  static constexpr size_t kBins = 20;
  struct Bin {
    double count = 0;
    double predicted = 0, observed = 0;  // sums

    double MeanPredicted() const { return predicted / count; }  // NaN without pairs
    double MeanObserved() const { return observed / count; }
  };

  // `predicted` beyond 0 to 1 falls into the first or last bin.
  void Add(double predicted, double observed) {
    const double place = predicted * double{kBins};
    Bin& bin = bins_[place < 1 ? 0 : place >= kBins ? kBins - 1 : static_cast<size_t>(place)];
    bin.count += 1;
    bin.predicted += predicted;
    bin.observed += observed;
  }

  const std::array<Bin, kBins>& bins() const { return bins_; }

  // Mean over the pairs of the difference between their bin's means; NaN without pairs.
  double MeanError() const {
    double count = 0, error = 0;
    for (const Bin& bin : bins_) {
      count += bin.count;
      error += std::abs(bin.predicted - bin.observed);
    }
    return error / count;
  }

 private:
  std::array<Bin, kBins> bins_;
};

}  // namespace haplospin
