#include <fcntl.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "variant_io/writing/bgen/bgen_bytes.h"
#include "variant_io/writing/bgen/bgen_encoder.h"
#include "variant_io/writing/bgen/bgen_header.h"
#include "variant_io/writing/output_genotypes.h"
#include "variant_io/writing/record_sink.h"
#include "variant_io/writing/variant_output.h"

namespace haplospin {
namespace {

// The lines of a VCF header that say how the file was made.
std::string NoteOf(const VariantHeader& header) {
  std::string note;
  for (const std::string& line : header.lines) note += line + '\n';
  return note;
}

// Records without ALT are left out: most programs that read BGEN expect two alleles.
class BgenSink : public RecordSink {
 public:
  explicit BgenSink(const SinkSettings& settings)
      : output_(settings.output),
        fields_(settings.fields),
        counts_(settings.counts),
        blocks_(settings.num_blocks),
        encoders_([&samples = settings.samples, options = settings.fields.bgen] {
          return Encoder{{}, BgenEncoder(samples, options)};
        }) {
    output_.Write(BgenHeader(settings.samples.names, NoteOf(settings.header), fields_.bgen.compression));
  }

  void Format(const std::string& contig, std::span<const DosageRecord> records, size_t block) override {
    Encoder& encoder = encoders_.local();
    Block& out = blocks_[block];
    out.bytes.clear();
    out.num_variants = 0;
    for (const DosageRecord& record : records) {
      encoder.genotypes.Assign(record);
      const bool is_written = record.marker->HasAlt() && !IsLeftOut(record, encoder.genotypes, fields_);
      counts_.Add(record, encoder.genotypes, is_written);
      if (!is_written) continue;
      encoder.encoder.Append(contig, record, encoder.genotypes, out.bytes);
      ++out.num_variants;
    }
  }

  void Write(size_t block) override {
    output_.Write(blocks_[block].bytes);
    num_variants_ += blocks_[block].num_variants;
  }

  void Close() override {
    output_.Flush();
    std::string number;
    AppendInteger(num_variants_, 4, number);
    errno = 0;
    const int file = open(output_.temporary_path().c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) FailToWrite(output_);
    const bool is_written =
        pwrite(file, number.data(), number.size(), kBgenNumVariantsOffset) == static_cast<ssize_t>(number.size());
    if (close(file) != 0 || !is_written) FailToWrite(output_);
  }

 private:
  struct Block {
    std::string bytes;
    size_t num_variants = 0;
  };
  struct Encoder {
    OutputGenotypes genotypes;
    BgenEncoder encoder;
  };

  OutputFile& output_;
  const OutputFields fields_;
  RecordCounts& counts_;
  std::vector<Block> blocks_;
  size_t num_variants_ = 0;
  tbb::enumerable_thread_specific<Encoder> encoders_;
};

}  // namespace

std::unique_ptr<RecordSink> MakeBgenSink(const SinkSettings& settings) { return std::make_unique<BgenSink>(settings); }

}  // namespace haplospin
