// Writes genotypes as VCF, VCF.gz or BCF.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/output_file.h"
#include "genotypes/variant_io/writing/output_type.h"
#include "genotypes/variant_io/writing/writer_state.h"
#include "haplospin/haplotype_panel.h"
#include "haplospin/marker.h"

namespace haplospin {

// The FORMAT fields beside GT.
struct GenotypeFields {
  bool phase_sets = false;  // PS, in the records that have phase sets
};

// Writes to a temporary file in the folder of `path`, which Finish() renames. If it is destroyed before, no file is
// left, except with OutputFile::Unfinished::kKeep. Throws InputError if the file cannot be written, or the disk is
// full. The bytes do not depend on the number of threads.
class GenotypeWriter {
 public:
  GenotypeWriter(const std::string& path, OutputType type, const VariantHeader& header, const SampleTable& samples,
                 OutputFile::Unfinished unfinished = OutputFile::Unfinished::kRemove, GenotypeFields fields = {});
  ~GenotypeWriter();

  // A marker with FORMAT GT, and INFO AC and AN. Markers come sorted, their contigs are in the header. `alleles` has
  // those of the haplotypes of `samples`: 0, 1 or kMissingAllele. The samples are those of the constructor, of which
  // some may lack and are written as haploid and missing; their ploidy may be another. unphased[s] is 1 where a
  // sample's alleles may be in either order; empty: all are phased. `phase_sets` are those of GenotypeRow, PS + 1 or 0.
  void Write(const std::string& contig, const Marker& marker, const SampleTable& samples,
             std::span<const uint8_t> alleles, std::span<const uint8_t> unphased = {},
             std::span<const uint32_t> phase_sets = {});

  // One ALT of a record, with 1 for each haplotype that has it, 0 or kMissingAllele.
  struct Alt {
    Marker marker;
    std::vector<uint8_t> alleles;
  };

  // A record with these ALTs.
  void WriteRecord(const std::string& contig, std::span<const Alt> alts, const SampleTable& samples,
                   std::span<const uint8_t> unphased = {});

  // Ends a compressed block. Save() does so too: call it where another writer may save, for the same bytes.
  void EndBlock();

  // Do what those of DosageWriter do.
  WriterState Save();
  void Restore(const WriterState& state);
  void Finish(IndexType index);

  // The two steps of Finish(): all that may fail for want of space, after which no marker can be written, and the
  // names. Where several files belong together, each is completed before the first has its name.
  void Complete(IndexType index);
  void Commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace haplospin
