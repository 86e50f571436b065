// A reference sequence in FASTA with an index (.fai).
#pragma once

#include <htslib/faidx.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/variant_io/hts_handles.h"

namespace haplospin {

class ReferenceFile {
 public:
  // Throws InputError if the file or its index is missing or damaged.
  explicit ReferenceFile(const std::string& path);

  const std::string& path() const { return path_; }
  const std::vector<std::pair<std::string, int64_t>>& contigs() const { return contigs_; }  // name and length, bp

  // Returns the bases from `begin` on (0-based), without `end`, or as many as there are; "" for a contig that it does
  // not have under any name.
  std::string Bases(const std::string& contig, int64_t begin, int64_t end) const;

 private:
  const std::string path_;
  std::unique_ptr<faidx_t, Deleter<fai_destroy>> index_;
  std::vector<std::pair<std::string, int64_t>> contigs_;
};

}  // namespace haplospin
