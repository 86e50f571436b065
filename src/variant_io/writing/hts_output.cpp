#include "variant_io/writing/hts_output.h"

#include <htslib/hfile.h>

#include <cerrno>

#include "core/threads.h"
#include "haplospin/errors.h"
#include "variant_io/writing/variant_output.h"

namespace haplospin {
namespace {

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
  if (header != nullptr) Expect(bcf_hdr_write(file_.get(), header) == 0);
}

void HtsOutput::WriteRecord(bcf1_t* record) { Expect(bcf_write(file_.get(), header_, record) == 0); }

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

}  // namespace haplospin
