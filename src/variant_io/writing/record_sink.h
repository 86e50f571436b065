// The destination of output records: VCF text, BCF or BGEN.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/output_file.h"
#include "variant_io/writing/dosage_writer.h"
#include "variant_io/writing/record_counts.h"

namespace haplospin {

// Records are formatted in blocks, in parallel, which are then written in order. Write() and Close() throw InputError
// if the file cannot be written.
class RecordSink {
 public:
  virtual ~RecordSink() = default;

  // Formats records into block `block` < the number of blocks; no other thread may use this block at the same time.
  virtual void Format(const std::string& contig, std::span<const DosageRecord> records, size_t block) = 0;
  virtual void Write(size_t block) = 0;
  virtual void Close() = 0;
};

// The parameters of every sink. References must outlive the sink.
struct SinkSettings {
  OutputFile& output;
  OutputType type;  // resolved
  const VariantHeader& header;
  const SampleTable& samples;  // their ploidy may change between blocks
  OutputFields fields;
  size_t num_blocks;
  RecordCounts& counts;
};

std::unique_ptr<RecordSink> MakeVcfSink(const SinkSettings& settings);
std::unique_ptr<RecordSink> MakeBcfSink(const SinkSettings& settings);
std::unique_ptr<RecordSink> MakeBgenSink(const SinkSettings& settings);

}  // namespace haplospin
