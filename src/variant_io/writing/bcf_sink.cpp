#include <oneapi/tbb/enumerable_thread_specific.h>

#include <cerrno>
#include <vector>

#include "haplospin/errors.h"
#include "variant_io/hts_handles.h"
#include "variant_io/writing/bcf_encoder.h"
#include "variant_io/writing/output_genotypes.h"
#include "variant_io/writing/record_sink.h"
#include "variant_io/writing/variant_output.h"
#include "variant_io/writing/vcf_format.h"

namespace haplospin {
namespace {

class BcfSink : public RecordSink {
 public:
  explicit BcfSink(const SinkSettings& settings)
      : output_(settings.output),
        header_(bcf_hdr_init("r")),
        fields_(settings.fields),
        counts_(settings.counts),
        blocks_(settings.num_blocks),
        encoders_([this, &samples = settings.samples, fields = settings.fields] {
          return Encoder{{}, BcfEncoder(header_.get(), samples, fields)};
        }) {
    std::string text = settings.header.Text(DeclaredFields(fields_),
                                            fields_.sites_only ? std::vector<std::string>() : settings.samples.names);
    HS_ASSERT(bcf_hdr_parse(header_.get(), text.data()) == 0);
    errno = 0;
    file_.reset(hts_open(settings.output.temporary_path().c_str(), OpenMode(settings.type)));
    if (!file_) FailToWrite(output_);
    if (settings.type == OutputType::kBcf && settings.threads > 1) hts_set_threads(file_.get(), settings.threads);
    if (bcf_hdr_write(file_.get(), header_.get()) != 0) Fail();
  }

  void Format(const std::string& contig, std::span<const DosageRecord> records, size_t block) override {
    Encoder& encoder = encoders_.local();
    Block& out = blocks_[block];
    while (out.records.size() < records.size()) out.records.emplace_back(bcf_init());
    out.size = 0;
    for (const DosageRecord& record : records) {
      encoder.genotypes.Assign(record);
      const bool is_written = !IsLeftOut(record, encoder.genotypes, fields_);
      counts_.Add(record, encoder.genotypes, is_written);
      if (is_written) {
        encoder.encoder.Encode(contig, record, encoder.genotypes, out.records[out.size++].get());
      }
    }
  }

  void Write(size_t block) override {
    const Block& out = blocks_[block];
    for (size_t i = 0; i < out.size; ++i) {
      if (bcf_write(file_.get(), header_.get(), out.records[i].get()) != 0) Fail();
    }
  }

  void Close() override {
    errno = 0;
    if (hts_close(file_.release()) != 0) FailToWrite(output_);
  }

 private:
  struct Block {
    std::vector<BcfRecordHandle> records;
    size_t size = 0;
  };
  struct Encoder {
    OutputGenotypes genotypes;
    BcfEncoder encoder;
  };

  // Closing returns the error, which may have occurred in another thread.
  [[noreturn]] void Fail() {
    errno = 0;
    hts_close(file_.release());
    FailToWrite(output_);
  }

  OutputFile& output_;
  BcfHeaderHandle header_;
  HtsHandle file_;
  const OutputFields fields_;
  RecordCounts& counts_;
  std::vector<Block> blocks_;
  tbb::enumerable_thread_specific<Encoder> encoders_;
};

}  // namespace

std::unique_ptr<RecordSink> MakeBcfSink(const SinkSettings& settings) { return std::make_unique<BcfSink>(settings); }

}  // namespace haplospin
