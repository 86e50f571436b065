// Reads a VCF or BCF file as a sequence of undecoded records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/progress.h"
#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/record_header.h"

namespace haplospin {

// Records next to each other in the file: lines of text (without line ends), or BCF records. Reused from read to read.
class RawRecords {
 public:
  size_t size() const { return num_records_; }
  std::string_view line(size_t i) const { return lines_[i]; }
  bcf1_t* record(size_t i) const { return records_[i].get(); }

 private:
  friend class VariantFile;
  size_t num_records_ = 0;
  std::vector<char> text_;
  std::vector<std::string_view> lines_;
  std::vector<BcfRecordHandle> records_;
};

// A file without samples, which holds sites alone, is refused or accepted.
enum class SitesOnly { kReject, kAccept };

// Returns whether the data of a file can be read twice: not those of standard input or a pipe.
bool CanBeReadTwice(const std::string& path);

// Throws InputError if they cannot.
void CheckReadableTwice(const std::string& path);

// Returns the version of HTSlib, such as "1.16".
std::string HtslibVersion();

class VariantFile {
 public:
  // Reads the header. Throws InputError if the file does not exist, is not VCF or BCF, is truncated, or has duplicate
  // samples or, unless they are accepted, none. `path` "-" is standard input.
  explicit VariantFile(const std::string& path, SitesOnly sites_only = SitesOnly::kReject);

  const RecordHeader& header() const { return header_; }
  const bcf_hdr_t* bcf_header() const { return bcf_header_.get(); }  // null for text

  // Reads the next records, a few megabytes; false at the end of the file. Throws InputError if the file is damaged.
  bool Read(RawRecords& records);

  // Returns whether every line of text that was read ends with a newline alone and none is blank, so that bytes can be
  // copied.
  bool has_plain_lines() const { return has_plain_lines_; }

  // Returns whether the last line of text that was read has no newline, which may mean that the line was cut.
  bool ends_without_newline() const { return ends_without_newline_; }

  // Returns the contigs with records as the index has them; nothing without an index.
  std::optional<std::vector<std::string>> IndexedContigs();

  // Moves to a record of `contig` that is not after its first record from `begin` on. Returns false without an index,
  // or where the index knows of no record from `begin` on.
  bool SeekByIndex(const std::string& contig, int64_t begin);

 private:
  void ReadTextHeader();
  void ReadBcfHeader();
  void AddContig(const bcf_hrec_t& line);
  void OpenVariants();
  bool ReadText(RawRecords& records);
  void AddLine(std::string_view line, RawRecords& records);
  bool ReadBcf(RawRecords& records);
  void LoadIndex();
  void CheckEnd() const;
  [[noreturn]] void FailDamaged() const;
  [[noreturn]] void FailIndex(const std::string& index) const;
  BGZF* Bgzf() const { return text_ ? text_.get() : bcf_->fp.bgzf; }

  RecordHeader header_;
  // One of these two is null.
  BgzfHandle text_;
  HtsHandle bcf_;
  BcfHeaderHandle bcf_header_;
  std::string partial_line_;  // the beginning of the next line
  std::string last_record_;   // contig:position, for messages
  bool has_plain_lines_ = true;
  bool ends_without_newline_ = false;
  int64_t header_end_ = 0;  // a virtual offset of BGZF
  bool index_is_loaded_ = false;
  std::string index_path_;
  std::optional<double> megabytes_;     // size of a regular file
  std::unique_ptr<Progress> progress_;  // null before the first records, and for other files
  std::string sought_by_;               // the index by which the next record was found
  TabixHandle tabix_;
  HtsIndexHandle bcf_index_;
};

}  // namespace haplospin
