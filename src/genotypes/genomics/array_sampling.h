// Draws random markers like those of a genotyping array: mostly common ones.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/random.h"

namespace haplospin {

// Weighted sampling without replacement (Efraimidis and Spirakis 2006): of markers offered one after the other, those
// with the largest keys log(u) / weight stay. A marker's weight is its heterozygosity, 2 p (1 - p), which is about how
// the chance of being on Illumina's OmniExpress and Omni2.5 arrays rises with the frequency.
class ArraySampling {
 public:
  // Offers the next marker, for which one random number is drawn. Monomorphic markers are never chosen.
  void Offer(double alt_frequency, RandomStream& random);

  size_t num_polymorphic() const { return keys_.size(); }

  // Returns the offered markers that are drawn, ascending; `count` is at most num_polymorphic().
  std::vector<size_t> Draw(size_t count);

 private:
  size_t num_offered_ = 0;
  std::vector<std::pair<double, size_t>> keys_;  // key and marker
};

}  // namespace haplospin
