#include "genotypes/variant_io/index_file.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "genotypes/variant_io/hts_handles.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr std::string_view kCsi("CSI\1", 4), kTbi("TBI\1", 4), kBai("BAI\1", 4);
constexpr int32_t kTbiDepth = 5;           // and of BAI
constexpr int32_t kMaxBits = 40;           // bits of a position, far beyond what the formats hold
constexpr int32_t kTbiSettingsBytes = 24;  // bytes before the length of the names
constexpr size_t kMetadataChunks = 2;      // chunks of the bin with metadata: offsets, and numbers of records

// The places of the records in the data file, as virtual offsets of BGZF.
struct Extent {
  uint64_t begin = UINT64_MAX;
  uint64_t end = 0;
};

class IndexReader {
 public:
  IndexReader(const std::string& path, bool is_of_bam)
      : path_(path), is_of_bam_(is_of_bam), file_(bgzf_open(path.c_str(), "r")) {
    if (!file_) Fail();
  }

  // https://samtools.github.io/hts-specs/CSIv1.pdf, tabix.pdf, and SAMv1.pdf for BAI, which is not compressed. Nothing
  // where the index has no metadata, which the formats allow.
  std::optional<Extent> Read() {
    const std::string magic = Bytes(kCsi.size());
    if (magic != kCsi && magic != (is_of_bam_ ? kBai : kTbi)) Fail();
    if (magic != kBai && (bgzf_compression(file_.get()) != bgzf || bgzf_check_EOF(file_.get()) != 1)) Fail();
    is_csi_ = magic == kCsi;
    const int32_t num_contigs = is_csi_ ? ReadCsiStart() : magic == kTbi ? ReadTbiStart() : ReadBaiStart();
    for (int32_t contig = 0; contig < num_contigs; ++contig) {
      for (int32_t left = Count(); left > 0; --left) ReadBin();
      if (!is_csi_) Skip(int64_t{Count()} * 8);
    }
    char rest[9];  // may hold the number of records without a position
    const ssize_t length = bgzf_read(file_.get(), rest, sizeof(rest));
    if (length != 0 && length != 8) Fail();
    return extent_.begin == UINT64_MAX ? std::nullopt : std::optional(extent_);
  }

 private:
  [[noreturn]] void Fail() const {
    throw InputError(path_ + (is_of_bam_ ? ": damaged, or not a CSI or BAI index; index again (samtools index)"
                                         : ": damaged, or not a CSI or TBI index; index again (bcftools index -f)"));
  }

  int32_t ReadCsiStart() {
    const auto min_shift = Number<int32_t>(), depth = Number<int32_t>();
    if (min_shift < 1 || depth < 1 || min_shift > kMaxBits || depth > (kMaxBits - min_shift) / 3) Fail();
    SetBins(depth);
    Skip(Count());
    return Count();
  }

  int32_t ReadTbiStart() {
    const int32_t num_contigs = Count();
    SetBins(kTbiDepth);
    Skip(kTbiSettingsBytes);
    Skip(Count());
    return num_contigs;
  }

  int32_t ReadBaiStart() {
    SetBins(kTbiDepth);
    return Count();
  }

  void SetBins(int32_t depth) { metadata_bin_ = ((uint64_t{1} << (3 * depth + 3)) - 1) / 7 + 1; }

  void ReadBin() {
    const auto bin = Number<uint32_t>();
    if (is_csi_) Skip(8);  // the least offset of a record in it
    const auto num_chunks = static_cast<size_t>(Count());
    const bool is_metadata = bin == metadata_bin_;
    if (bin > metadata_bin_ || (is_metadata && num_chunks != kMetadataChunks)) Fail();
    for (size_t chunk = 0; chunk < num_chunks; ++chunk) {
      const auto begin = Number<uint64_t>(), end = Number<uint64_t>();
      if (is_metadata && chunk > 0) continue;
      if (begin > end) Fail();
      if (!is_metadata) continue;
      extent_.begin = std::min(extent_.begin, begin);
      extent_.end = std::max(extent_.end, end);
    }
  }

  std::string Bytes(size_t size) {
    std::string bytes(size, '\0');
    if (bgzf_read(file_.get(), bytes.data(), size) != static_cast<ssize_t>(size)) Fail();
    return bytes;
  }

  template <typename T>
  T Number() {
    T number;
    if (bgzf_read(file_.get(), &number, sizeof(number)) != sizeof(number)) Fail();
    return number;
  }

  int32_t Count() {
    const auto count = Number<int32_t>();
    if (count < 0) Fail();
    return count;
  }

  void Skip(int64_t bytes) {
    char skipped[4096];
    while (bytes > 0) {
      const auto size = static_cast<size_t>(std::min<int64_t>(bytes, sizeof(skipped)));
      if (bgzf_read(file_.get(), skipped, size) != static_cast<ssize_t>(size)) Fail();
      bytes -= static_cast<int64_t>(size);
    }
  }

  const std::string path_;
  const bool is_of_bam_;
  const BgzfHandle file_;
  bool is_csi_ = false;
  uint64_t metadata_bin_ = 0;
  Extent extent_;
};

// The number of bytes that can be read at a virtual offset: 1, 0 at the end of the file, or negative where nothing is.
ssize_t ReadByteAt(BGZF* file, int64_t offset) {
  char byte = 0;
  return bgzf_seek(file, offset, SEEK_SET) == 0 ? bgzf_read(file, &byte, 1) : -1;
}

bool MatchesFile(const Extent& extent, const std::string& path, int64_t header_end, AfterRecords after_records) {
  const BgzfHandle file(bgzf_open(path.c_str(), "r"));
  std::error_code error;
  // Old versions of HTSlib give the end of the file, after the closing empty block, as the end of the records.
  if (!file || extent.end > std::filesystem::file_size(path, error) << 16) return false;
  // The place between two blocks has two virtual offsets; what follows it has one.
  if (ReadByteAt(file.get(), header_end) != 1) return false;
  const int64_t after = bgzf_tell(file.get());
  if (ReadByteAt(file.get(), static_cast<int64_t>(extent.begin)) != 1 || bgzf_tell(file.get()) != after) return false;
  const ssize_t rest = ReadByteAt(file.get(), static_cast<int64_t>(extent.end));
  return rest == 0 || (rest == 1 && after_records == AfterRecords::kMore);
}

}  // namespace

std::optional<bool> BelongsToFile(const std::string& index_path, const std::string& path, int64_t header_end,
                                  AfterRecords after) {
  const std::optional<Extent> extent = IndexReader(index_path, after == AfterRecords::kMore).Read();
  return extent ? std::optional(MatchesFile(*extent, path, header_end, after)) : std::nullopt;
}

}  // namespace haplospin
