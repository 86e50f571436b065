// Typed genotypes of a study, a piece of a contig at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/genomics/sites/site_list.h"
#include "genotypes/variant_io/reading/diploid_males.h"
#include "genotypes/variant_io/reading/failed_calls.h"
#include "genotypes/variant_io/reading/likelihood_calls.h"
#include "genotypes/variant_io/reading/marker_source.h"
#include "genotypes/variant_io/reading/record_source.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// A reader refuses heterozygotes whose alleles are not assigned to haplotypes, accepts them, or reads every
// heterozygote as one of them.
enum class Unphased { kReject, kAccept, kReadAll };

struct StudyOptions {
  Unphased unphased = Unphased::kAccept;
  bool phase_sets = false;  // read FORMAT PS; without it, all phased genotypes are of one set
  LikelihoodField likelihoods = LikelihoodField::kNone;  // field that replaces GT in the records that have it
  std::vector<std::string> samples;                      // samples to read, in the order of the file; empty: all
  std::vector<std::string> excluded_samples;             // a warning tells of those that the study does not have
  std::optional<MarkerList> excluded_markers;
  std::vector<std::string> filters;  // records to read: those with one of these in FILTER ("." is none); empty: all
  RecordOpener open;                 // of a study that is not one file of genotypes; empty: the file is read
  // Males and females beside those of a PLINK file; names that the study lacks are ignored.
  std::vector<std::string> males, females;
  bool sites_only = false;  // read markers without genotypes, as those of no samples

  // Returns whether all samples have one allele on a contig, which likelihoods alone do not tell. Empty: those do that
  // genotypes tell of. Males and females of sex chromosomes are told apart all the same.
  std::function<bool(const std::string& contig)> is_haploid = {};
};

// What has been read of a study so far.
struct StudyReading {
  size_t male_heterozygotes = 0;                         // read as missing
  size_t one_allele_of_two = 0;                          // in pseudo-autosomal regions, read as homozygous
  size_t absent_females = 0;                             // without genotypes on Y, the parts of which do not have them
  size_t absent_males = 0;                               // without genotypes on W
  size_t female_calls_on_y = 0;                          // genotypes of females, read as missing
  size_t haploid_females = 0;                            // with one allele on X outside pseudo-autosomal regions
  DiploidMales diploid_males;                            // of the part of X or Y that has most
  size_t imputed = 0;                                    // records that are marked as imputed, read as typed
  const char* imputation_flag = nullptr;                 // of the first, in INFO
  size_t failed = 0;                                     // records whose FILTER is neither PASS nor none, read or not
  size_t filtered = 0;                                   // records that were not read because of StudyOptions::filters
  std::string first_failed;                              // FILTER of the first that failed
  size_t with_likelihoods = 0, without_likelihoods = 0;  // records
  WeighedCalls weighed = {};                             // genotypes of all samples of the file
  size_t no_calls = 0;                                   // genotypes of all samples, 0/0 without reads: missing
  FailedCalls failed_calls;                              // genotypes of all samples, read as they were called
  size_t sets_of_ids = 0;                                // genotypes whose phase set is that of PID, without PS
  bool has_unphased = false;                             // heterozygotes, whose alleles are in the order of the file
  bool has_map_positions = false;
  size_t blocks = 0;  // records of a gVCF that stand for several bases, of which the first is used
  size_t excluded_markers = 0;
  std::vector<std::string> unknown_exclusions;  // excluded markers that have not been read
  std::vector<std::string> samples_without_genotypes;

  size_t Records() const { return with_likelihoods + without_likelihoods; }
};

// Reads a study as PanelReader reads a panel, but genotypes may be missing (`.`), and haploid and diploid samples may
// mix. Unphased heterozygotes are an InputError unless they are accepted; unphased homozygotes are fine. A record
// without ALT, or with <NON_REF> or <*> alone, becomes a marker with the ALT ".". A sample's ploidy is that of its
// first genotype with an allele among the next megabyte of records, or 2. On Y, samples other than males without any
// genotype there are left out of the samples of the contig, of whom none may be left in a study of females. Males are
// haploid on X, except its pseudo-autosomal regions, and on Y, also where their genotypes are written as two alleles;
// two different alleles are both read as missing. Females have no Y: genotypes of theirs there are missing. In a
// pseudo-autosomal region where any sample has two alleles, all have, and one allele is homozygous: plink2 writes males
// so after --merge-par, beside heterozygotes of two alleles.
//
// A homozygote of REF that no read has shown is missing (no_calls.h).
//
// With likelihoods, a genotype that is certain by them is read as if it were called, and any other one as missing,
// with its likelihoods. Records without the field have their calls. GT may be absent.
class StudyReader : public StudyMarkerSource {
 public:
  // `path` "-" is standard input; it only stands in messages if the options open records. Throws InputError if no
  // sample is left.
  explicit StudyReader(const std::string& path, StudyOptions options = {});
  ~StudyReader() override;
  StudyReader(StudyReader&&) noexcept;

  const RecordHeader& header() const;
  const std::vector<std::string>& sample_names() const;  // those that are read
  bool has_males() const;                                // among these

  std::vector<std::string> Contigs();  // see RecordStream

  std::optional<std::string> NextContig();
  std::optional<int64_t> NextPosition() override;
  void DivideContigs(const PloidyRegions& regions);  // see PanelReader::DivideContigs()

  // By the regions that divide the contigs; before these are given, by the names and the species of the header.
  bool IsSexOrMitochondrial(const std::string& contig) const;

  StudyGenotypes StartContig() override;
  bool ReadUntil(int64_t position, StudyGenotypes& study) override;
  void SkipContig();
  void Seek(const Region& region) override;

  // Returns what has been read so far.
  StudyReading Reading() const;

  // Warns if males are given and none of them is in the file.
  void WarnOfAbsentMales() const;

  // Tells the user about the reads that the genotypes are from, if there are any (RecordSource::Tell()).
  void TellOfReads() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace haplospin
