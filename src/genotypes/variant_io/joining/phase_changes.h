// What joining a file to the one before it changes in the phase of its samples.
#pragma once

#include <htslib/vcf.h>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace haplospin {

inline constexpr int32_t kNoPhaseSet = bcf_int32_missing;  // without PS, all phased genotypes of a sample are one set

// A phase set whose two haplotypes change places, and that goes on under the name (PS) of a set of the file before.
struct SetChange {
  bool is_exchanged = false;
  int32_t name = kNoPhaseSet;
};

class PhaseChanges {
 public:
  explicit PhaseChanges(size_t num_samples) : is_exchanged_(num_samples) {}

  // That of a set for which Set() was not called is none.
  SetChange At(size_t sample, int32_t set) const;
  void Set(size_t sample, int32_t set, SetChange change);

  // Returns whether there is no change.
  bool empty() const { return num_exchanged_ == 0 && changes_.empty(); }

 private:
  static uint64_t Key(size_t sample, int32_t set) {
    return static_cast<uint64_t>(sample) << 32 | static_cast<uint32_t>(set);
  }

  std::vector<bool> is_exchanged_;  // [samples] of their genotypes without PS, unless these are in `changes_`
  size_t num_exchanged_ = 0;
  std::unordered_map<uint64_t, SetChange> changes_;  // few, unless the files have PS
};

// Exchanges the haplotypes of phased genotypes, GT, HDS, LDS, and AP1 with AP2, and names their phase sets.
void ChangePhase(const PhaseChanges& changes, const bcf_hdr_t* header, bcf1_t* record);

}  // namespace haplospin
