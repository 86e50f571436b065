// The joined header of several VCF or BCF files.
#pragma once

#include <string>
#include <vector>

#include "variant_io/hts_handles.h"

namespace haplospin {

// Declares the contigs that are not declared yet.
void DeclareContigs(const std::vector<std::string>& names, bcf_hdr_t* header);

class JoinedHeader {
 public:
  // Adds what the header of another file declares in addition. Throws InputError if its samples differ from the first
  // file's, or it declares an INFO or FORMAT field with another type.
  void Add(const std::string& path, const bcf_hdr_t* header);

  void AddLine(const std::string& line);

  bcf_hdr_t* get() const { return joined_.get(); }

  // Whether records of `header` can be used unchanged with the joined one: BCF refers to fields and contigs by their
  // index in the header.
  bool IsAsFirst(const bcf_hdr_t* header) const;

 private:
  std::string first_path_;
  std::string first_declarations_;
  BcfHeaderHandle joined_;
};

}  // namespace haplospin
