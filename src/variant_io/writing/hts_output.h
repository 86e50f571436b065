// A VCF or BCF file that HTSlib writes.
#pragma once

#include <string>
#include <string_view>

#include "core/output_file.h"
#include "variant_io/hts_handles.h"
#include "variant_io/writing/output_type.h"

namespace haplospin {

// The header of BCF records, from that of VCF text.
BcfHeaderHandle ParseHeader(std::string text);

// Writes to the temporary file of `output`; after Close() this is complete. Throws InputError if it cannot be written.
class HtsOutput {
 public:
  // `type` is VCF or BCF, resolved. Writes the header that records have, or none if all is text: null. Both `output`
  // and `header` must outlive it.
  HtsOutput(OutputFile& output, OutputType type, bcf_hdr_t* header);

  void WriteRecord(bcf1_t* record);
  void WriteBytes(std::string_view bytes);  // before compression: of VCF, its text

  // Of a compressed file: ends a block, after which compressed blocks can be added as they are.
  void EndBlock();
  void WriteBlocks(std::string_view blocks);

  void Close();

 private:
  void Expect(bool is_written);

  OutputFile& output_;
  bcf_hdr_t* header_;
  HtsHandle file_;
};

}  // namespace haplospin
