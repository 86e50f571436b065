// Writes genotypes as VCF, VCF.gz or BCF.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "genotypes/variant_io/writing/output_type.h"
#include "haplospin/haplotype_panel.h"
#include "haplospin/marker.h"

namespace haplospin {

// Writes to a temporary file in the folder of `path`, which Finish() renames. If it is destroyed before, no file is
// left. Throws InputError if the file cannot be written, or the disk is full.
class GenotypeWriter {
 public:
  GenotypeWriter(const std::string& path, OutputType type, const VariantHeader& header, const SampleTable& samples);
  ~GenotypeWriter();

  // A marker with FORMAT GT, and INFO AC and AN. Markers come sorted, their contigs are in the header. `alleles` has
  // those of the haplotypes of `samples`: 0, 1 or kMissingAllele. The samples are those of the constructor, of which
  // some may lack and are written as haploid and missing; their ploidy may be another. unphased[s] is 1 where a
  // sample's alleles may be in either order; empty: all are phased.
  void Write(const std::string& contig, const Marker& marker, const SampleTable& samples,
             std::span<const uint8_t> alleles, std::span<const uint8_t> unphased = {});

  // Does what DosageWriter::Finish() does.
  void Finish(IndexType index);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace haplospin
