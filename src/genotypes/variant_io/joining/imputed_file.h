// An imputed VCF or BCF file, read record by record as what the dosage writer takes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/contig_table.h"
#include "genotypes/variant_io/joining/contig_weights.h"
#include "genotypes/variant_io/joining/imputed_fields.h"
#include "genotypes/variant_io/joining/piece.h"
#include "genotypes/variant_io/writing/dosage_writer.h"
#include "haplospin/marker.h"

namespace haplospin {

class VariantFile;

// A record that owns what a DosageRecord refers to.
struct ImputedRecord {
  Marker marker;
  bool in_panel = true;
  bool is_typed = false;
  bool has_left_out = true, has_phase = true;
  // [samples + 1]; samples without the contig, as women without chrY, have no haplotype.
  std::vector<uint32_t> first_haplotype{0};
  std::vector<float> dosages, left_out;  // [haplotypes]
  std::vector<uint8_t> alleles;          // [haplotypes]
  std::vector<uint8_t> calls;            // [haplotypes] of GT: not always the more probable alleles, or missing
  std::vector<float> phase;              // [samples with the contig]
  std::vector<uint8_t> unphased;         // [samples with the contig] heterozygotes, or any where not in_panel
  std::optional<float> panel_r2;         // R2P
  std::optional<float> empirical_r2;     // ER2
  bool continues = false;                // a further ALT of the record before it

  // Whether the study has given the genotypes.
  bool IsKnown() const { return is_typed || !in_panel; }

  DosageRecord View() const;

  // Adds the samples of another file's record of the marker.
  void Append(const ImputedRecord& other);

  // Exchanges REF and ALT.
  void Mirror();
};

class ImputedFile {
 public:
  // The contigs of a file that declares none are those of its records. Throws InputError if it is no such file, or is
  // read from a pipe.
  explicit ImputedFile(const std::string& path);

  const std::string& path() const { return piece_.path(); }
  const std::vector<std::string>& samples() const { return samples_; }
  const ContigTable& header_contigs() const { return header_contigs_; }

  // What the header declares of INFO that describes records.
  const DescribedInfo& described() const { return described_; }

  // Returns whether the header declares the field of INFO (BCF_HL_INFO) or FORMAT (BCF_HL_FMT).
  bool Declares(int kind, const char* key) const { return DeclaresField(header(), kind, key); }

  // Returns whether haploid samples are written as diploid.
  bool DoublesHaploids() const { return Declares(BCF_HL_FMT, "HN"); }

  // Returns whether there is a further record, which the following functions are about.
  bool Next();

  std::string contig() const { return bcf_seqname_safe(header(), record_); }
  int64_t position() const { return record_->pos + 1; }
  bool Has(const char* info) const { return bcf_get_info(header(), record_, info) != nullptr; }
  bool HasFormat(const char* key) const { return bcf_get_fmt(header(), record_, key) != nullptr; }

  // Reads the record, for each of its ALTs. A marker is typed if the file says so, or if it marks imputed markers
  // alone, as Beagle does, and not this one. Haplotypes whose probabilities are in the other order than the alleles of
  // GT, as bcftools concat
  // --ligate leaves them, are exchanged from the heterozygote that shows it to the next one. Throws InputError if it
  // lacks genotypes, or, for a marker of the panel, the probabilities of haplotypes.
  std::vector<ImputedRecord> ReadAlts();

  // The typed alleles, which are those of GT, and LDS, of each ALT that has LDS. An allele that is imputed, by HDS, is
  // missing.
  std::vector<TypedSite> ReadTyped();

  // Warns of haplotypes that were exchanged, and of genotypes whose fields contradict each other.
  void Tell() const;

  [[noreturn]] void Fail(const std::string& what) const;  // "FILE: CONTIG:POSITION: what"

 private:
  explicit ImputedFile(VariantFile file);

  struct Finding {
    size_t genotypes = 0;
    std::string first;  // "CONTIG:POSITION, sample NAME"
  };

  bcf_hdr_t* header() const { return piece_.header(); }
  void ReadFields();
  void CheckAlleles() const;
  Marker AltMarker(size_t alt) const;
  ImputedRecord ReadAlt(size_t alt);
  TypedSite ReadTypedAlt(size_t alt);
  // A number from 0 to 1 of an ALT, in INFO; nothing where the record has none.
  std::optional<float> ReadShare(const char* info, size_t alt) const;
  // Returns 0 for a sample without the contig: haploid, missing, and of no probability (`is_known` is false).
  size_t Ploidy(size_t sample, bool is_known) const;
  bool IsTyped() const { return Has("TYPED") || (marks_imputed_only_ && !Has("IMP")); }
  // The haplotype of the fields that GT calls the i-th.
  size_t Source(size_t sample, size_t i, size_t ploidy) const {
    return ploidy == 2 && is_exchanged_[sample] ? 1 - i : i;
  }
  void AppendSample(size_t s, size_t ploidy, bool is_typed, ImputedRecord& record);
  void AppendHaplotype(size_t s, size_t i, size_t ploidy, bool is_typed, ImputedRecord& record) const;
  void FindOrder(size_t s);
  void Note(size_t s, Finding& finding) const;

  Piece piece_;
  std::vector<std::string> samples_;
  ContigTable header_contigs_;
  DescribedInfo described_;
  bcf1_t* record_ = nullptr;
  ImputedFields fields_;
  std::vector<bool> is_exchanged_;  // [samples] HDS is in the other order than GT since the last heterozygote
  Finding exchanged_, contradictions_;
  bool marks_imputed_only_ = false;  // by INFO/IMP
};

// Returns the samples of `names` that have haplotypes, of which `first_haplotype` has an entry for each, and their end.
SampleTable PresentSamples(const std::vector<std::string>& names, const std::vector<uint32_t>& first_haplotype);

// Writes records of a contig, in all of which the samples have the ploidy of `samples`.
void WriteRecords(const std::string& contig, const SampleTable& samples, std::span<const ImputedRecord> records,
                  DosageWriter& writer);

// The fields that the file declares, beside those of `fields`.
OutputFields CommonFields(const ImputedFile& file, OutputFields fields);

}  // namespace haplospin
