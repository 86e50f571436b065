// What the records of an output add up to.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "variant_io/writing/dosage_writer.h"
#include "variant_io/writing/output_genotypes.h"

namespace haplospin {

// All threads add to it. DR2 is summed as it is written, in units of 0.0001, so that the sum does not depend on their
// order.
class RecordCounts {
 public:
  // Imputed markers count for the mean of DR2 whether they are written or not.
  void Add(const DosageRecord& record, const OutputGenotypes& genotypes, bool is_written);

  size_t num_left_out() const { return num_left_out_; }
  MeanDr2 mean_dr2() const;

 private:
  std::atomic<size_t> num_left_out_ = 0;
  std::atomic<size_t> num_markers_ = 0;
  std::atomic<int64_t> dr2_ = 0;
};

}  // namespace haplospin
