// The likelihoods of one person's genotypes, from the reads at the sites of a piece of a contig.
#pragma once

#include <htslib/sam.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "genotypes/variant_io/alignments/aligned_read.h"
#include "genotypes/variant_io/alignments/damage_model.h"
#include "genotypes/variant_io/alignments/pileup_site.h"
#include "genotypes/variant_io/alignments/read_filter.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// What the reads of a person have at sites.
struct ReadCounts {
  size_t sites_with_reads = 0;
  size_t reads = 0;             // sum over the sites; the two reads of a fragment count once
  size_t snv_reads = 0;         // of these, at SNVs
  size_t neither = 0;           // of these, with another base than REF and the ALTs
  double expected_neither = 0;  // the same by the qualities of the bases, if all wrong ones are as frequent

  // Reads that reach a site, and those that do but are left out, by reason.
  size_t passing = 0;
  size_t linked = 0;                                  // of these, with a barcode
  std::array<size_t, kReasonsLeftOut> left_out = {};  // [LeftOut]

  // Single bases at the sites, whether they count or not. Qualities are those of the reads that have them.
  size_t bases = 0;
  size_t poor_bases = 0;     // of these, below the least quality
  size_t unrated_bases = 0;  // of these, in reads without qualities
  uint8_t least_quality = kMaxQuality, greatest_quality = 0;

  void Add(const ReadCounts& other);

  // Returns the share of the reads at sites that are left out.
  double LeftOutShare() const;

  // Returns whether far more bases are neither REF nor ALT than their qualities tell.
  bool HasExcessOfOtherBases() const;

  // Returns whether there are enough reads, and so many with neither REF nor ALT that they must be of other places.
  bool IsOfAnotherBuild() const;
};

class SamplePileup {
 public:
  // `sites`, `filter` and `errors` must outlive it. Without `errors`, the bases' substitutions are counted.
  SamplePileup(std::span<const PileupSite> sites, const ReadFilter& filter, const ErrorModel* errors = nullptr);

  // Adds a read. Those of a file come in the order of their positions.
  void Add(const bam1_t& read);

  // Ends a file; another one of the same person may follow.
  void EndFile();

  // Writes the likelihoods of each site to [its marker] of `row`: those of independent reads, each from either
  // haplotype with the same probability, and wrong with the probability that its quality tells. A wrong base is taken
  // to be the other allele, and not one of three, with which imputed genotypes of simulated reads had more errors
  // (benchmarks/lowcoverage/LOG.md).
  void Fill(std::span<GenotypeLikelihoods> row) const;

  // The alleles of the reads at the markers of a piece, those of marker m from first[m] to first[m + 1].
  struct MarkerReads {
    std::vector<ReadAllele> alleles;
    std::vector<uint32_t> first;
  };

  // Returns the alleles that tell anything, in the order of the reads. Both reads of a fragment have one number, by
  // their name and place, and so have linked reads, by their barcode (BX). It is the same in every piece of the contig.
  // There are `num_markers` markers.
  MarkerReads Reads(size_t num_markers) const;

  // Counts what was read at the sites from `begin` on, without `end`; reads that reach a site, and qualities, are those
  // of all sites.
  ReadCounts Count(size_t begin, size_t end) const;

  // The substitutions at SNVs of two alleles, from which a model of errors is estimated.
  const SubstitutionCounts& substitutions() const { return substitutions_; }

 private:
  struct SeenAllele {
    uint32_t site = 0;
    Observation shown;
    uint8_t max_quality = 0;  // of a fragment: no more than is known of its place
    uint64_t read = 0;        // its number
  };
  struct Range {
    size_t begin = 0, end = 0;
  };

  bool ReachesSite(int64_t begin, int64_t end);
  void NoteQuality(const AlignedRead& read);
  bool AddToMate(const SeenAllele& seen, const Range& mate);
  void CountSubstitutions(const bam1_t& read);

  const std::span<const PileupSite> sites_;
  const ReadFilter& filter_;
  const ErrorModel* const errors_;
  size_t next_site_ = 0;          // the first site that is not before the reads to come
  std::vector<SeenAllele> seen_;  // in the order of the reads
  std::vector<uint32_t> depth_;   // [sites]
  ReadCounts all_;                // the reads, and the qualities of their bases, of all sites
  SubstitutionCounts substitutions_;
  std::unordered_map<std::string, Range> mates_;  // the first reads of fragments whose second ones may overlap them
};

}  // namespace haplospin
