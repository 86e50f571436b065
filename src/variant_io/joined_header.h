// The header of several VCF or BCF files joined.
#pragma once

#include <string>
#include <vector>

#include "variant_io/hts_handles.h"

namespace haplospin {

// Declares contigs that are not yet.
void DeclareContigs(const std::vector<std::string>& names, bcf_hdr_t* header);

class JoinedHeader {
 public:
  // Takes what the header of a further file declares and the joined one does not. Throws InputError if its samples are
  // others than the first file's, or it declares an INFO or FORMAT field in another way.
  void Add(const std::string& path, const bcf_hdr_t* header);

  void AddLine(const std::string& line);

  bcf_hdr_t* get() const { return joined_.get(); }

  // Whether records under `header` mean the same under the joined one as they are: BCF refers to fields and contigs by
  // their place in the header.
  bool IsAsFirst(const bcf_hdr_t* header) const;

 private:
  std::string first_path_;
  std::string first_declarations_;
  BcfHeaderHandle joined_;
};

}  // namespace haplospin
