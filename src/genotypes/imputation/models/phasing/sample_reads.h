// The reads of a sample, each of which is of one of its haplotypes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

// An allele that a read shows.
struct ShownRead {
  uint32_t marker;  // typed
  bool is_alt;
  float error;  // probability that the allele was read wrongly
};

// A part of a read that is so short that its haplotype is copied from one state, nearly always.
struct ReadPiece {
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr uint8_t kUnknown = 2;

  uint32_t begin, end;                     // of SampleReads::alleles
  uint32_t marker;                         // typed; that of the allele in its middle
  uint32_t before = kNone, after = kNone;  // the neighboring pieces of the same read
  uint8_t haplotype = kUnknown;            // 0 or 1, as it was drawn last
  float tie = 1;                           // to its neighbors, relative to that of a read without gaps
};

struct SampleReads {
  std::vector<ShownRead> alleles;  // piece by piece
  std::vector<ReadPiece> pieces;   // ascending by marker

  bool empty() const { return pieces.empty(); }
};

// What decides how the reads of a sample are taken.
struct ReadRules {
  std::span<const float> alt_frequency;  // [typed] of the panel
  float min_frequency;                   // of the less frequent allele at markers that are not rare
  std::span<const double> centimorgans;  // [typed]
  std::span<const int64_t> positions;    // [typed] bp
};

// Returns the reads of a sample. What has one number is not of one molecule over a gap of more than 50 kb without an
// allele, as a barcode of linked reads is of several molecules. Reads at a rare marker whose rarer allele most probably
// is not in the sample tell nothing (PassiveGenotypes()). Returns none if there are more pieces of reads than markers
// that they cover: then most cover one marker, or genotypes are known without this, and their likelihoods take less
// time.
SampleReads CollectReads(const WindowStudy& study, size_t sample, const ReadRules& rules);

}  // namespace haplospin
