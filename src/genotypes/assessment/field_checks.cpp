#include "genotypes/assessment/field_checks.h"

#include <fmt/format.h>

#include <cmath>

#include "core/counted.h"
#include "core/log.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr float kScaleTolerance = 0.01f;  // of rounding

// The largest difference between DS and the mean of GP. Both are rounded to two decimals by many programs.
constexpr float kPosteriorTolerance = 0.1f;

// The largest mean difference, of an allele, between the dosages of a site and its genotypes, which are the likely
// ones.
constexpr double kMaxGenotypeDifference = 0.25;

// Returns whether the dosages fit the genotypes better if they count REF.
bool HasOtherAllele(const DosageRow& row) {
  double alleles = 0, difference = 0, opposite = 0;
  for (size_t s = 0; s < row.dosages.size(); ++s) {
    if (row.genotypes[s] == kMissingGenotype || std::isnan(row.dosages[s])) continue;
    const double copies = row.ploidy[s], genotype = row.genotypes[s], dosage = row.dosages[s];
    alleles += copies;
    difference += std::abs(genotype - dosage);
    opposite += std::abs(genotype - (copies - dosage));
  }
  return difference > kMaxGenotypeDifference * alleles && opposite < difference;
}

// Returns the number of samples whose GP have another mean than their DS.
size_t CountOddPosteriors(const DosageRow& row) {
  size_t count = 0;
  for (size_t s = 0; 3 * s < row.posteriors.size(); ++s) {
    const float* p = &row.posteriors[3 * s];
    const float mean = (p[1] + 2 * p[2]) * static_cast<float>(row.ploidy[s]) / 2;
    count += std::abs(mean - row.dosages[s]) > kPosteriorTolerance;  // false if one is missing
  }
  return count;
}

}  // namespace

void FieldChecks::Finding::Add(const DosageRow& row, size_t found) {
  if (count == 0 && found > 0) first = SiteName(row.contig, row.marker);
  count += found;
}

void FieldChecks::Add(const DosageRow& row) {
  CheckScale(row);
  alleles_.Add(row, HasOtherAllele(row) ? 1 : 0);
  posteriors_.Add(row, CountOddPosteriors(row));
}

void FieldChecks::CheckScale(const DosageRow& row) const {
  for (size_t s = 0; s < samples_.size(); ++s) {
    if (row.ploidy[s] != 1 || !(row.dosages[s] > 1 + kScaleTolerance)) continue;
    throw InputError(
        fmt::format("{}: {}: sample {} has one allele in GT, but DS {:.4g}; bcftools +fixploidy changes GT alone: "
                    "evaluate the file as it was imputed",
                    path_, SiteName(row.contig, row.marker), samples_[s], row.dosages[s]));
  }
}

void FieldChecks::Warn() const {
  if (alleles_.count > 0) {
    LogWarning(
        "{}: GT and DS of {} count different alleles (first: {}); bcftools norm -c s and Picard's LiftoverVcf "
        "exchange GT alone; DS is scored as it is",
        path_, Counted(alleles_.count, "site"), alleles_.first);
  }
  if (posteriors_.count > 0) {
    LogWarning(
        "{}: GP of {} have another mean than DS (first at {}); r2 and errors are of DS, IQS and the calibration of "
        "probabilities of GP",
        path_, Counted(posteriors_.count, "genotype"), posteriors_.first);
  }
}

}  // namespace haplospin
