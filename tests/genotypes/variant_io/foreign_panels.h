// A panel in the files of other programs, for tests: written as those programs write them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "haplospin/marker.h"

namespace haplospin {

// Records of several ALTs, which bref3 keeps whole; genotypes are [haplotypes] 0 for REF, 1 for the first ALT, ..., and
// -1 where they are missing, which VCF, .msav and .hap can have.
struct ForeignPanel {
  struct Record {
    int64_t position;
    std::string id, ref;
    std::vector<std::string> alts;
    std::vector<int> alleles;
  };
  std::string contig = "20";
  std::vector<std::string> samples;
  std::vector<Record> records;

  // Random records: SNVs, and where `several` is true also insertions and records with several ALTs.
  static ForeignPanel Random(size_t num_samples, size_t num_records, bool several, unsigned seed);

  std::string Vcf() const;
  std::string Bref3(size_t block_records = 7) const;
  std::string CompressedMsav() const;
  std::string Msav(size_t block_records = 7) const;                // not compressed
  std::string M3vcf(int version, size_t block_records = 7) const;  // one ALT a record
  std::string Legend() const;
  std::string Hap() const;
  std::string Sample() const;
};

}  // namespace haplospin
