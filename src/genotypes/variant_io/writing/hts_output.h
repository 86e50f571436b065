// Writes variant files through HTSlib, and ends the output of every variant file: its name, its index, or an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/output_file.h"
#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/writing/output_type.h"

namespace haplospin {

// Returns the header of BCF records, from that of VCF text.
BcfHeaderHandle ParseHeader(std::string text);

// Writes to the temporary file of `output`; after Close() this is complete. Throws InputError if it cannot be written.
class HtsOutput {
 public:
  // `type` is VCF or BCF, resolved. Writes the header that records have, or none if all is text: null. Both `output`
  // and `header` must outlive it.
  HtsOutput(OutputFile& output, OutputType type, bcf_hdr_t* header);

  void WriteRecord(bcf1_t* record);
  void WriteBytes(std::string_view bytes);  // the bytes before compression: the text of VCF

  // Ends a block of a compressed file, after which compressed blocks can be added as they are.
  void EndBlock();
  void WriteBlocks(std::string_view blocks);

  void Close();

 private:
  void Expect(bool is_written);

  OutputFile& output_;
  bcf_hdr_t* header_;
  HtsHandle file_;
  bool has_prefixes_ = false;  // of genotypes, which text may have
  KString line_;
};

// The compression level of BGZF. It takes a third of the time of the usual level 6 for files a tenth larger.
inline constexpr int kCompressionLevel = 4;

// Throws InputError that says why the file cannot be written: from errno, which was 0 before.
[[noreturn]] void FailToWrite(OutputFile& output);

// A variant file that is complete, and its index, under temporary names.
class CompletedVariants {
 public:
  // Writes the index of a complete file; `last_position` (bp, on any contig) tells whether it is within the limit of
  // .tbi. `type` is resolved, and one that CanBeIndexed() allows. `output` must outlive the object. Throws InputError
  // if either cannot be written.
  CompletedVariants(OutputFile& output, OutputType type, IndexType index_type, int64_t last_position);

  // Gives both their names. Throws InputError if that fails, which leaves the file if only the index has none.
  void Commit();

 private:
  OutputFile& output_;
  std::optional<OutputFile> index_;
};

// Completes and commits a file and its index. Throws InputError if either cannot be written; then neither is left,
// unless the index cannot be renamed after the file was.
void CommitVariants(OutputFile& output, OutputType type, IndexType index_type, int64_t last_position);

}  // namespace haplospin
