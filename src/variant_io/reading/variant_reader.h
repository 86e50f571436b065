// Phased genotypes from VCF, VCF.gz, BCF and panel files, a piece of a contig at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "haplospin/haplotype_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// A stretch of a contig, both ends included, bp.
struct Region {
  std::string contig;
  int64_t begin = 1;
  int64_t end = INT64_MAX;
};

// Reads CONTIG, CONTIG:POSITION, CONTIG:FROM-TO or CONTIG:FROM-; throws InputError for anything else.
Region ParseRegion(const std::string& text);

// Reads a reference panel in file order: VCF, VCF.gz, BCF, or a panel file (panel_file.h), told by its first bytes.
// Every genotype must be phased and none may be missing. Records without ALT are skipped. Throws InputError as listed
// in docs/errors.md; messages name file, record and sample.
class PanelReader {
 public:
  // `threads` decompress and parse. Contigs are read one after the other; the file must be sorted.
  PanelReader(const std::string& path, int threads);
  ~PanelReader();
  PanelReader(PanelReader&&) noexcept;

  const std::vector<std::string>& sample_names() const;

  // Name and length (0: unknown) of each contig that the header declares.
  const std::vector<std::pair<std::string, int64_t>>& header_contigs() const;

  // The contigs that have records: all of them if the file is indexed, else those met so far.
  std::vector<std::string> contigs() const;

  // The contig of the next unread record, or nothing at the end of the file or region.
  std::optional<std::string> NextContig();

  // The position of that record, bp.
  std::optional<int64_t> NextPosition();

  // An empty panel for the next contig; ploidy is taken from its first record. Throws InputError at the end of the
  // file.
  HaplotypePanel StartContig();

  // Appends the records of the panel's contig up to and including `position` (bp). Returns false once the contig has no
  // further record.
  bool ReadUntil(int64_t position, HaplotypePanel& panel);

  // Passes over the rest of the next record's contig.
  void SkipContig();

  // Moves to the next record of `contig` at or beyond the region's begin: by index where there is one, else by reading
  // on. The file seems to end with the region. Throws InputError if the region has no record.
  void Seek(const Region& region);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Reads a study: as PanelReader, but genotypes may be missing (`.`), and haploid and diploid samples may mix.
// A phased file is expected: unphased heterozygotes are an InputError; unphased homozygotes are fine. A record without
// ALT becomes a marker with the ALT ".". A sample's ploidy is that of its first genotype with an allele among the next
// megabyte of records, or 2.
class StudyReader {
 public:
  StudyReader(const std::string& path, int threads);  // "-" is standard input
  ~StudyReader();
  StudyReader(StudyReader&&) noexcept;

  const std::vector<std::string>& sample_names() const;
  const std::vector<std::pair<std::string, int64_t>>& header_contigs() const;
  std::vector<std::string> contigs() const;
  std::optional<std::string> NextContig();
  StudyGenotypes StartContig();
  bool ReadUntil(int64_t position, StudyGenotypes& study);
  void SkipContig();
  void Seek(const Region& region);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace haplospin
