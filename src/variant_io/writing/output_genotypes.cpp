#include "variant_io/writing/output_genotypes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "genomics/dosage_r2.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

void OutputGenotypes::Assign(const DosageRecord& record) {
  const size_t n = record.in_panel ? record.dosages.size() : record.typed_alleles.size();
  HS_ASSERT(record.typed_alleles.empty() || record.typed_alleles.size() == n);
  probability.resize(n);
  allele.resize(n);
  if (record.in_panel) {
    exact_.assign(record.dosages.begin(), record.dosages.end());
    for (size_t h = 0; h < n; ++h) {
      probability[h] = QuantizeProbability(exact_[h], kProbabilityOne);
      allele[h] = 2 * probability[h] > kProbabilityOne ? 1 : 0;
    }
  } else {
    std::ranges::fill(probability, kNoProbability);
    std::ranges::fill(allele, kMissingAllele);
    exact_.clear();
  }
  er2.reset();
  if (!record.left_out.empty()) er2 = EmpiricalR2(record.left_out, record.typed_alleles);
  for (size_t h = 0; h < record.typed_alleles.size(); ++h) {
    const uint8_t typed = record.typed_alleles[h];
    if (typed == kMissingAllele) continue;
    probability[h] = typed == 0 ? 0 : kProbabilityOne;
    allele[h] = typed;
    if (record.in_panel) {
      exact_[h] = typed;
    } else {
      exact_.push_back(typed);
    }
  }
  alt_frequency.reset();
  dr2.reset();
  if (exact_.empty() || record.marker->alt == ".") return;
  alt_frequency = std::accumulate(exact_.begin(), exact_.end(), 0.0) / static_cast<double>(exact_.size());
  HS_ASSERT(std::isfinite(*alt_frequency));
  if (record.in_panel) dr2 = EstimatedDosageR2(exact_);
}

}  // namespace haplospin
