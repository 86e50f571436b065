#include "genomics/output_genotypes.h"

#include <algorithm>

#include "haplospin/core/errors.h"
#include "haplospin/genomics/accuracy.h"
#include "haplospin/genomics/study_genotypes.h"

namespace haplospin {
namespace {

uint16_t Rounded(float probability) {
  return static_cast<uint16_t>(std::clamp(probability, 0.0f, 1.0f) * float{kProbabilityOne} + 0.5f);
}

}  // namespace

void OutputGenotypes::Assign(const DosageRecord& record) {
  const size_t n = record.in_panel ? record.dosages.size() : record.typed_alleles.size();
  HS_ASSERT(record.typed_alleles.empty() || record.typed_alleles.size() == n);
  probability.resize(n);
  allele.resize(n);
  exact_.clear();
  for (size_t h = 0; h < n; ++h) {
    const uint8_t typed = record.typed_alleles.empty() ? kMissingAllele : record.typed_alleles[h];
    if (typed != kMissingAllele) {
      probability[h] = typed == 0 ? 0 : kProbabilityOne;
      allele[h] = typed;
      exact_.push_back(typed);
    } else if (record.in_panel) {
      HS_ASSERT(record.dosages[h] == record.dosages[h]);  // a number
      probability[h] = Rounded(record.dosages[h]);
      allele[h] = 2 * probability[h] > kProbabilityOne ? 1 : 0;
      exact_.push_back(record.dosages[h]);
    } else {
      probability[h] = kNoProbability;
      allele[h] = kMissingAllele;
    }
  }
  alt_frequency.reset();
  dr2.reset();
  if (exact_.empty() || record.marker->alt == ".") return;
  double sum = 0;
  for (const float p : exact_) sum += p;
  alt_frequency = sum / static_cast<double>(exact_.size());
  if (record.in_panel) dr2 = EstimatedDosageR2(exact_);
}

}  // namespace haplospin
