// A reference sequence in FASTA with an index (.fai).
#pragma once

#include <htslib/faidx.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/contig_index.h"
#include "genotypes/genomics/sites/contig_table.h"
#include "genotypes/variant_io/hts_handles.h"

namespace haplospin {

class ReferenceFile {
 public:
  // Throws InputError if the file or its index is missing or damaged.
  explicit ReferenceFile(const std::string& path);

  const std::string& path() const { return path_; }
  const ContigTable& contigs() const { return contigs_->contigs(); }

  // Returns the bases from `begin` on (0-based), without `end`, or as many as there are; "" for a contig that it does
  // not have under any name. Several threads may call it.
  std::string Bases(const std::string& contig, int64_t begin, int64_t end) const;

 private:
  const std::string path_;
  std::unique_ptr<faidx_t, Deleter<fai_destroy>> index_;
  std::optional<ContigIndex> contigs_;
  mutable std::mutex mutex_;  // HTSlib reads at one place at a time
};

}  // namespace haplospin
