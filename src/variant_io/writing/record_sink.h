// Where output records go: VCF text or BCF.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/output_file.h"
#include "variant_io/writing/dosage_writer.h"

namespace haplospin {

// Records are formatted in blocks, in parallel, which are then written in order. Write() and Close() throw InputError
// if the file cannot be written.
class RecordSink {
 public:
  virtual ~RecordSink() = default;

  // Formats records as block `block` < the number of blocks, which no other thread uses meanwhile.
  virtual void Format(const std::string& contig, std::span<const DosageRecord> records, size_t block) = 0;
  virtual void Write(size_t block) = 0;
  virtual void Close() = 0;
};

// What every sink needs. References stay valid as long as the sink.
struct SinkSettings {
  OutputFile& output;
  OutputType type;  // resolved
  const VariantHeader& header;
  const SampleTable& samples;  // their ploidy may change between blocks
  OutputFields fields;
  int threads;
  size_t num_blocks;
};

std::unique_ptr<RecordSink> MakeVcfSink(const SinkSettings& settings);
std::unique_ptr<RecordSink> MakeBcfSink(const SinkSettings& settings);

}  // namespace haplospin
