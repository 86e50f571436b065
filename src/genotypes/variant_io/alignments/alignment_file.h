// One BAM, CRAM or SAM file, read region by region.
#pragma once

#include <htslib/sam.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/contig_index.h"
#include "genotypes/genomics/sites/contig_table.h"
#include "genotypes/variant_io/hts_handles.h"

namespace haplospin {

using SamHeaderHandle = std::unique_ptr<sam_hdr_t, Deleter<sam_hdr_destroy>>;
using SamRecordHandle = std::unique_ptr<bam1_t, Deleter<bam_destroy1>>;

// Where the reads of a contig go on after a region: a later region is read from there without the index.
struct ReadPlace {
  std::string contig;  // empty: nowhere
  int64_t begin = 0;   // 0-based; regions that begin earlier need reads from before
  int64_t offset = 0;  // of BGZF
};

// The contigs of a header, which files that have the same may share.
struct SamContigs {
  ContigIndex index;
  SamHeaderHandle header;
};

// Returns whether the file is BAM, CRAM or SAM by its first bytes; false if it cannot be read.
bool IsAlignmentFile(const std::string& path);

class AlignmentFile {
 public:
  // Opens the file and reads its header. Its index is beside it, if `index` is empty. CRAM is decoded with the
  // reference `fasta` or, where it is empty, as HTSlib finds it: from REF_PATH or the path in the header. Throws
  // InputError if the file is damaged, or says that it is not sorted by position.
  AlignmentFile(std::string path, const std::string& fasta, std::string index = "");

  const std::string& path() const { return path_; }
  const ContigTable& contigs() const { return contigs_->index.contigs(); }

  // Returns the name that the header has for a contig, or nothing if it does not have it.
  std::optional<std::string> FindContig(std::string_view name) const;

  // Another file's table of contigs takes the place of this file's, if it is equal.
  const std::shared_ptr<const SamContigs>& shared_contigs() const { return contigs_; }
  void ShareContigs(const std::shared_ptr<const SamContigs>& contigs);

  // Whether the file can be read here and there while it is open, and the size of the index that is in memory then.
  bool CanBeKept() const { return file_->format.format == bam; }
  size_t IndexBytes() const { return index_ ? index_bytes_ : 0; }
  void DropIndex() { index_.reset(); }

  // The name (SM) of each read group by its ID, these names, each once, and the groups' libraries (LB).
  const std::unordered_map<std::string, std::string>& read_groups() const { return read_groups_; }
  const std::vector<std::string>& samples() const { return samples_; }
  const std::set<std::string>& libraries() const { return libraries_; }

  // Looks at what would fail later: the end of the file, its index, whether that belongs to it, and whether the first
  // reads can be decoded. Throws InputError. Returns a hash of the first reads, by which a copy of the file is found,
  // also one in another format; nothing if it has no reads.
  std::optional<uint64_t> Check();

  // Calls `visit` with each read that overlaps the region (0-based, without `end`), in the order of the file. A file
  // that has no index, which only SAM that BGZF has not compressed may be, is read from its beginning. In a BAM file,
  // reading begins at `place`, if that is at most a megabase before the region, and sets it to the end of the region.
  // Throws InputError if the file is damaged or not sorted, or `contig` is no name of its header.
  void ForEachRead(const std::string& contig, int64_t begin, int64_t end,
                   const std::function<void(const bam1_t&)>& visit, ReadPlace* place = nullptr);

  // Returns whether a read is on the contig.
  bool HasReads(const std::string& contig);

  // Returns how many reads are mapped, by the index of a BAM file; nothing for others, or if the index does not tell.
  struct MappedReads {
    uint64_t mapped = 0, unmapped = 0;
  };
  std::optional<MappedReads> CountMapped();

 private:
  SamHeaderHandle Open();
  void ReadHeader(SamHeaderHandle header);
  void ReadGroups(sam_hdr_t* header);
  int ReadNext();
  void LoadIndex();
  void CheckIndex(const std::string& index) const;
  std::optional<std::string> IndexPath() const;
  bool CanHaveIndex() const;
  std::optional<int64_t> FirstOffset(int contig, int64_t begin, int64_t end);
  void ForEachFrom(int64_t offset, int contig, int64_t begin, int64_t end,
                   const std::function<void(const bam1_t&)>& visit, ReadPlace& place);
  void ForEachScanned(int contig, int64_t begin, int64_t end, const std::function<void(const bam1_t&)>& visit);
  int ReadFirst();
  void CheckStatus(int status) const;
  void CheckOrder(const bam1_t& read);
  int TargetIndex(const std::string& contig) const;

  const std::string path_, fasta_, given_index_;
  HtsHandle file_;
  std::shared_ptr<const SamContigs> contigs_;
  SamHeaderHandle reopened_;  // header of a file that is read again from its beginning
  HtsIndexHandle index_;
  size_t index_bytes_ = 0;
  SamRecordHandle read_;
  std::unordered_map<std::string, std::string> read_groups_;
  std::vector<std::string> samples_;
  std::set<std::string> libraries_;
  int64_t header_end_ = 0;  // BAM: a virtual offset of BGZF
  int32_t last_contig_ = -1;
  int64_t last_position_ = -1;
};

}  // namespace haplospin
