// Output records as BCF.
#pragma once

#include <string>
#include <vector>

#include "variant_io/hts_handles.h"
#include "variant_io/writing/dosage_writer.h"
#include "variant_io/writing/output_genotypes.h"

namespace haplospin {

// Holds the arrays of one thread's record while HTSlib packs them.
class BcfEncoder {
 public:
  BcfEncoder(const bcf_hdr_t* header, const SampleTable& samples, OutputFields fields);

  // Overwrites `out` with the record; the same as AppendVcfLine() as text.
  void Encode(const std::string& contig, const DosageRecord& record, const OutputGenotypes& genotypes, bcf1_t* out);

 private:
  void EncodeInfo(const DosageRecord& record, const OutputGenotypes& genotypes, bcf1_t* out);
  void EncodeGenotypes(const DosageRecord& record, const OutputGenotypes& genotypes, bcf1_t* out);
  void EncodeDosages(const OutputGenotypes& genotypes, bcf1_t* out);
  void EncodePosteriors(const OutputGenotypes& genotypes, bcf1_t* out);
  void EncodeHaplotypes(const OutputGenotypes& genotypes, OutputFields fields, bcf1_t* out);
  void EncodeLeftOut(const DosageRecord& record, bcf1_t* out);
  void EncodePhase(const DosageRecord& record, bcf1_t* out);
  void UpdateFloats(const char* key, bcf1_t* out);

  const bcf_hdr_t* header_;
  const SampleTable& samples_;
  OutputFields fields_;
  std::vector<int32_t> alleles_;
  std::vector<float> floats_;
};

}  // namespace haplospin
