// Reads dosages, genotypes and posteriors from the output of any imputation program or caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/contig_table.h"
#include "genotypes/variant_io/reading/dosage_values.h"
#include "genotypes/variant_io/reading/record_source.h"
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

// A file, or one for each contig.
struct InputFiles {
  struct File {
    std::string contig;  // "" for one file of all contigs
    std::string path;
  };

  std::string name;  // for messages: the path, or what the paths have in common
  std::vector<File> files;

  InputFiles(std::string path) : name(path), files{{"", std::move(path)}} {}  // NOLINT(google-explicit-constructor)
  InputFiles(std::string pattern, std::vector<File> contig_files)
      : name(std::move(pattern)), files(std::move(contig_files)) {}
};

// Reads VCF, VCF.gz or BCF; genotypes need not be phased and may be missing. Several files are read one after the other
// as if they were one. Throws InputError as VariantFile does, if a value is not a genotype, dosage or probability, or
// if a file lacks a sample of the first.
class DosageReader {
 public:
  explicit DosageReader(InputFiles input);

  const std::string& path() const { return input_.name; }
  const std::vector<std::string>& sample_names() const { return names_; }

  // Reads only these samples of the file, in this order. Call it before the first row.
  void UseSamples(const std::vector<std::string>& names);

  // Also gives records without ALT, as those of a gVCF, as a marker whose ALT is ".". Call it before the first row.
  void KeepWithoutAlt() { keeps_without_alt_ = true; }

  // Name and length (0: unknown) of each contig that the header declares.
  const ContigTable& header_contigs() const { return source_->header().contigs; }

  // Does what RecordHeader::Value() does.
  std::string HeaderValue(const std::string& key) const { return source_->header().Value(key); }

  // Fills `row` with the next marker, in file order; false at the end.
  bool Next(DosageRow& row);

  // The number of records without ALT, which are no marker unless KeepWithoutAlt() is called.
  size_t num_without_alt() const { return num_without_alt_; }

 private:
  // A record that has been decoded.
  struct Slot {
    DecodedDosages decoded;
    std::vector<DosageRow> rows;  // one for each ALT; kept for its memory
    size_t num_rows = 0;
  };

  void Open();
  void GoOnWithNextFile();
  bool ReadMore();
  void Decode(size_t i);
  [[noreturn]] void Fail(const ParsedRecord& record) const;

  InputFiles input_;
  size_t next_file_ = 0;
  std::unique_ptr<RecordSource> source_;
  std::vector<std::string> names_;  // of the samples to read
  std::vector<size_t> columns_;     // of these samples
  std::vector<Slot> slots_;         // [records], of which the first num_records_ are of the source
  size_t num_records_ = 0, next_record_ = 0, next_row_ = 0;
  bool keeps_without_alt_ = false;
  size_t num_without_alt_ = 0;
  std::string last_;  // contig:position
};

}  // namespace haplospin
