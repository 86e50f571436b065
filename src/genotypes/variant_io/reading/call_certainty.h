// Whether the genotypes of a study are calls from few reads.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/variant_io/reading/likelihood_calls.h"
#include "genotypes/variant_io/reading/study_reader.h"

namespace haplospin {

// How many genotypes are uncertain by the likelihoods of their reads: another genotype is at least a twentieth as
// likely.
struct CallCertainty {
  static constexpr double kMaxUncertain = 0.1;  // share where there are enough reads to call genotypes

  LikelihoodField field = LikelihoodField::kNone;
  size_t genotypes = 0, uncertain = 0;

  double UncertainShare() const { return static_cast<double>(uncertain) / static_cast<double>(genotypes); }
  bool AreFewReads() const { return UncertainShare() > kMaxUncertain; }
};

// Measures how many genotypes of the first markers are uncertain by their likelihoods: PL, GL or, where neither is
// there, numbers of reads (AD). Returns nullopt if the study has none of them, or cannot be read twice. Throws
// InputError where the field is damaged. The options but their likelihoods are those that the study is read with.
std::optional<CallCertainty> MeasureCallCertainty(const std::string& study, StudyOptions options,
                                                  const std::optional<PloidyRegions>& regions);

}  // namespace haplospin
