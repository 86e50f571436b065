// Output records as variants of BGEN 1.2 (https://www.chg.ox.ac.uk/~gav/bgen_format/spec/v1.2.html).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "variant_io/writing/bgen/bgen_options.h"
#include "variant_io/writing/dosage_writer.h"
#include "variant_io/writing/output_genotypes.h"

namespace haplospin {

// Holds the probabilities of one thread's variant before they are compressed.
class BgenEncoder {
 public:
  BgenEncoder(const SampleTable& samples, BgenOptions options) : samples_(samples), options_(options) {}

  // Appends a record that has an ALT; REF is its first allele. Where the phase of some sample is not known, it has the
  // probabilities of genotypes. Throws InputError if a text is too long for the format.
  void Append(const std::string& contig, const DosageRecord& record, const OutputGenotypes& genotypes,
              std::string& out);

 private:
  void EncodeProbabilities(const DosageRecord& record, const OutputGenotypes& genotypes);
  void EncodeHaplotypes(const uint16_t* alt, size_t count);
  void EncodeGenotype(uint64_t first_alt, uint64_t second_alt);
  void AppendProbability(uint32_t steps);
  uint64_t NumSteps() const { return (uint64_t{1} << options_.bits) - 1; }

  const SampleTable& samples_;
  const BgenOptions options_;
  std::string probabilities_;
};

}  // namespace haplospin
