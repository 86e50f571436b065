// Reads, or likelihoods, of a part of the genotypes, which are hidden from a run and compared with what it imputes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "genotypes/variant_io/reading/record_source.h"
#include "haplospin/marker.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

struct HeldOutGenotype {
  uint32_t column = 0;  // of the sample in the file
  GenotypeLikelihoods likelihoods;
};

// Those of a study. They are kept from where a record is read until a record after it is written.
class HeldOutReads {
 public:
  // Which ones they are follows from `seed`, a tenth of the pieces of 1 kb of each sample, so that most reads are
  // hidden at all markers that they cover.
  explicit HeldOutReads(uint64_t seed) : seed_(seed) {}

  // Takes the hidden genotypes out of a record. Several threads may hide those of different records; those of one that
  // is decoded again are the same.
  void Hide(ParsedRecord& record);

  // Returns those of a marker, and forgets all that are before it on its contig.
  std::vector<HeldOutGenotype> Take(const std::string& contig, const Marker& marker);

 private:
  // The hidden genotypes of one ALT.
  struct Alt {
    std::string ref, alt;
    std::vector<HeldOutGenotype> genotypes;
  };

  bool IsHidden(int64_t position, size_t column) const;
  void Keep(const std::string& contig, int64_t position, Alt alt);

  const uint64_t seed_;
  std::mutex mutex_;
  std::map<std::string, std::map<int64_t, std::vector<Alt>>> contigs_;  // by position, bp
};

// Returns a source of the same records without what `held_out` hides.
std::unique_ptr<RecordSource> HideReads(std::unique_ptr<RecordSource> source, std::shared_ptr<HeldOutReads> held_out);

}  // namespace haplospin
