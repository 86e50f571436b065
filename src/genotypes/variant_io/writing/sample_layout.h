// Where the samples of records are among those of an output file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "haplospin/haplotype_panel.h"

namespace haplospin {

// The records of a part of a contig may lack samples of the file, as those of chrY lack women; these are written as
// haploid and missing. Haploid samples may be written as diploid, with twice the same haplotype.
class SampleLayout {
 public:
  // The samples of `records` are among `names`, those of the file, in the same order. The last `animals` of them are
  // people without genotypes, of whom records have probabilities alone.
  SampleLayout(SampleTable records, const std::vector<std::string>& names, bool doubles_haploids, size_t animals = 0);

  const SampleTable& records() const { return records_; }
  const SampleTable& written() const { return written_; }

  // The last haplotypes of the records, which are those of people without genotypes.
  size_t animal_haplotypes() const { return 2 * animals_; }

  // Returns whether the values of records are written as they are.
  bool IsSame() const { return is_same_; }

  // [written samples] whether the two haplotypes are one, doubled.
  const std::vector<bool>& is_doubled() const { return is_doubled_; }

  // Returns the values of the written haplotypes, `absent` where the records lack the sample. `values` has an entry
  // for each haplotype of the records, except perhaps those of people without genotypes. If it is empty, so is the
  // result, unless the records have no haplotype at all.
  template <typename T>
  std::vector<T> Haplotypes(std::span<const T> values, T absent) const {
    if (records_.num_haplotypes() == 0) return std::vector<T>(haplotypes_.size(), absent);
    return Select(values, haplotypes_, absent);
  }

  // Returns the values of the written samples.
  template <typename T>
  std::vector<T> Samples(std::span<const T> values, T absent) const {
    return Select(values, samples_, absent);
  }

 private:
  static constexpr uint32_t kAbsent = UINT32_MAX;

  void AddSample(uint32_t sample, bool doubles_haploids);

  template <typename T>
  static std::vector<T> Select(std::span<const T> values, const std::vector<uint32_t>& sources, T absent) {
    std::vector<T> selected;
    if (values.empty()) return selected;
    selected.reserve(sources.size());
    for (const uint32_t source : sources) selected.push_back(source >= values.size() ? absent : values[source]);
    return selected;
  }

  SampleTable records_;
  SampleTable written_;
  size_t animals_;
  bool is_same_;
  std::vector<bool> is_doubled_;
  std::vector<uint32_t> samples_;     // [written samples] index among the records' samples, or kAbsent
  std::vector<uint32_t> haplotypes_;  // [written haplotypes] index among the records' haplotypes, or kAbsent
};

}  // namespace haplospin
