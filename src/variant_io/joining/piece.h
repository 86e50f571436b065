// A file to be joined, read record by record.
#pragma once

#include <string>

#include "variant_io/hts_handles.h"

namespace haplospin {

class Piece {
 public:
  // Throws InputError if the header cannot be read.
  explicit Piece(const std::string& path);

  const std::string& path() const { return path_; }
  htsFile* file() const { return file_.get(); }
  bcf_hdr_t* header() const { return header_.get(); }

  // The next record, which stays valid until the next call, or null at the end. Skips blank lines of text. Throws
  // InputError if the record is damaged or its contig is not declared: text may do without, see DeclareContigs().
  bcf1_t* Next();

  [[noreturn]] void FailDamaged() const;  // at the record read last

 private:
  const std::string path_;
  HtsHandle file_;
  BcfHeaderHandle header_;
  BcfRecordHandle record_;
  KString line_;
};

}  // namespace haplospin
