// Typed genotypes of a study from VCF, VCF.gz and BCF, a piece of a contig at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/genomics/sites/site_list.h"
#include "genotypes/variant_io/line_source.h"
#include "genotypes/variant_io/reading/likelihood_calls.h"
#include "genotypes/variant_io/reading/marker_source.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// A reader refuses heterozygotes whose alleles are not assigned to haplotypes, accepts them, or reads every
// heterozygote as one of them.
enum class Unphased { kReject, kAccept, kReadAll };

struct StudyOptions {
  Unphased unphased = Unphased::kReject;
  bool phase_sets = false;  // read FORMAT PS; without it, all phased genotypes are of one set
  LikelihoodField likelihoods = LikelihoodField::kNone;  // field that replaces GT in the records that have it
  std::vector<std::string> samples;                      // samples to read, in the order of the file; empty: all
  std::vector<std::string> excluded_samples;             // a warning tells of those that the study does not have
  std::optional<MarkerList> excluded_markers;
  std::vector<std::string> filters;  // records to read: those with one of these in FILTER ("." is none); empty: all
  LineOpener lines;                  // of a study that is not one file of genotypes; empty: the file is read
  std::vector<std::string> males;    // males beside those of a PLINK file; names that the study lacks are ignored
};

// Reads a study as PanelReader reads a panel, but genotypes may be missing (`.`), and haploid and diploid samples may
// mix. Unphased heterozygotes are an InputError unless they are accepted; unphased homozygotes are fine. A record
// without ALT, or with <NON_REF> or <*> alone, becomes a marker with the ALT ".". A sample's ploidy is that of its
// first genotype with an allele among the next megabyte of records, or 2. On Y, samples other than males without any
// genotype there are left out of the samples of the contig. Males are haploid on X, except its
// pseudo-autosomal regions, and on Y, also where their genotypes are written as two alleles; two different alleles are
// both read as missing.
//
// With likelihoods, a genotype that is certain by them is read as if it were called, and any other one as missing,
// with its likelihoods. Records without the field have their calls. GT may be absent.
class StudyReader : public StudyMarkerSource {
 public:
  // `path` "-" is standard input; it only stands in messages if the options open lines. Throws InputError if no sample
  // is left.
  explicit StudyReader(const std::string& path, StudyOptions options = {});
  ~StudyReader() override;
  StudyReader(StudyReader&&) noexcept;

  const std::vector<std::string>& sample_names() const;
  const std::vector<std::pair<std::string, int64_t>>& header_contigs() const;
  // Name and length or last position (0: unknown) of the contigs that header or .bim have.
  std::vector<std::pair<std::string, int64_t>> KnownContigs() const;
  size_t num_autosomes() const;  // pairs of them that the header declares (##chrSet of PLINK 2), or 0
  const std::string& path() const;
  std::vector<std::string> Contigs();

  // Returns the contigs with records, or nothing without an index.
  std::optional<std::vector<std::string>> IndexedContigs();

  std::optional<std::string> NextContig();
  std::optional<int64_t> NextPosition() override;
  void DivideContigs(const PloidyRegions& regions);  // see PanelReader::DivideContigs()
  StudyGenotypes StartContig() override;
  bool ReadUntil(int64_t position, StudyGenotypes& study) override;
  void SkipContig();

  // Returns whether an unphased heterozygote has been read, which is only possible where they are accepted. Its alleles
  // are in the order of the file.
  bool has_unphased() const;

  bool has_males() const;          // among its samples
  bool has_map_positions() const;  // those of a .bim in cM, 1 Mb for 1 cM

  // Warns if males are given and none of them is in the file.
  void WarnOfAbsentMales() const;

  // Heterozygous genotypes that were read as missing because the sample is haploid.
  size_t num_male_heterozygotes() const;

  // Samples without genotypes on Y, and on W, which the parts of that contig do not have.
  size_t num_absent_females() const;
  size_t num_absent_males() const;

  // Markers that were left out because they are among the excluded ones.
  size_t num_excluded_markers() const;

  // The excluded markers that have not been read.
  std::vector<std::string> ExcludedMarkersNotFound() const;

  // Records whose FILTER is neither PASS nor none, read or not, and what the first of them has.
  size_t num_failed() const;
  const std::string& first_failed() const;

  // Records that were not read because of `filters`.
  size_t num_filtered() const;

  // The samples that have had no genotype so far.
  std::vector<std::string> SamplesWithoutGenotypes() const;

  // Records that were read with likelihoods, and without them.
  size_t num_with_likelihoods() const;
  size_t num_without_likelihoods() const;

  // Tells the user about the reads that the genotypes are from, if there are any (LineSource::Tell()).
  void TellOfReads() const;

  // Records of a gVCF that were read and stand for several bases, of which the first is used.
  size_t num_blocks() const;

  void Seek(const Region& region) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace haplospin
