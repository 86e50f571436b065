// Writes imputed genotypes as VCF, VCF.gz, BCF or BGEN.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/output_file.h"
#include "genotypes/variant_io/writing/output_type.h"
#include "genotypes/variant_io/writing/writer_state.h"
#include "haplospin/haplotype_panel.h"
#include "haplospin/marker.h"

namespace haplospin {

struct SampleSexes;

// The probabilities in a BGEN file.
enum class BgenCompression : uint8_t { kNone = 0, kZlib = 1, kZstd = 2 };  // values of the file's flags

struct BgenOptions {
  int bits = 8;  // bits of a probability: 8 or 16
  BgenCompression compression = BgenCompression::kZlib;
  bool has_haplotypes = false;  // the probabilities of haplotypes ("phased data"), otherwise of genotypes
};

struct OutputFields {
  // FORMAT fields beside GT and DS.
  bool gp = false;   // P(0/0), P(0/1), P(1/1); haploid: P(0), P(1)
  bool hds = false;  // ALT probability of each haplotype, one field
  bool ap = false;   // ALT probability of each haplotype as Beagle writes it: AP1, AP2
  bool pp = false;   // probability of the phase of heterozygotes that were phased, at typed markers
  bool ad = false;   // reads that show REF and ALT, of a study of reads

  bool lds = false;  // ALT probability of each haplotype given all other alleles, one field, at typed markers

  bool keeps_records = false;     // ALTs that were read in one record are written in one; not in BGEN
  bool sites_only = false;        // writes no genotypes: no FORMAT, no samples
  bool leaves_out_study = false;  // leaves out study markers that are not in the panel
  double min_r2 = 0;              // imputed markers of a lower DR2 are not written
  double min_gp = 0;              // GT is missing where no genotype is as probable; 0: always called

  bool r2p = false;               // INFO/R2P, for records that have it
  bool sets_ids = false;          // markers without ID are named CONTIG:POSITION:REF:ALT, as always in BGEN
  bool doubles_haploids = false;  // haploid samples are written as diploid, with twice the same haplotype

  // The number of haplotypes of each sample is written, HN, where haploid samples are doubled and there are
  // probabilities of haplotypes, from which merge computes AF and DR2.
  bool HasHaplotypeNumbers() const { return doubles_haploids && (hds || ap); }

  std::string sites_path;  // a file that the same records are written to without genotypes; "" for none

  std::shared_ptr<const SampleSexes> sexes;  // for the .sample file beside BGEN; null: unknown

  BgenOptions bgen;  // options of BGEN, which has no other FORMAT and no INFO
};

// How many reads of a sample show each allele. Those of REF may show another ALT of the record.
struct AlleleDepth {
  uint32_t ref = 0, alt = 0;
  uint32_t no_alt = 0;  // reads that show REF, and none of the record's ALTs
};

// An output record. `dosages` holds the ALT probability of each study haplotype. A typed record's genotypes are kept as
// given: `typed_alleles` holds them, and its DS and the rest follow from them (missing ones are imputed and take the
// arg-max of `dosages`). Probabilities are written with four decimals; DS is the sum of the rounded ones.
struct DosageRecord {
  const Marker* marker = nullptr;
  bool in_panel = true;                    // false: a study marker that is not in the panel, written unchanged
  std::span<const float> dosages;          // [haplotypes], empty where in_panel is false
  std::span<const uint8_t> typed_alleles;  // [haplotypes] 0, 1, kMissingAllele; empty on imputed records
  std::span<const float>
      left_out;  // [haplotypes] ALT probability given all other alleles, for ER2 and LDS; may be empty
  std::span<const float> phase = {};  // [samples] the probability of the phase of a heterozygote, 0: none; may be empty
  std::optional<float> panel_frequency = {};  // of ALT, where the marker is in the panel
  std::optional<float> panel_r2 = {};         // r2 that the panel's own samples have at an imputed marker, for R2P
  std::span<const uint8_t> calls = {};        // [haplotypes] alleles to call; empty: the more probable ones
  std::span<const uint8_t> unphased = {};  // [samples] 1 where the typed alleles may be in either order; may be empty
  bool has_likelihoods = false;            // the typed alleles are those that reads, or their likelihoods, make certain
  std::span<const AlleleDepth> depths = {};  // [samples] for AD; empty where there are no reads
  bool continues = false;                    // a further ALT of the record before it
  std::span<const float> animals = {};  // ALT probabilities of the haplotypes of people without genotypes; empty: none

  // Nobody has given the genotypes of the marker: they are inferred from the panel and, if there are any, reads.
  bool IsImputed() const { return in_panel && (typed_alleles.empty() || has_likelihoods); }
};

// The mean of DR2 over the imputed markers with a minor-allele frequency of at least 1 % in the study, as imputed.
struct MeanDr2 {
  static constexpr double kMinMaf = 0.01;

  size_t markers = 0;
  double mean = 0;
};

// Writes to a temporary file in the folder of `path`, which Finish() renames. If it is destroyed before, no file is
// left, except with OutputFile::Unfinished::kKeep. Throws InputError if the file cannot be written, or the disk is
// full. The bytes do not depend on the number of threads.
class DosageWriter {
 public:
  // `path` "-" is standard output.
  DosageWriter(const std::string& path, OutputType type, const VariantHeader& header, const SampleTable& samples,
               const OutputFields& fields, OutputFile::Unfinished unfinished = OutputFile::Unfinished::kRemove);
  ~DosageWriter();

  // Ploidy may differ between contigs; this is that of the following records. Samples that they lack are written as
  // haploid and missing. The last `animals` of them are people without genotypes, who are diploid, have
  // DosageRecord::animals in place of dosages, or are missing, and do not count for INFO.
  void SetPloidy(const SampleTable& samples, size_t animals = 0);

  // Records of one contig of the header, sorted by position. INFO is computed here: AF (mean ALT probability), DR2 and,
  // where `left_out` is given, ER2 (see genomics/dosage_r2.h), R2P where `panel_r2` is given, IMP on imputed records,
  // also those with likelihoods, TYPED on typed and NOT_IN_PANEL on study-only records. These last have no FORMAT
  // beyond GT and DS, DS counts the given ALT alleles, and those without ALT (".") have GT alone.
  void Write(const std::string& contig, std::span<const DosageRecord> records);

  // Makes durable what was written. With OutputFile::Unfinished::kKeep, another writer with the same parameters can
  // go on after it. Not for BGEN.
  WriterState Save();
  void Restore(const WriterState& state);

  // Flushes, fsyncs, renames, and writes the index if asked, which CanBeIndexed() must allow: .csi for BCF, .tbi for
  // VCF.gz, or .csi if a contig is 512 Mb or longer, .bgi for BGEN. Beside a BGEN file there is its .sample file.
  void Finish(IndexType index);

  // Records that were not written because of the output's fields.
  size_t num_left_out() const;
  MeanDr2 mean_dr2() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace haplospin
