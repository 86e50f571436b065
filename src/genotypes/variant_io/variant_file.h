// Reads a VCF or BCF file as a sequence of undecoded records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/progress.h"
#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/line_source.h"

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
  using Contig = std::pair<std::string, int64_t>;  // name and length in bp, 0 where the header has none

  // Reads the header. Throws InputError if the file does not exist, is not VCF, BCF, BGEN or PLINK 1 (.bed), is
  // truncated, or has duplicate samples or, unless they are accepted, none. `path` "-" is standard input.
  explicit VariantFile(const std::string& path, SitesOnly sites_only = SitesOnly::kReject);

  // Reads lines as if they were those of a file. `name` stands in messages in place of its path.
  VariantFile(const std::string& name, std::unique_ptr<LineSource> lines);

  // Opens the lines, or the file at `path` where there is no opener of lines.
  static VariantFile Open(const std::string& path, const LineOpener::Function& lines) {
    return lines ? VariantFile(path, lines()) : VariantFile(path);
  }

  const std::string& path() const { return path_; }
  const std::vector<std::string>& samples() const { return samples_; }
  // [samples] where the file has sexes (PLINK), else empty.
  const std::vector<bool>& is_male() const { return is_male_; }
  bool is_plink() const { return is_plink_; }

  // Returns whether positions are those of a linkage map, 1 Mb for 1 cM.
  bool has_map_positions() const { return has_map_positions_; }
  const std::vector<Contig>& header_contigs() const { return contigs_; }

  // Returns the value of the header's first line "##KEY=value", or "" where it has none.
  std::string HeaderValue(const std::string& key) const;

  // Returns the pairs of autosomes in PLINK 2's line "##chrSet=<autosomePairCt=31,X,Y>", or 0 without it.
  size_t NumAutosomes() const;

  // The contigs that the header declares, or those of a .bim with their last positions.
  std::vector<Contig> KnownContigs() const;

  const bcf_hdr_t* bcf_header() const { return bcf_header_.get(); }  // null for text

  // Reads the next records, a few megabytes; false at the end of the file. Throws InputError if the file is damaged.
  bool Read(RawRecords& records);

  // Returns whether every line of text that was read ends with a newline alone and none is blank, so that bytes can be
  // copied.
  bool has_plain_lines() const { return has_plain_lines_; }

  // Returns whether the last line of text that was read has no newline, which may mean that the line was cut.
  bool ends_without_newline() const { return ends_without_newline_; }

  // Returns the contigs with records as the index, or the source of lines, has them; nothing without an index.
  std::optional<std::vector<std::string>> IndexedContigs();

  // Moves to a record of `contig` that is not after its first record from `begin` on. Returns false without an index,
  // or where the index knows of no record from `begin` on.
  bool SeekByIndex(const std::string& contig, int64_t begin);

  // Does what LineSource::Seek() does; returns false for other files.
  bool SeekLines(const Region& region) { return lines_ && lines_->Seek(region); }

  // Tells the user what LineSource::Tell() does.
  void Tell() const {
    if (lines_) lines_->Tell();
  }

 private:
  void TakeLines();
  void ReadTextHeader();
  void ReadBcfHeader();
  void AddContig(const bcf_hrec_t& line);
  void CheckSamples(SitesOnly sites_only) const;
  void OpenVariants();
  bool ReadText(RawRecords& records);
  bool ReadLines(RawRecords& records);
  void AddLine(std::string_view line, RawRecords& records);
  bool ReadBcf(RawRecords& records);
  void LoadIndex();
  void CheckEnd() const;
  [[noreturn]] void FailDamaged() const;
  [[noreturn]] void FailIndex(const std::string& index) const;
  BGZF* Bgzf() const { return text_ ? text_.get() : bcf_->fp.bgzf; }

  std::string path_;
  // Exactly one of these three is not null.
  BgzfHandle text_;
  HtsHandle bcf_;
  std::unique_ptr<LineSource> lines_;  // of PLINK and BGEN
  bool is_plink_ = false;
  bool has_map_positions_ = false;
  BcfHeaderHandle bcf_header_;
  std::vector<std::string> samples_;
  std::vector<bool> is_male_;
  std::vector<Contig> contigs_;
  std::unordered_map<std::string, std::string> header_values_;
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
