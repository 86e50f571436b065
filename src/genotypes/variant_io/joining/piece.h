// The VCF or BCF files to be joined, their joined header, and the order of their records.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "genotypes/variant_io/hts_handles.h"

namespace haplospin {

// A file, read record by record.
class Piece {
 public:
  // Throws InputError if the header cannot be read.
  explicit Piece(const std::string& path);

  const std::string& path() const { return path_; }
  htsFile* file() const { return file_.get(); }
  bcf_hdr_t* header() const { return header_.get(); }

  // Returns whether the phase of a first allele has a meaning (genotype_prefix.h).
  bool has_prefixes() const { return has_prefixes_; }

  // The next record, which stays valid until the next call, or null at the end. Skips blank lines of text. Throws
  // InputError if the record is damaged, has a position that VCF does not allow or a FORMAT key twice, or its contig is
  // not declared: text may do without, see DeclareContigs().
  bcf1_t* Next();

  [[noreturn]] void FailDamaged() const;  // names the record read last

 private:
  int Parse();  // the line; returns what vcf_parse() does

  const std::string path_;
  HtsHandle file_;
  BcfHeaderHandle header_;
  BcfRecordHandle record_;
  KString line_;
  bool has_prefixes_ = false;
};

// Throws InputError if a key is twice in FORMAT.
void CheckFormat(const std::string& path, const bcf_hdr_t* header, bcf1_t* record);

// Declares the contigs that are not declared yet.
void DeclareContigs(const std::vector<std::string>& names, bcf_hdr_t* header);

// Declares the INFO fields that are not declared yet: those that VCF reserves as it does, others as text.
void DeclareInfo(const std::set<std::string>& names, bcf_hdr_t* header);

class JoinedHeader {
 public:
  // Adds what the header of another file declares in addition. Throws InputError if its samples differ from the first
  // file's, or it declares an INFO or FORMAT field with another type, or a contig with another length.
  void Add(const std::string& path, const bcf_hdr_t* header);

  void AddLine(const std::string& line);

  bcf_hdr_t* get() const { return joined_.get(); }

  // Returns whether records of `header` can be used unchanged with the joined one: BCF refers to fields and contigs by
  // their index in the header.
  bool IsAsFirst(const bcf_hdr_t* header) const;

 private:
  std::string first_path_;
  std::string first_declarations_;
  BcfHeaderHandle joined_;
};

// Checks that the records of several consecutive files are sorted by contig and position as if they were of one.
class SiteOrder {
 public:
  // Tells that the following records are of another file.
  void StartFile(const std::string& path);

  // Throws InputError if the record is out of order: on a contig that ended before, before the last position, or, as
  // the first record of a file, not after the last position.
  void Add(std::string_view contig, int64_t position);

  // Describes the place of the next record: "after 20:100", or "first record" of the file.
  std::string Where() const;

  const std::vector<std::string>& contigs() const { return contigs_; }  // contigs in their order
  int64_t first_position() const { return first_position_; }            // position of the first record, bp
  int64_t last_position() const { return last_position_; }              // highest position on any contig, bp
  size_t num_records() const { return num_records_; }

 private:
  void StartContig(std::string_view contig, int64_t position);
  [[noreturn]] void FailBackwards(int64_t position) const;

  std::string path_;
  std::string previous_path_;  // the file of the last record
  bool is_first_of_file_ = true;
  std::vector<std::string> contigs_;
  std::unordered_set<std::string> names_;  // the same
  int64_t position_ = 0;                   // position of the last record, bp
  int64_t first_position_ = 0;
  int64_t last_position_ = 0;
  size_t num_records_ = 0;
};

}  // namespace haplospin
