// The mean of values as they come in.
#pragma once

#include <cstddef>

#include "assessment/genotype_accuracy.h"

namespace haplospin {

class Mean {
 public:
  void Add(double value) {
    sum_ += value;
    ++count_;
  }
  size_t count() const { return count_; }
  double value() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : kUndefined; }

 private:
  double sum_ = 0;
  size_t count_ = 0;
};

}  // namespace haplospin
