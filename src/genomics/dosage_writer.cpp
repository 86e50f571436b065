#include "haplospin/genomics/dosage_writer.h"

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cerrno>

#include "genomics/arena_size.h"
#include "genomics/bcf_encoder.h"
#include "genomics/hts_handles.h"
#include "genomics/output_genotypes.h"
#include "genomics/variant_output.h"
#include "genomics/vcf_format.h"
#include "haplospin/core/errors.h"
#include "haplospin/core/output_file.h"

namespace haplospin {
namespace {

constexpr size_t kRecordsPerBlock = 64;  // formatted by one thread at a time
constexpr size_t kBlocksPerThread = 4;   // formatted before any is written

// Sends what is formatted to a file. Closes it in Close(), which returns false if anything could not be written.
class RecordSink {
 public:
  virtual ~RecordSink() = default;

  // Formats records [begin, end) as block `block`, which no other thread uses; Write() then writes it.
  virtual void Format(const std::string& contig, std::span<const DosageRecord> records, size_t block) = 0;
  virtual bool Write(size_t block) = 0;
  virtual bool Close() = 0;
};

class VcfSink : public RecordSink {
 public:
  VcfSink(const std::string& path, bool is_compressed, const DosageWriter::Header& header, const SampleTable& samples,
          OutputFields fields, int threads, size_t num_blocks)
      : samples_(samples), fields_(fields), blocks_(num_blocks) {
    file_.reset(bgzf_open(path.c_str(), OpenMode(is_compressed ? OutputType::kVcfGz : OutputType::kVcf)));
    if (!file_) return;
    if (is_compressed && threads > 1) bgzf_mt(file_.get(), threads, 256);
    const std::string text = VcfHeader(header, samples, fields);
    is_good_ = bgzf_write(file_.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }

  void Format(const std::string& contig, std::span<const DosageRecord> records, size_t block) override {
    OutputGenotypes& genotypes = genotypes_.local();
    std::string& text = blocks_[block];
    text.clear();
    for (const DosageRecord& record : records) {
      genotypes.Assign(record);
      AppendVcfLine(contig, record, genotypes, samples_, fields_, text);
    }
  }

  bool Write(size_t block) override {
    const std::string& text = blocks_[block];
    is_good_ = is_good_ && bgzf_write(file_.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
    return is_good_;
  }

  bool Close() override { return file_ && bgzf_close(file_.release()) == 0 && is_good_; }

 private:
  const SampleTable& samples_;
  OutputFields fields_;
  BgzfHandle file_;
  bool is_good_ = false;
  std::vector<std::string> blocks_;
  tbb::enumerable_thread_specific<OutputGenotypes> genotypes_;
};

class BcfSink : public RecordSink {
 public:
  BcfSink(const std::string& path, bool is_compressed, const DosageWriter::Header& header, const SampleTable& samples,
          OutputFields fields, int threads, size_t num_blocks)
      : header_(bcf_hdr_init("r")), blocks_(num_blocks), encoders_([this, &samples, fields] {
          return Encoder{{}, BcfEncoder(header_.get(), samples, fields)};
        }) {
    std::string text = VcfHeader(header, samples, fields);
    HS_ASSERT(bcf_hdr_parse(header_.get(), text.data()) == 0);
    file_.reset(hts_open(path.c_str(), OpenMode(is_compressed ? OutputType::kBcf : OutputType::kBcfUncompressed)));
    if (!file_) return;
    if (is_compressed && threads > 1) hts_set_threads(file_.get(), threads);
    is_good_ = bcf_hdr_write(file_.get(), header_.get()) == 0;
  }

  void Format(const std::string& contig, std::span<const DosageRecord> records, size_t block) override {
    Encoder& encoder = encoders_.local();
    Block& out = blocks_[block];
    while (out.records.size() < records.size()) out.records.emplace_back(bcf_init());
    out.size = records.size();
    for (size_t i = 0; i < records.size(); ++i) {
      encoder.genotypes.Assign(records[i]);
      encoder.encoder.Encode(contig, records[i], encoder.genotypes, out.records[i].get());
    }
  }

  bool Write(size_t block) override {
    Block& out = blocks_[block];
    for (size_t i = 0; i < out.size && is_good_; ++i) {
      is_good_ = bcf_write(file_.get(), header_.get(), out.records[i].get()) == 0;
    }
    return is_good_;
  }

  bool Close() override { return file_ && hts_close(file_.release()) == 0 && is_good_; }

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
  HtsHandle file_;
  bool is_good_ = false;
  std::vector<Block> blocks_;
  tbb::enumerable_thread_specific<Encoder> encoders_;
};

}  // namespace

OutputType ResolveOutputType(const std::string& path, OutputType type) {
  if (type != OutputType::kByExtension) return type;
  if (path.ends_with(".bcf")) return OutputType::kBcf;
  if (path.ends_with(".gz") || path.ends_with(".bgz")) return OutputType::kVcfGz;
  return OutputType::kVcf;
}

bool CanBeIndexed(const std::string& path, OutputType type) {
  type = ResolveOutputType(path, type);
  return path != "-" && (type == OutputType::kVcfGz || type == OutputType::kBcf);
}

struct DosageWriter::Impl {
  Impl(const std::string& path, OutputType requested, const Header& header, const SampleTable& table,
       OutputFields fields, int num_threads)
      : output(path),
        type(ResolveOutputType(path, requested)),
        samples(table),
        threads(std::max(num_threads, 1)),
        num_blocks(kBlocksPerThread * static_cast<size_t>(threads)),
        arena(ArenaSize(threads)) {
    SilenceHtslib();
    for (const auto& [name, length] : header.contigs) {
      contigs.push_back(name);
      last_position = std::max(last_position, length);
    }
    const bool is_bcf = type == OutputType::kBcf || type == OutputType::kBcfUncompressed;
    const bool is_compressed = type == OutputType::kVcfGz || type == OutputType::kBcf;
    errno = 0;
    if (is_bcf) {
      sink = std::make_unique<BcfSink>(output.temporary_path(), is_compressed, header, samples, fields, threads,
                                       num_blocks);
    } else {
      sink = std::make_unique<VcfSink>(output.temporary_path(), is_compressed, header, samples, fields, threads,
                                       num_blocks);
    }
  }

  void Close() {
    errno = 0;
    if (!sink->Close()) FailToWrite(output.path());
  }

  void CheckOrder(const std::string& contig, std::span<const DosageRecord> records) {
    HS_ASSERT(std::ranges::find(contigs, contig) != contigs.end());
    for (const DosageRecord& record : records) {
      HS_ASSERT(contig != last_contig || record.marker->position >= last_written);
      HS_ASSERT((record.in_panel ? record.dosages : std::span<const float>()).size() ==
                (record.in_panel ? samples.num_haplotypes() : 0));
      last_contig = contig;
      last_written = record.marker->position;
      last_position = std::max(last_position, last_written);
    }
  }

  OutputFile output;
  OutputType type;
  SampleTable samples;
  int threads;
  size_t num_blocks;
  tbb::task_arena arena;
  std::unique_ptr<RecordSink> sink;

  std::vector<std::string> contigs;
  std::string last_contig;
  int64_t last_written = 0;
  int64_t last_position = 0;  // on any contig, as far as known
};

DosageWriter::DosageWriter(const std::string& path, OutputType type, const Header& header, const SampleTable& samples,
                           OutputFields fields, int threads)
    : impl_(std::make_unique<Impl>(path, type, header, samples, fields, threads)) {}

DosageWriter::~DosageWriter() = default;

void DosageWriter::SetPloidy(const SampleTable& samples) {
  HS_ASSERT(samples.names == impl_->samples.names);
  impl_->samples = samples;
}

void DosageWriter::Write(const std::string& contig, std::span<const DosageRecord> records) {
  impl_->CheckOrder(contig, records);
  while (!records.empty()) {
    const size_t num_blocks = std::min(impl_->num_blocks, (records.size() + kRecordsPerBlock - 1) / kRecordsPerBlock);
    const auto block = [&](size_t b) {
      const size_t begin = b * kRecordsPerBlock;
      return records.subspan(begin, std::min(kRecordsPerBlock, records.size() - begin));
    };
    impl_->arena.execute(
        [&] { tbb::parallel_for(size_t{0}, num_blocks, [&](size_t b) { impl_->sink->Format(contig, block(b), b); }); });
    for (size_t b = 0; b < num_blocks; ++b) {
      if (!impl_->sink->Write(b)) impl_->Close();
    }
    records = records.subspan(std::min(records.size(), num_blocks * kRecordsPerBlock));
  }
}

void DosageWriter::Finish(bool write_index) {
  HS_ASSERT(!write_index || CanBeIndexed(impl_->output.path(), impl_->type));
  impl_->Close();
  impl_->output.Commit();
  if (write_index) WriteVariantIndex(impl_->output.path(), impl_->type, impl_->last_position, impl_->threads);
}

}  // namespace haplospin
