// A record of genotypes as it is read from any kind of file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/reading/failed_calls.h"
#include "genotypes/variant_io/reading/genotype_calls.h"
#include "genotypes/variant_io/reading/likelihood_calls.h"
#include "genotypes/variant_io/record_info.h"
#include "haplospin/marker.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// The alleles that reads show: those of sample s are from first[s] to first[s + 1].
struct ReadAlleleRow {
  std::vector<ReadAllele> alleles;
  std::vector<uint32_t> first;

  bool empty() const { return first.empty(); }
  std::span<const ReadAllele> At(size_t s) const {
    return std::span(alleles).subspan(first[s], first[s + 1] - first[s]);
  }
};

struct ParsedRecord {
  std::string contig;  // empty if it could not be read
  int64_t position = 0;
  std::string id;
  std::string ref;
  std::vector<std::string> alts;
  std::string filter;      // study
  std::string info;        // that describes the record (record_info.h)
  bool continues = false;  // a record of reads: it is a further ALT of the record of the sites before it

  bool is_outside = false;  // the record is before the region: nothing below was decoded
  std::string error;        // the error of the record, which is reported when the record is reached
  size_t num_unphased = 0;
  std::string unphased_example;  // the first such sample and genotype

  // Panel: one row of bits per ALT, over the haplotypes of this record.
  std::vector<uint64_t> bits;
  std::vector<uint64_t> missing;  // panel: one row of alleles that are missing, and 0 in `bits`; empty without them
  // [samples], or empty. Panel: all others are diploid. Study: those who have as many likelihoods as alleles.
  std::vector<bool> is_haploid;
  const char* imputation_flag = nullptr;  // study: of INFO, by which the record is imputed (imputed_records.h)
  bool is_block = false;  // study: several bases of a gVCF where the samples have REF or nothing is known
  // Study, and dosages with GT.
  bool has_genotypes = false;
  GenotypeCalls calls;
  LikelihoodRows likelihoods;  // if they are read; empty if the record does not have the field
  WeighedCalls weighed = {};   // genotypes that were called without the field, by what tells how certain they are
  size_t no_calls = 0;         // genotypes of REF that no read has shown, and that are missing (no_calls.h)
  FailedCalls failed_calls;    // by FT; they are as they were called
  ReadAlleleRow reads;         // of aligned reads, with one ALT
};

// What is decoded of records.
enum class RecordKind {
  kPanel,    // haplotypes, all of them phased
  kStudy,    // genotypes or their likelihoods
  kDosages,  // genotypes where a record has them; dosages are decoded by RecordSource::ParseDosages()
  kSites     // no genotypes; a file without samples is accepted
};

struct RecordContent {
  RecordKind kind = RecordKind::kStudy;
  // The FORMAT fields that are decoded beside GT, likelihoods of a study alone.
  bool phase_sets = false;
  LikelihoodField likelihoods = LikelihoodField::kNone;
  bool weighs_calls = true;  // gives likelihoods to calls without the field
};

// The records of a file that are decoded.
struct RecordFilter {
  std::optional<ContigMatch> is_of_contig;  // the contig; nothing: all contigs
  int64_t begin = 0;

  bool Excludes(const ParsedRecord& record) const {
    return is_of_contig && (record.position < begin || !(*is_of_contig)(record.contig));
  }
};

// The marker of an ALT, which is moved out of the record.
Marker TakeMarker(const DescribedInfo& described, ParsedRecord& record, size_t alt);

// Removes <NON_REF> of a gVCF, and tells whether the record is a block. A sample that has this ALT has an allele that
// is not known.
void RemoveUnspecified(ParsedRecord& record);

// The steps by which those who decode a record fill it. They throw InputError, which names neither file nor record.

// Forgets what an earlier record has left.
void StartRecord(ParsedRecord& record);

// Returns whether the filter lets the record be decoded.
bool SetPlace(std::string_view contig, int64_t position, const RecordFilter& filter, ParsedRecord& record);

// Checks ID and alleles for control characters, such as NUL, with which no other program would read what is written.
void CheckTexts(const ParsedRecord& record);

// Checks the alleles but those of dosages, which other programs may have written.
void CheckAlleles(RecordKind kind, const ParsedRecord& record);

// Ends the site of a record whose ALTs are set, in a file that has no FILTER.
void FinishSite(RecordKind kind, std::string_view id, std::string_view ref, ParsedRecord& record);

// Ends a record whose calls are decoded, or that has likelihoods alone.
void FinishCalls(RecordKind kind, const std::vector<std::string>& samples, ParsedRecord& record);
void FinishWithoutCalls(RecordKind kind, const std::vector<std::string>& samples, ParsedRecord& record);

}  // namespace haplospin
