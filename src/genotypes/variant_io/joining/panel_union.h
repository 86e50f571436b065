// The records of a position, as each of several files of the same samples has them, or not.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "genotypes/variant_io/joining/imputed_file.h"
#include "haplospin/marker.h"

namespace haplospin {

// Whether markers of two files are one ALT, whose REF both write in the same way.
bool IsSameAlt(const Marker& a, const Marker& b);

// An ALT as each of the files has it.
struct UnionAlt {
  Marker marker;
  std::vector<std::optional<ImputedRecord>> in_files;  // [files]

  // The first file's, of those whose panel has it if there is one.
  ImputedRecord& First();
  bool IsInPanel() const;
  bool IsTyped() const;
};

// A record with the ALTs that any file has in it.
struct UnionRecord {
  std::vector<UnionAlt> alts;

  // Returns whether the panel of a file has the record, but not this ALT of it, so that its haplotypes have others.
  // Nothing is known so of an ALT that the study was typed for.
  bool IsWithout(size_t file, const UnionAlt& alt) const;
};

class PanelUnion {
 public:
  explicit PanelUnion(size_t num_files) : num_files_(num_files) {}

  // Adds the ALTs of a record. If it has several, or that of another file has, both are one where they have the same
  // REF, and an ALT or the ID in common. A single ALT is also another one with REF and ALT exchanged.
  void Add(size_t file, std::vector<ImputedRecord> alts);

  // In the order of the first file that has each.
  std::vector<UnionRecord>& records() { return records_; }

 private:
  // Returns null where no ALT has the alleles, or the file has it already.
  static UnionAlt* Find(size_t file, const Marker& marker, std::vector<UnionAlt>& alts);

  // Returns whether a single ALT is that of another record.
  bool AddToOther(size_t file, ImputedRecord& alt);

  UnionRecord& RecordFor(size_t file, const std::vector<ImputedRecord>& alts);
  static bool IsPart(size_t file, const std::vector<ImputedRecord>& alts, UnionRecord& other);

  size_t num_files_;
  std::vector<UnionRecord> records_;
};

}  // namespace haplospin
