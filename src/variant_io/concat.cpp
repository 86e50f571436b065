#include "variant_io/concat.h"

#include <fmt/format.h>
#include <htslib/kseq.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <vector>

#include "core/output_file.h"
#include "genomics/sites/position.h"
#include "haplospin/errors.h"
#include "variant_io/hts_handles.h"
#include "variant_io/joined_header.h"
#include "variant_io/site_order.h"
#include "variant_io/variant_file.h"
#include "variant_io/vcf_columns.h"
#include "variant_io/writing/variant_output.h"

namespace haplospin {
namespace {

constexpr size_t kEndBlockBytes = 28;  // of the empty block that ends a BGZF file
constexpr size_t kBytesAtATime = size_t{1} << 20;
constexpr size_t kFirstSampleColumn = 9;

// An input file, opened by HTSlib.
struct Piece {
  HtsHandle file;
  BcfHeaderHandle header;

  explicit Piece(const std::string& path) : file(hts_open(path.c_str(), "r")) {
    if (file) header.reset(bcf_hdr_read(file.get()));
    if (!header)
      throw InputError(path + ": cannot read the header; the file is damaged or was changed while it was read");
  }
};

// `position` returns the position of the record, or throws InputError.
template <typename Position>
void AddSite(SiteOrder& order, const std::string& path, std::string_view contig, Position position) {
  int64_t checked = 0;
  try {
    CheckContigName(contig);
    checked = position();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}: {}", path, contig, error.what()));
  }
  order.Add(contig, checked);
}

void AddLine(SiteOrder& order, const std::string& path, std::string_view line, size_t num_samples) {
  ColumnSplitter columns(line);
  const std::string_view contig = columns.Next(), position = columns.Next();
  AddSite(order, path, contig, [position] { return ParsePosition(position); });
  const auto num_columns = static_cast<size_t>(std::ranges::count(line, '\t')) + 1;
  if (num_columns == kFirstSampleColumn + num_samples) return;
  throw InputError(fmt::format("{}: {}:{} has {} columns, but the header has {}; the line is truncated or damaged",
                               path, contig, position, num_columns, kFirstSampleColumn + num_samples));
}

// Reads all records of a file. Returns whether its blocks may be copied as they are.
bool CheckRecords(const std::string& path, int threads, SiteOrder& order) {
  VariantFile file(path, threads);
  order.StartFile(path);
  RawRecords records;
  while (file.Read(records)) {
    for (size_t i = 0; i < records.size(); ++i) {
      if (file.bcf_header() == nullptr) {
        AddLine(order, path, records.line(i), file.samples().size());
      } else {
        const bcf1_t* record = records.record(i);
        AddSite(order, path, bcf_seqname_safe(file.bcf_header(), record),
                [record] { return CheckPosition(record->pos + 1); });
      }
    }
  }
  if (file.ends_without_newline()) {
    throw InputError(path + ": the last line does not end with a newline, so it may be cut; create the file again");
  }
  return file.has_plain_lines();
}

struct CheckedPiece {
  std::string path;
  size_t num_records;
  bool can_copy;  // if its header and format allow it
};

const char* ModeOf(OutputType type) {
  return type == OutputType::kVcf ? "w" : type == OutputType::kVcfGz ? "wz4" : OpenMode(type);
}

class Joiner {
 public:
  Joiner(const ConcatOptions& options, OutputType type, const JoinedHeader& header,
         const std::vector<std::string>& contigs)
      : options_(options), type_(type), header_(header), contigs_(contigs), output_(options.out) {
    errno = 0;
    file_.reset(hts_open(output_.temporary_path().c_str(), ModeOf(type)));
    if (!file_) FailToWrite(output_);
    if (IsCompressed(type) && options.threads > 1) hts_set_threads(file_.get(), options.threads);
    if (bcf_hdr_write(file_.get(), header.get()) != 0) Fail();
  }

  // Adds a file that has been checked. Returns whether it was copied without decoding.
  bool Add(const CheckedPiece& checked) {
    Piece piece(checked.path);
    if (checked.can_copy && CanCopy(piece)) {
      Copy(checked.path, *piece.file->fp.bgzf);
      return true;
    }
    if (Decode(checked.path, piece) != checked.num_records) {
      throw InputError(checked.path + ": changed while it was read; run again when the file is complete");
    }
    return false;
  }

  void Finish(int64_t last_position) {
    errno = 0;
    if (hts_close(file_.release()) != 0) FailToWrite(output_);
    CommitVariants(output_, type_, options_.write_index, last_position, options_.threads);
  }

 private:
  bool CanCopy(const Piece& piece) const {
    const htsFormat& format = piece.file->format;
    return IsCompressed(type_) && format.compression == htsCompression::bgzf &&
           format.format == (type_ == OutputType::kBcf ? bcf : vcf) && header_.IsAsFirst(piece.header.get());
  }

  // The records in the same block as the header are compressed again; the closing empty block is omitted.
  void Copy(const std::string& path, BGZF& in) {
    BGZF* out = file_->fp.bgzf;
    const auto begun = static_cast<size_t>(in.block_length - in.block_offset);
    const char* records = static_cast<const char*>(in.uncompressed_block) + in.block_offset;
    errno = 0;
    if (begun > 0 && bgzf_write(out, records, begun) != static_cast<ssize_t>(begun)) Fail();
    if (bgzf_flush(out) != 0) Fail();
    std::vector<char> bytes(kBytesAtATime + kEndBlockBytes);
    size_t kept = 0;  // bytes that may be the closing block
    for (;;) {
      const ssize_t count = bgzf_raw_read(&in, bytes.data() + kept, kBytesAtATime);
      if (count < 0)
        throw InputError(path + ": cannot be read; the file was changed while it was read, or the disk has an error");
      if (count == 0) break;
      const size_t size = kept + static_cast<size_t>(count);
      kept = std::min(size, kEndBlockBytes);
      const size_t ready = size - kept;
      if (ready > 0 && bgzf_raw_write(out, bytes.data(), ready) != static_cast<ssize_t>(ready)) Fail();
      std::copy_n(bytes.data() + ready, kept, bytes.data());
    }
  }

  // Returns the number of records.
  size_t Decode(const std::string& path, const Piece& piece) {
    DeclareContigs(contigs_, piece.header.get());  // of VCF text, which may do without
    const BcfRecordHandle record(bcf_init());
    size_t num_records = 0;
    int status = 0;
    while ((status = ReadRecord(piece, record.get())) >= 0 && record->errcode == 0) {
      if (bcf_translate(header_.get(), piece.header.get(), record.get()) != 0) break;
      errno = 0;
      if (bcf_write(file_.get(), header_.get(), record.get()) != 0) Fail();
      ++num_records;
    }
    if (status == -1) return num_records;
    throw InputError(fmt::format("{}: {}:{} is damaged, or has a field that the header does not declare", path,
                                 bcf_seqname_safe(piece.header.get(), record.get()), record->pos + 1));
  }

  // As bcf_read(), but skips blank lines of text.
  int ReadRecord(const Piece& piece, bcf1_t* record) {
    if (piece.file->format.format == bcf) return bcf_read(piece.file.get(), piece.header.get(), record);
    int status = 0;
    do {
      status = hts_getline(piece.file.get(), KS_SEP_LINE, &line_.text);
    } while (status >= 0 && line_.text.l == 0);
    return status < 0 ? status : vcf_parse(&line_.text, piece.header.get(), record);
  }

  [[noreturn]] void Fail() {
    errno = 0;
    hts_close(file_.release());
    FailToWrite(output_);
  }

  const ConcatOptions& options_;
  const OutputType type_;
  const JoinedHeader& header_;
  const std::vector<std::string>& contigs_;
  OutputFile output_;
  HtsHandle file_;
  KString line_;
};

}  // namespace

ConcatCounts Concat(const ConcatOptions& options) {
  HS_ASSERT(!options.pieces.empty());
  JoinedHeader header;
  SiteOrder order;
  std::vector<CheckedPiece> pieces;
  for (const std::string& path : options.pieces) {
    CheckReadableTwice(path);
    if (PlinkFile::IsBed(path)) throw InputError(path + ": a PLINK file; give VCF or BCF files");
    const size_t before = order.num_records();
    const bool can_copy = CheckRecords(path, options.threads, order);
    pieces.push_back({path, order.num_records() - before, can_copy});
    header.Add(path, Piece(path).header.get());
  }
  DeclareContigs(order.contigs(), header.get());
  for (const std::string& line : options.header_lines) header.AddLine(line);

  Joiner joiner(options, ResolveGenotypeType(options.out, options.type), header, order.contigs());
  ConcatCounts counts{.records = order.num_records()};
  for (const CheckedPiece& piece : pieces) counts.pieces_copied += joiner.Add(piece);
  joiner.Finish(order.last_position());
  return counts;
}

}  // namespace haplospin
