// The VCF or BCF files to be joined, and their joined header.
#pragma once

#include <string>
#include <vector>

#include "variant_io/hts_handles.h"

namespace haplospin {

// A file, read record by record.
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

  [[noreturn]] void FailDamaged() const;  // names the record read last

 private:
  const std::string path_;
  HtsHandle file_;
  BcfHeaderHandle header_;
  BcfRecordHandle record_;
  KString line_;
};

// Declares the contigs that are not declared yet.
void DeclareContigs(const std::vector<std::string>& names, bcf_hdr_t* header);

class JoinedHeader {
 public:
  // Adds what the header of another file declares in addition. Throws InputError if its samples differ from the first
  // file's, or it declares an INFO or FORMAT field with another type.
  void Add(const std::string& path, const bcf_hdr_t* header);

  void AddLine(const std::string& line);

  bcf_hdr_t* get() const { return joined_.get(); }

  // Returns whether records of `header` can be used unchanged with the joined one: BCF refers to fields and contigs by
  // their index in the header.
  bool IsAsFirst(const bcf_hdr_t* header) const;

 private:
  std::string first_path_;
  std::string first_declarations_;
  BcfHeaderHandle joined_;
};

}  // namespace haplospin
