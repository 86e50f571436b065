// Dosages, posteriors and estimates of r2 of one record, decoded from VCF text or BCF.
#pragma once

#include <htslib/vcf.h>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace haplospin {

struct DecodedDosages {
  static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

  size_t num_alts = 0;
  std::vector<float> dosages;     // DS: [samples, ALTs], NaN where missing; empty without DS
  std::vector<float> posteriors;  // GP: [samples, 3], NaN beyond what is given; empty without GP, or with several ALTs
  // [samples, 2] HDS, or AP1 and AP2, NaN beyond what is given; empty without them, with DS, or with several ALTs
  std::vector<float> haplotypes;
  // Of a marker's r2, the first that a record has: Beagle's and haplospin's (DR2), Minimac's (R2), or GLIMPSE's and
  // IMPUTE's (INFO).
  std::vector<float> estimated_r2;  // [ALTs], NaN where missing
  std::vector<float> empirical_r2;  // ER2: the same

  // Forgets an earlier record; this one has no dosages so far.
  void Clear(size_t alts);
};

// Decode the values of a record whose ALTs are counted in `dosages`, which is cleared. Throw InputError, whose message
// names the sample but neither file nor record, for values that are no dosages or probabilities.
void DecodeDosages(std::string_view line, const std::vector<std::string>& samples, DecodedDosages& dosages);
void DecodeDosages(const bcf_hdr_t* header, bcf1_t& record, const std::vector<std::string>& samples,
                   DecodedDosages& dosages);

}  // namespace haplospin
