// The ends of reads that are aligned without a gap where the person has an indel.
#pragma once

#include <htslib/sam.h>

#include <cstdint>
#include <string>

#include "genotypes/variant_io/alignments/alignment_file.h"
#include "genotypes/variant_io/alignments/reference_file.h"

namespace haplospin {

// Beyond an indel, an aligner cannot place the few bases of a read's end with a gap, and leaves them one or several
// bases off, with mismatches that look like SNVs. A read with several mismatches near an end has the qualities of its
// bases lowered to those of their alignment (Li 2011, Improving SNP discovery by base alignment quality), by HTSlib.
// Others keep theirs: a single mismatch is more often an ALT allele, and reads with REF would count more than it does.
class TailRealigner {
 public:
  // `reference` must outlive it; without one, nothing is changed. The contig may have another of its names there.
  TailRealigner(const ReferenceFile* reference, std::string contig);

  // Returns the read, or a copy with other qualities, which is there until the next call.
  const bam1_t* Realign(const bam1_t* read);

 private:
  void FindBases(int64_t begin, int64_t end);
  bool HasOddEnd(const bam1_t& read) const;

  const ReferenceFile* const reference_;
  const std::string contig_;
  std::string bases_;  // of the reference
  int64_t first_ = 0;  // position of the first one, 0-based
  int64_t last_ = 0;   // the end that was asked for
  SamRecordHandle copy_;
};

}  // namespace haplospin
