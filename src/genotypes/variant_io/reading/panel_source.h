// Panels in the files of other programs: what each format reads, and its records in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/reading/record_parser.h"

namespace haplospin {

class PanelSource {
 public:
  using Contig = std::pair<std::string, int64_t>;

  virtual ~PanelSource() = default;

  const std::string& path() const { return path_; }
  const std::vector<std::string>& samples() const { return samples_; }
  // Name and length in bp (0: unknown) of each contig that the file declares.
  const std::vector<Contig>& header_contigs() const { return header_contigs_; }

  // Decodes the next records into the first of `records`, which grows where there are more, as RecordParser decodes
  // those of a VCF panel. Returns their number, 0 at the end. Throws InputError if the file is damaged.
  virtual size_t Read(std::vector<ParsedRecord>& records) = 0;

 protected:
  explicit PanelSource(std::string path) : path_(std::move(path)) {}

  // Throws InputError if there are no samples, or two have one name.
  void SetSamples(std::vector<std::string> samples);

  // The record to decode into: [index] of `records`, without what an earlier record left.
  static ParsedRecord& Fresh(std::vector<ParsedRecord>& records, size_t index);

  // Throws InputError if VCF could not have the contig's name or the position, bp.
  void SetPlace(std::string_view contig, int64_t position, ParsedRecord& record) const;

  // Throws InputError "FILE: CONTIG:POSITION: what".
  [[noreturn]] void Fail(const ParsedRecord& record, const std::string& what) const;

  std::string path_;
  std::vector<std::string> samples_;
  std::vector<Contig> header_contigs_;
};

// Each throws InputError if the file is of another version, or its beginning is damaged.
std::unique_ptr<PanelSource> OpenBref3(const std::string& path);  // Beagle's binary reference format
std::unique_ptr<PanelSource> OpenMsav(const std::string& path);   // of Minimac4
std::unique_ptr<PanelSource> OpenM3vcf(const std::string& path);  // of Minimac3 and older Minimac4
std::unique_ptr<PanelSource> OpenOxford(
    const std::string& path);  // .hap with .legend and .sample, or .haps with .sample

// Opens a panel that is in one of these formats, told by its first bytes or, for Oxford's, by its name; null for
// others.
std::unique_ptr<PanelSource> OpenPanelSource(const std::string& path);

// The haplotypes of a block of markers, each of which has one of a few sequences of alleles.
class BlockHaplotypes {
 public:
  // `sequences` has the index of the sequence of each haplotype, which is less than the number of haplotypes.
  void Assign(std::span<const uint32_t> sequences);

  size_t num_haplotypes() const { return by_sequence_.size(); }
  size_t num_sequences() const { return first_.size() - 1; }

  // Sets the bit of each haplotype whose sequence has the allele, and clears the other bits. `alleles` has the allele
  // of each sequence.
  void GatherBits(const uint8_t* alleles, uint8_t allele, uint64_t* bits) const;

 private:
  std::vector<uint32_t> by_sequence_;  // the haplotypes in the order of their sequences
  std::vector<uint32_t> first_{0};     // [sequences + 1] index of the first haplotype of each
};

// Joins the two names A_HAP_1 and A_HAP_2 of each sample to A, where M3VCF has haplotypes in place of samples. Returns
// [samples] which have one haplotype.
std::vector<bool> JoinHaplotypeNames(std::vector<std::string>& names);

// The records of a source with the interface of VariantStream. There is no index: regions are found by reading.
class SourceStream {
 public:
  explicit SourceStream(std::unique_ptr<PanelSource> source) : source_(std::move(source)) {}

  const PanelSource& file() const { return *source_; }

  // The next record, or null at the end of the file or region. Stays valid until Pop().
  ParsedRecord* Peek();
  void Pop() {
    ++next_;
    is_checked_ = false;
  }
  void SkipContig();
  void Seek(const Region& region);
  std::vector<std::string> Contigs() const { return contigs_; }
  [[noreturn]] void Fail(const ParsedRecord& record, const std::string& what) const;

 private:
  bool IsBeyondRegion(const ParsedRecord& record) const;
  void CheckOrder(const ParsedRecord& record);

  std::unique_ptr<PanelSource> source_;
  std::vector<ParsedRecord> records_;
  size_t num_records_ = 0;
  size_t next_ = 0;
  bool is_checked_ = false;  // records_[next_]

  std::optional<Region> region_;
  RecordFilter filter_;
  std::vector<std::string> contigs_;       // met so far, in order
  std::unordered_set<std::string> names_;  // the same
  int64_t position_ = 0;                   // position of the last record, bp
};

}  // namespace haplospin
