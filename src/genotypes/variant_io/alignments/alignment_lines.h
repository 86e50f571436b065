// The reads of people at sites, as lines of VCF with the likelihoods of their genotypes (PL).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/alignments/alignment_study.h"
#include "genotypes/variant_io/alignments/site_source.h"
#include "genotypes/variant_io/line_source.h"

namespace haplospin {

// Opens the sites from their beginning.
using SiteOpener = std::function<std::unique_ptr<SiteSource>()>;

// The piece of a contig that is in memory at a time.
struct AlignmentPieces {
  size_t max_bytes = size_t{1} << 27;  // most bytes of what is known of its sites; a piece has at least some sites
  std::optional<Region> counted;       // the sites of which the depth is told; by default all that are read
};

// Returns how the lines of the study are opened: one for each site on the contigs that have reads, in the order of the
// sites, with the contigs' names of the first file. Files are opened only while a piece of a contig is read from them,
// one at a time in each thread. What is known at a site does not depend on where reading began.
//
// `name` stands for the files in messages. Opening throws InputError if a contig has another length than where the
// sites are from; reading does if a file is damaged, or if REF of many sites is not in the reference, or many reads
// have neither REF nor ALT: then the reads, or the reference, are of another genome build.
LineOpener OpenAlignmentLines(const std::string& name, std::shared_ptr<const AlignmentStudy> study,
                              const SiteOpener& sites, const AlignmentPieces& pieces = {});

}  // namespace haplospin
