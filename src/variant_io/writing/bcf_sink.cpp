#include <oneapi/tbb/enumerable_thread_specific.h>

#include <vector>

#include "variant_io/hts_handles.h"
#include "variant_io/writing/bcf_encoder.h"
#include "variant_io/writing/hts_output.h"
#include "variant_io/writing/output_genotypes.h"
#include "variant_io/writing/record_sink.h"
#include "variant_io/writing/vcf_format.h"

namespace haplospin {
namespace {

class BcfSink : public RecordSink {
 public:
  explicit BcfSink(const SinkSettings& settings)
      : header_(ParseHeader(VcfHeader(settings.header, settings.samples, settings.fields))),
        file_(settings.output, settings.type, header_.get()),
        fields_(settings.fields),
        counts_(settings.counts),
        blocks_(settings.num_blocks),
        encoders_([this, &samples = settings.samples, fields = settings.fields] {
          return Encoder{{}, BcfEncoder(header_.get(), samples, fields)};
        }) {}

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
    for (size_t i = 0; i < out.size; ++i) file_.WriteRecord(out.records[i].get());
  }

  void Close() override { file_.Close(); }

 private:
  struct Block {
    std::vector<BcfRecordHandle> records;
    size_t size = 0;
  };
  struct Encoder {
    OutputGenotypes genotypes;
    BcfEncoder encoder;
  };

  BcfHeaderHandle header_;
  HtsOutput file_;
  const OutputFields fields_;
  RecordCounts& counts_;
  std::vector<Block> blocks_;
  tbb::enumerable_thread_specific<Encoder> encoders_;
};

}  // namespace

std::unique_ptr<RecordSink> MakeBcfSink(const SinkSettings& settings) { return std::make_unique<BcfSink>(settings); }

}  // namespace haplospin
