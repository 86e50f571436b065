// Reads dosages, genotypes and posteriors from the output of any imputation program or caller.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "haplospin/marker.h"

namespace haplospin {

// A missing genotype among counts of ALT alleles.
inline constexpr int8_t kMissingGenotype = -1;

// An ALT of a record. Vectors have one entry per sample unless stated otherwise.
struct DosageRow {
  std::string contig;
  Marker marker;
  bool has_genotypes = false;     // the record has GT
  std::vector<int8_t> genotypes;  // ALT alleles in GT, or kMissingGenotype
  // Alleles in GT, 1 or 2, or by the number of values in GP or HDS; 0 where there is no telling: a lone ".".
  std::vector<uint8_t> ploidy;
  // Expected ALT alleles: DS, or without it those of HDS, AP1 and AP2, or GP, or the genotype; NaN where all are
  // missing.
  std::vector<float> dosages;
  std::vector<float> posteriors;  // [samples, 3] of 0, 1 and 2 ALT alleles from GP (haploid: 0, 2), NaN where missing;
                                  // empty where there is no GP, and in records of several ALTs
  float estimated_r2;             // INFO DR2 (Beagle, haplospin), R2 (Minimac) or INFO (GLIMPSE); NaN without
  float empirical_r2;             // INFO ER2 (Minimac, haplospin): leave-one-out r2 of a typed marker; NaN without
};

// Reads VCF, VCF.gz or BCF; genotypes need not be phased and may be missing. Throws InputError as VariantFile does, and
// if a value is not a genotype, dosage or probability.
class DosageReader {
 public:
  explicit DosageReader(const std::string& path);
  ~DosageReader();
  DosageReader(DosageReader&&) noexcept;

  const std::string& path() const;
  const std::vector<std::string>& sample_names() const;

  // Reads only these samples of the file, in this order. Call it before the first row.
  void UseSamples(const std::vector<std::string>& names);

  // Also gives records without ALT, as those of a gVCF, as a marker whose ALT is ".". Call it before the first row.
  void KeepWithoutAlt();

  // Name and length (0: unknown) of each contig that the header declares.
  const std::vector<std::pair<std::string, int64_t>>& header_contigs() const;

  // Does what VariantFile::HeaderValue() does.
  std::string HeaderValue(const std::string& key) const;

  // Fills `row` with the next marker, in file order; false at the end.
  bool Next(DosageRow& row);

  // The number of records without ALT, which are no marker unless KeepWithoutAlt() is called.
  size_t num_without_alt() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace haplospin
