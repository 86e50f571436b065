#include "genotypes/variant_io/writing/hts_output.h"

#include <fmt/format.h>
#include <htslib/hfile.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/output_file.h"
#include "core/threads.h"
#include "genotypes/variant_io/genotype_prefix.h"
#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/writing/bgen_index.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int64_t kTabixReach = int64_t{1} << 29;  // .tbi knows no position from here on
constexpr int kCsiMinShift = 14;                   // the smallest bins of a .csi index span 16 kb
constexpr int kCsiLevels = 6;                      // 16 kb * 8^6: beyond 2^31 bp

const char* OpenMode(OutputType type) {
  static_assert(kCompressionLevel == 4);
  switch (type) {
    case OutputType::kVcf:
      return "w";
    case OutputType::kVcfGz:
      return "wz4";
    case OutputType::kBcf:
      return "wb4";
    case OutputType::kBcfUncompressed:
      return "wbu";
    case OutputType::kBgen:
    case OutputType::kByExtension:
      break;
  }
  HS_ASSERT(!"HTSlib writes the type");
  return nullptr;
}

// Writes a .csi index whose depth covers every position that BCF can store. HTSlib takes the depth from the contig
// lengths in the header, and fails for positions beyond them. False if a file cannot be read or written; errno may have
// the reason.
bool WriteBcfIndex(const std::string& path, const std::string& index_path) {
  const HtsHandle file(hts_open(path.c_str(), "r"));
  if (!file || file->format.compression != htsCompression::bgzf) return false;
  BGZF* bgzf = file->fp.bgzf;
  if (Threads() > 1 && bgzf_mt(bgzf, Threads(), 256) != 0) return false;
  const BcfHeaderHandle header(bcf_hdr_read(file.get()));
  if (!header) return false;
  const HtsIndexHandle index(hts_idx_init(header->n[BCF_DT_CTG], HTS_FMT_CSI, static_cast<uint64_t>(bgzf_tell(bgzf)),
                                          kCsiMinShift, kCsiLevels));
  const BcfRecordHandle record(bcf_init());
  if (!index || !record) return false;
  int status = 0;
  while ((status = bcf_read(file.get(), header.get(), record.get())) >= 0) {
    // A position 0, as unmapped markers of arrays have it, is -1 here, which HTSlib takes for out of order after the
    // first.
    const hts_pos_t begin = std::max<hts_pos_t>(record->pos, 0), end = std::max(record->pos + record->rlen, begin + 1);
    if (hts_idx_push(index.get(), record->rid, begin, end, static_cast<uint64_t>(bgzf_tell(bgzf)), 1) < 0) {
      return false;
    }
  }
  return status == -1 && hts_idx_finish(index.get(), static_cast<uint64_t>(bgzf_tell(bgzf))) == 0 &&
         hts_idx_save_as(index.get(), path.c_str(), index_path.c_str(), HTS_FMT_CSI) == 0;
}

// Gives the file its name. An index of an earlier file of this name must not be taken for that of the new one.
void CommitWithoutIndex(OutputFile& output) {
  std::error_code ignored;
  if (output.path() != "-") {
    for (const char* extension : {".csi", ".tbi", ".bgi"}) std::filesystem::remove(output.path() + extension, ignored);
  }
  output.Commit();
}

}  // namespace

BcfHeaderHandle ParseHeader(std::string text) {
  BcfHeaderHandle header(bcf_hdr_init("r"));
  HS_CHECK(bcf_hdr_parse(header.get(), text.data()) == 0);
  return header;
}

HtsOutput::HtsOutput(OutputFile& output, OutputType type, bcf_hdr_t* header) : output_(output), header_(header) {
  SilenceHtslib();
  errno = 0;
  file_.reset(hts_open(output.temporary_path().c_str(), OpenMode(type)));
  if (!file_) FailToWrite(output_);
  if (IsCompressed(type) && Threads() > 1) hts_set_threads(file_.get(), Threads());
  if (header == nullptr) return;
  has_prefixes_ = !IsBcf(type) && HasGenotypePrefixes(header);
  Expect(bcf_hdr_write(file_.get(), header) == 0);
}

void HtsOutput::WriteRecord(bcf1_t* record) {
  if (!has_prefixes_) {
    Expect(bcf_write(file_.get(), header_, record) == 0);
    return;
  }
  line_.text.l = 0;
  HS_CHECK(vcf_format(header_, record, &line_.text) == 0);
  std::string line(line_.text.s, line_.text.l);
  AddGenotypePrefixes(header_, record, line);
  WriteBytes(line);
}

void HtsOutput::WriteBytes(std::string_view bytes) {
  Expect((file_->is_bgzf ? bgzf_write(file_->fp.bgzf, bytes.data(), bytes.size())
                         : hwrite(file_->fp.hfile, bytes.data(), bytes.size())) == static_cast<ssize_t>(bytes.size()));
}

void HtsOutput::EndBlock() { Expect(bgzf_flush(file_->fp.bgzf) == 0); }

void HtsOutput::WriteBlocks(std::string_view blocks) {
  Expect(bgzf_raw_write(file_->fp.bgzf, blocks.data(), blocks.size()) == static_cast<ssize_t>(blocks.size()));
}

void HtsOutput::Close() {
  errno = 0;
  if (hts_close(file_.release()) != 0) FailToWrite(output_);
}

// Closing returns the error, which may have occurred in another thread.
void HtsOutput::Expect(bool is_written) {
  if (is_written) return;
  errno = 0;
  hts_close(file_.release());
  FailToWrite(output_);
}

void FailToWrite(OutputFile& output) {
  const int error = errno;  // HTSlib keeps that of the first failure, unless a thread of its own met it
  // Continues to write to the file, which is discarded, until it fails again with the reason. What reads a pipe would
  // take these bytes for data.
  std::error_code ignored;
  const bool is_pipe = output.path() == "-" || std::filesystem::is_fifo(output.path(), ignored);
  if (error == 0 && !is_pipe) output.Write(std::string(size_t{1} << 20, '\0'));
  throw InputError(fmt::format("cannot write {}: {}; free space or choose another folder",
                               output.path() == "-" ? "standard output" : output.path(),
                               error == 0 ? "output error" : std::strerror(error)));
}

CompletedVariants::CompletedVariants(OutputFile& output, OutputType type, IndexType index_type, int64_t last_position)
    : output_(output) {
  output.Complete();
  if (index_type == IndexType::kNone) return;
  if (type == OutputType::kBgen) {
    index_.emplace(output.path() + ".bgi");
    WriteBgenIndex(output.temporary_path(), output.path(), index_->temporary_path());
    index_->Complete();
    return;
  }
  const bool is_bcf = type == OutputType::kBcf;
  const bool is_csi = is_bcf || index_type == IndexType::kCsi || last_position >= kTabixReach;
  index_.emplace(output.path() + (is_csi ? ".csi" : ".tbi"));
  const std::string& path = output.temporary_path();
  const std::string& index_path = index_->temporary_path();
  errno = 0;
  const bool is_written = is_bcf ? WriteBcfIndex(path, index_path)
                                 : tbx_index_build3(path.c_str(), index_path.c_str(), is_csi ? kCsiMinShift : 0,
                                                    Threads(), &tbx_conf_vcf) == 0;
  if (!is_written) {
    throw InputError(fmt::format("cannot write {}: {}; no file is kept: free space, or omit --write-index",
                                 index_->path(), errno == 0 ? "output error" : std::strerror(errno)));
  }
  index_->Complete();
}

void CompletedVariants::Commit() {
  CommitWithoutIndex(output_);
  if (index_) index_->Commit();
}

void CommitVariants(OutputFile& output, OutputType type, IndexType index_type, int64_t last_position) {
  CompletedVariants(output, type, index_type, last_position).Commit();
}

}  // namespace haplospin
