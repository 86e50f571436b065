// Decodes VCF and BCF records into sites and alleles of haplotypes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/reading/genotype_calls.h"
#include "genotypes/variant_io/reading/likelihood_calls.h"
#include "genotypes/variant_io/reading/read_alleles.h"
#include "genotypes/variant_io/variant_file.h"
#include "haplospin/marker.h"

namespace haplospin {

struct ParsedRecord {
  std::string contig;  // empty if it could not be read
  int64_t position = 0;
  std::string id;
  std::string ref;
  std::vector<std::string> alts;
  std::string filter;  // study
  // If an ALT is symbolic:
  int64_t end = 0;               // INFO/END; 0 if there is none
  std::vector<int64_t> lengths;  // INFO/SVLEN: of each ALT, or of the first; 0 where one is missing

  bool is_outside = false;  // the record is before the region: nothing below was decoded
  std::string error;        // the error of the record, which is reported when the record is reached
  size_t num_unphased = 0;
  std::string unphased_example;  // the first such sample and genotype

  // Panel: one row of bits per ALT, over the haplotypes of this record.
  std::vector<uint64_t> bits;
  // [samples], or empty. Panel: all others are diploid. Study: those who have as many likelihoods as alleles.
  std::vector<bool> is_haploid;
  bool is_block = false;  // study: several bases of a gVCF where the samples have REF or nothing is known
  // Study, and dosages with GT.
  bool has_genotypes = false;
  GenotypeCalls calls;
  LikelihoodRows likelihoods;  // if they are read; empty if the record does not have the field
  ReadAlleleRow reads;         // if they are read, of the first ALT
};

// The marker of an ALT, which is moved out of the record.
Marker TakeMarker(ParsedRecord& record, size_t alt);

// The FORMAT fields of a study that are decoded beside GT.
struct StudyFields {
  bool phase_sets = false;
  LikelihoodField likelihoods = LikelihoodField::kNone;
  bool reads = false;  // of lines that stand for alignment files
};

// The records of a file that are decoded.
struct RecordFilter {
  std::optional<ContigMatch> is_of_contig;  // the contig; nothing: all contigs
  int64_t begin = 0;

  bool Excludes(const ParsedRecord& record) const {
    return is_of_contig && (record.position < begin || !(*is_of_contig)(record.contig));
  }
};

class RecordParser {
 public:
  // kDosages accepts records without GT; kSites decodes no genotypes.
  enum class Kind { kPanel, kStudy, kDosages, kSites };

  RecordParser(Kind kind, const VariantFile& file, StudyFields fields = {})
      : kind_(kind), file_(file), fields_(fields) {}

  // Decodes the i-th record of `raw`. Several threads may decode into different records.
  void Parse(const RawRecords& raw, size_t i, const RecordFilter& filter, ParsedRecord& record) const;

 private:
  void ParseLine(std::string_view line, const RecordFilter& filter, ParsedRecord& record) const;
  void ParseBcf(bcf1_t& raw, const RecordFilter& filter, ParsedRecord& record) const;
  void FinishWithoutCalls(ParsedRecord& record) const;
  void FinishCalls(ParsedRecord& record) const;
  void PackCalls(ParsedRecord& record) const;
  const std::vector<std::string>& samples() const { return file_.samples(); }

  Kind kind_;
  const VariantFile& file_;
  StudyFields fields_;
};

}  // namespace haplospin
