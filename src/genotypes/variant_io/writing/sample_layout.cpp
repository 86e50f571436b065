#include "genotypes/variant_io/writing/sample_layout.h"

#include <utility>

#include "haplospin/errors.h"

namespace haplospin {

SampleLayout::SampleLayout(SampleTable records, const std::vector<std::string>& names, bool doubles_haploids,
                           size_t animals)
    : records_(std::move(records)), written_{names, {0}}, animals_(animals) {
  uint32_t next = 0;
  for (const std::string& name : names) {
    const bool is_present = next < records_.num_samples() && records_.names[next] == name;
    AddSample(is_present ? next++ : kAbsent, doubles_haploids);
  }
  HS_ASSERT(next == records_.num_samples());
  is_same_ = animals == 0 && written_.first_haplotype == records_.first_haplotype && next == names.size();
}

void SampleLayout::AddSample(uint32_t sample, bool doubles_haploids) {
  const bool is_absent = sample == kAbsent;
  const bool is_haploid = is_absent || records_.ploidy(sample) == 1;
  const uint32_t first = is_absent ? kAbsent : records_.first_haplotype[sample];
  samples_.push_back(sample);
  haplotypes_.push_back(first);
  if (!is_haploid) haplotypes_.push_back(first + 1);
  is_doubled_.push_back(doubles_haploids && is_haploid);
  if (is_doubled_.back()) haplotypes_.push_back(first);
  written_.first_haplotype.push_back(static_cast<uint32_t>(haplotypes_.size()));
}

}  // namespace haplospin
