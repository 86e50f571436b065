#include <oneapi/tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "haplospin/errors.h"
#include "variant_io/hts_handles.h"
#include "variant_io/writing/output_genotypes.h"
#include "variant_io/writing/record_sink.h"
#include "variant_io/writing/variant_output.h"
#include "variant_io/writing/vcf_format.h"

namespace haplospin {
namespace {

// The empty block that ends a BGZF file (SAM specification, section 4.1.2).
constexpr std::string_view kEndBlock(
    "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\x06\x00\x42\x43\x02\x00\x1b\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00",
    28);

// Blocks of text are compressed where they are formatted, so that both use the same threads.
class VcfSink : public RecordSink {
 public:
  explicit VcfSink(const SinkSettings& settings)
      : output_(settings.output),
        is_compressed_(settings.type == OutputType::kVcfGz),
        samples_(settings.samples),
        fields_(settings.fields),
        blocks_(settings.num_blocks),
        counts_(settings.counts) {
    std::string bytes;
    Encode(VcfHeader(settings.header, samples_, fields_), bytes);
    output_.Write(bytes);
  }

  void Format(const std::string& contig, std::span<const DosageRecord> records, size_t block) override {
    Scratch& scratch = scratch_.local();
    scratch.text.clear();
    for (const DosageRecord& record : records) {
      scratch.genotypes.Assign(record);
      const bool is_written = !IsLeftOut(record, scratch.genotypes, fields_);
      counts_.Add(record, scratch.genotypes, is_written);
      if (is_written) AppendVcfLine(contig, record, scratch.genotypes, samples_, fields_, scratch.text);
    }
    Encode(scratch.text, blocks_[block]);
  }

  void Write(size_t block) override { output_.Write(blocks_[block]); }

  void Close() override {
    if (is_compressed_) output_.Write(kEndBlock);
  }

 private:
  struct Scratch {
    OutputGenotypes genotypes;
    std::string text;
  };

  void Encode(std::string_view text, std::string& bytes) const {
    if (!is_compressed_) {
      bytes = text;
      return;
    }
    bytes.clear();
    std::array<char, BGZF_MAX_BLOCK_SIZE> compressed;
    while (!text.empty()) {
      const std::string_view piece = text.substr(0, BGZF_BLOCK_SIZE);
      size_t size = compressed.size();
      HS_CHECK(bgzf_compress(compressed.data(), &size, piece.data(), piece.size(), kCompressionLevel) == 0);
      bytes.append(compressed.data(), size);
      text.remove_prefix(piece.size());
    }
  }

  OutputFile& output_;
  bool is_compressed_;
  const SampleTable& samples_;
  OutputFields fields_;
  std::vector<std::string> blocks_;
  RecordCounts& counts_;
  tbb::enumerable_thread_specific<Scratch> scratch_;
};

}  // namespace

std::unique_ptr<RecordSink> MakeVcfSink(const SinkSettings& settings) { return std::make_unique<VcfSink>(settings); }

}  // namespace haplospin
