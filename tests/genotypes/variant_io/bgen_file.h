// A BGEN 1.2 file, decoded as its specification says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace haplospin {

struct BgenSample {
  int ploidy = 0;
  bool is_missing = false;
  std::vector<double> probabilities;  // as stored: without the last of each group, which sums to 1
};

struct BgenVariant {
  std::string id, rsid, contig;
  uint32_t position = 0;
  std::vector<std::string> alleles;
  int min_ploidy = 0, max_ploidy = 0, bits = 0;
  bool is_phased = false;
  std::vector<BgenSample> samples;

  // The expected number of the second allele; of missing genotypes that of zeros.
  double Dosage(size_t sample) const;
};

struct BgenFile {
  std::string note;
  uint32_t compression = 0, layout = 0;
  std::vector<std::string> samples;
  std::vector<BgenVariant> variants;
};

// Throws std::runtime_error where the bytes break a rule of the specification.
BgenFile DecodeBgen(const std::string& bytes);

}  // namespace haplospin
