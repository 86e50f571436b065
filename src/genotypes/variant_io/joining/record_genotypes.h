// GT and PS of a record, sample by sample.
#pragma once

#include <htslib/vcf.h>

#include <cstddef>
#include <cstdint>

#include "genotypes/variant_io/joining/format_values.h"
#include "genotypes/variant_io/joining/phase_changes.h"

namespace haplospin {

class RecordGenotypes {
 public:
  // Returns whether the record has GT.
  bool Read(const bcf_hdr_t* header, bcf1_t* record) {
    has_sets_ = sets_.Read(header, record, "PS") && sets_.width() == 1;
    return values_.Read(header, record, "GT");
  }

  bool IsDiploid(size_t sample) const { return values_.width() == 2 && at(sample)[1] != bcf_int32_vector_end; }
  bool IsPhased(size_t sample) const { return IsDiploid(sample) && bcf_gt_is_phased(at(sample)[1]); }
  bool IsPhasedHeterozygote(size_t sample) const {
    return IsPhased(sample) && !bcf_gt_is_missing(at(sample)[0]) && !bcf_gt_is_missing(at(sample)[1]) &&
           allele(sample, 0) != allele(sample, 1);
  }
  int allele(size_t sample, size_t copy) const { return bcf_gt_allele(at(sample)[copy]); }

  bool has_sets() const { return has_sets_; }
  int32_t PhaseSet(size_t sample) const { return has_sets_ ? *sets_.of(sample) : kNoPhaseSet; }

  // The lowest bit says how an allele is joined to the one before it, and stays.
  void Exchange(size_t sample) {
    int32_t* alleles = values_.of(sample);
    const int32_t first = alleles[0], second = alleles[1];
    alleles[0] = (second & ~1) | (first & 1);
    alleles[1] = (first & ~1) | (second & 1);
  }

  const int32_t* all() const { return values_.all(); }
  size_t width() const { return values_.width(); }

 private:
  const int32_t* at(size_t sample) const { return values_.of(sample); }

  FormatValues<int32_t> values_, sets_;
  bool has_sets_ = false;
};

}  // namespace haplospin
