// Which reads and bases of an alignment file count.
#pragma once

#include <cstddef>
#include <cstdint>

namespace haplospin {

// Reads that are secondary, supplementary, unmapped or have failed checks never count.
struct ReadFilter {
  bool keeps_duplicates = false;
  int min_mapq = 10;                 // least mapping quality of a read; 255 is unknown, and counts
  int min_baseq = 10;                // least quality of a base
  size_t max_depth = 250;            // reads of a person at a site, the first ones in the files
  int64_t ignored_ends = 0;          // bases at either end of the aligned part of a read that do not count
  bool ignores_transitions = false;  // A/G and C/T: what ancient DNA has of damage
  bool trusts_qualities = false;     // no errors beyond those that qualities tell are estimated: damage_model.h
};

}  // namespace haplospin
