// Panels in the files of other programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "genotypes/variant_io/reading/record_source.h"

namespace haplospin {

// Its readers decode records one after the other, with all that a block of records has in common.
class PanelSource : public RecordSource {
 public:
  std::string SortingRemedy() const override { return "sort the panel"; }

 protected:
  PanelSource(const std::string& path, RecordKind kind) : RecordSource({.path = path}), kind_(kind) {}

  void Decode(size_t i, const RecordFilter& filter, ParsedRecord& record) override;

  bool reads_haplotypes() const { return kind_ != RecordKind::kSites; }

  // Throws InputError if there are no samples, or two have one name.
  void SetSamples(std::vector<std::string> samples);

  // The record to decode into: [index] of those that are read, without what an earlier record left.
  ParsedRecord& Fresh(size_t index);

  // Throws InputError if VCF could not have the contig's name or the position, bp.
  void SetPlace(std::string_view contig, int64_t position, ParsedRecord& record) const;

  // Throws InputError "FILE: CONTIG:POSITION: what".
  [[noreturn]] void Fail(const ParsedRecord& record, const std::string& what) const;

 private:
  const RecordKind kind_;
};

// Each throws InputError if the file is of another version, or its beginning is damaged. `kind` is kPanel or kSites.
std::unique_ptr<RecordSource> OpenBref3(const std::string& path, RecordKind kind);  // Beagle's binary reference format
std::unique_ptr<RecordSource> OpenMsav(const std::string& path, RecordKind kind);   // of Minimac4
std::unique_ptr<RecordSource> OpenM3vcf(const std::string& path, RecordKind kind);  // of Minimac3 and older Minimac4
std::unique_ptr<RecordSource> OpenOxford(const std::string& path,
                                         RecordKind kind);  // .hap with .legend and .sample, or .haps with .sample

// Returns whether the file is in one of these formats, which have nothing but phased haplotypes.
bool HasPanelFormat(const std::string& path);

// Opens the records of a panel: in one of these formats, told by its first bytes or, for Oxford's, by its name, or as
// OpenRecords().
std::unique_ptr<RecordSource> OpenPanelRecords(const std::string& path, RecordKind kind);

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

}  // namespace haplospin
