// The reads of people at sites, as records with the likelihoods of their genotypes and the alleles of each read.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/alignments/alignment_study.h"
#include "genotypes/variant_io/reading/record_source.h"

namespace haplospin {

// The piece of a contig that is in memory at a time.
struct AlignmentPieces {
  size_t max_bytes = size_t{1} << 27;  // most bytes of what is known of its sites; a piece has at least some sites
  std::optional<Region> counted;       // the sites of which the depth is told; by default all that are read
};

// Returns how the records of the study are opened: one for each site on the contigs that have reads, in the order of
// the sites, with the contigs' names of the first file. Files are opened only while a piece of a contig is read from
// them, one at a time in each thread, and not at all for sites alone. What is known at a site does not depend on where
// reading began.
//
// `sites` is the path of a panel, or of a list of sites (site_reader.h). `name` stands for the files in messages.
// Opening throws InputError if a contig has another length than where the sites are from; reading does if a file is
// damaged, or if REF of many sites is not in the reference, or many reads have neither REF nor ALT: then the reads, or
// the reference, are of another genome build.
RecordOpener AlignmentRecords(const std::string& name, const std::shared_ptr<const AlignmentStudy>& study,
                              const std::string& sites, const AlignmentPieces& pieces = {});

// Says why a study has no reads at the sites, and what to do.
std::string NoReadsReason(const AlignmentStudy& study, const std::string& sites);

}  // namespace haplospin
