// What a writer of records has written, so that another one can go on after it.
#pragma once

#include <cstdint>

namespace haplospin {

struct WriterState {
  uint64_t bytes = 0;       // of the file
  uint64_t site_bytes = 0;  // of that of the sites, if there is one
  uint64_t left_out = 0;    // records
  uint64_t dr2_markers = 0;
  int64_t dr2_sum = 0;        // in units of 0.0001
  int64_t last_position = 0;  // highest on any contig, bp
};

}  // namespace haplospin
