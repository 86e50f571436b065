// The lengths of repeats, as associaTR and TRTools test them: those of the two alleles of a sample, summed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "genotypes/assessment/genotype_accuracy.h"
#include "genotypes/assessment/truth_set.h"

namespace haplospin {

struct RepeatAccuracy {
  size_t records = 0;           // whose true lengths differ between samples
  double mean_r2 = kUndefined;  // mean of the squared correlation of the lengths in each
};

// The records of a truth whose ALTs are of several lengths, or whose INFO tells the unit of a repeat (RU, PERIOD,
// MOTIF, ...). Their ALTs may be split.
class RepeatLengths {
 public:
  explicit RepeatLengths(const TruthSet& truth);

  // Adds the dosages of a site that is scored, once for each of them.
  void Add(size_t site, std::span<const float> dosages);

  RepeatAccuracy Accuracy() const { return {r2_.count(), r2_.value()}; }

 private:
  struct Record {
    size_t begin, end;  // sites
  };
  struct Pending {
    size_t left;                  // scored sites whose dosages are still to be added
    std::vector<double> lengths;  // [samples] relative to REF
  };

  size_t EndOfRecord(size_t site) const;
  bool IsRepeat(const Record& record) const;
  double Length(size_t site) const;
  void Score(const Record& record, std::span<const double> lengths);

  const TruthSet& truth_;
  std::vector<Record> records_;                  // ascending
  std::unordered_map<size_t, Pending> pending_;  // by the record's first site
  Mean r2_;
};

}  // namespace haplospin
