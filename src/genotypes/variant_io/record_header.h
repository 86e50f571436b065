// What a file of genotypes tells before its first record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/contig_table.h"
#include "genotypes/variant_io/record_info.h"

namespace haplospin {

struct RecordHeader {
  std::string path;  // "-": standard input. Of aligned reads, what stands for them in messages
  std::vector<std::string> samples = {};
  std::vector<bool> is_male = {}, is_female = {};            // [samples] where the file has sexes (PLINK), else empty
  ContigTable contigs = {};                                  // those that are declared
  bool ref_is_unknown = false;                               // REF and ALT may be exchanged (.bed, INFO/PR of PLINK)
  bool has_par_contigs = false;                              // X was in three contigs, PAR1, X and PAR2 (plink2)
  bool has_map_positions = false;                            // positions are those of a linkage map, 1 Mb for 1 cM
  DescribedInfo described = {};                              // of records
  std::unordered_map<std::string, std::string> values = {};  // of the first line "##KEY=value" of each key

  // Returns the value of a key, or "" where there is none.
  std::string Value(const std::string& key) const;

  // Returns the pairs of autosomes in PLINK 2's line "##chrSet=<autosomePairCt=31,X,Y>", or 0 without it.
  size_t NumAutosomes() const;

  // Throws InputError if there are no samples, one has no name, or two have the same. `remedy` ends that message.
  void CheckSamples(const std::string& remedy) const;
};

}  // namespace haplospin
