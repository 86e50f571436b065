#include "genotypes/variant_io/writing/dosage_writer.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/output_file.h"
#include "core/threads.h"
#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/oxford_samples.h"
#include "genotypes/variant_io/writing/hts_output.h"
#include "genotypes/variant_io/writing/record_sink.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kBytesPerBlock = size_t{1} << 18;  // text that one thread formats at a time, about
constexpr size_t kBytesPerHaplotype = 4;            // typical text of a haplotype
constexpr size_t kBytesPerRecord = 64;              // typical text before the first genotype
constexpr size_t kBlocksPerThread = 2;              // blocks that are formatted before any is written

}  // namespace

struct DosageWriter::Impl {
  Impl(const std::string& path, OutputType requested, const VariantHeader& header, const SampleTable& table,
       const OutputFields& fields, OutputFile::Unfinished unfinished)
      : output(path, unfinished),
        type(ResolveOutputType(path, requested)),
        names(table.names),
        layout(table, names, fields.doubles_haploids),
        doubles_haploids(fields.doubles_haploids),
        keeps_records(fields.keeps_records),
        sexes(fields.sexes),
        num_blocks(kBlocksPerThread * static_cast<size_t>(Threads())),
        records_per_block(
            std::max<size_t>(kBytesPerBlock / (kBytesPerRecord + kBytesPerHaplotype * table.num_haplotypes()), 1)),
        arena(Threads()) {
    SilenceHtslib();
    if (!fields.sites_path.empty()) {
      OutputFields site_fields = fields;
      site_fields.sites_path.clear();
      site_fields.sites_only = true;
      sites = std::make_unique<DosageWriter>(fields.sites_path, OutputType::kByExtension, header, table, site_fields,
                                             unfinished);
    }
    for (const auto& [name, length] : header.contigs) {
      contigs.push_back(name);
      last_position = std::max(last_position, length);
    }
    const SinkSettings settings{output, type, header, layout, fields, num_blocks, counts};
    if (type == OutputType::kBgen) {
      sample_file.emplace(path.substr(0, path.rfind('.')) + ".sample");
      CheckOxfordNames(path, names);
    }
    HS_ASSERT(type != OutputType::kBgen || !fields.sites_only);
    sink = type == OutputType::kBgen ? MakeBgenSink(settings)
           : IsBcf(type)             ? MakeBcfSink(settings)
                                     : MakeVcfSink(settings);
  }

  void CheckOrder(const std::string& contig, std::span<const DosageRecord> records) {
    HS_ASSERT(std::ranges::find(contigs, contig) != contigs.end());
    for (const DosageRecord& record : records) {
      HS_ASSERT(contig != last_contig || record.marker->position >= last_written);
      HS_ASSERT((record.in_panel ? record.dosages : std::span<const float>()).size() ==
                (record.in_panel ? layout.records().num_haplotypes() - layout.animal_haplotypes() : 0));
      last_contig = contig;
      last_written = record.marker->position;
      last_position = std::max(last_position, last_written);
    }
  }

  OutputFile output;
  OutputType type;
  const std::vector<std::string> names;
  SampleLayout layout;
  bool doubles_haploids, keeps_records;
  std::shared_ptr<const SampleSexes> sexes;
  std::optional<OutputFile> sample_file;  // beside BGEN
  std::unique_ptr<DosageWriter> sites;    // the same records without genotypes, or null
  size_t num_blocks;
  size_t records_per_block;
  tbb::task_arena arena;
  RecordCounts counts;
  std::unique_ptr<RecordSink> sink;

  std::vector<std::string> contigs;
  std::string last_contig;
  int64_t last_written = 0;
  int64_t last_position = 0;  // highest known position on any contig, bp
};

DosageWriter::DosageWriter(const std::string& path, OutputType type, const VariantHeader& header,
                           const SampleTable& samples, const OutputFields& fields, OutputFile::Unfinished unfinished)
    : impl_(std::make_unique<Impl>(path, type, header, samples, fields, unfinished)) {}

DosageWriter::~DosageWriter() = default;

void DosageWriter::SetPloidy(const SampleTable& samples, size_t animals) {
  impl_->layout = SampleLayout(samples, impl_->names, impl_->doubles_haploids, animals);
  if (impl_->sites) impl_->sites->SetPloidy(samples, animals);
}

void DosageWriter::Write(const std::string& contig, std::span<const DosageRecord> records) {
  impl_->CheckOrder(contig, records);
  if (impl_->sites) impl_->sites->Write(contig, records);
  const size_t block_size = impl_->records_per_block;
  while (!records.empty()) {
    std::vector<std::span<const DosageRecord>> blocks;
    for (; blocks.size() < impl_->num_blocks && !records.empty(); records = records.subspan(blocks.back().size())) {
      size_t size = std::min(block_size, records.size());
      while (impl_->keeps_records && size < records.size() && records[size].continues) ++size;
      blocks.push_back(records.first(size));
    }
    impl_->arena.execute([&] {
      tbb::parallel_for(
          size_t{0}, blocks.size(), [&](size_t b) { impl_->sink->Format(contig, blocks[b], b); },
          tbb::simple_partitioner());
    });
    for (size_t b = 0; b < blocks.size(); ++b) impl_->sink->Write(b);
  }
}

size_t DosageWriter::num_left_out() const { return impl_->counts.num_left_out(); }

MeanDr2 DosageWriter::mean_dr2() const { return impl_->counts.mean_dr2(); }

WriterState DosageWriter::Save() {
  HS_ASSERT(impl_->type != OutputType::kBgen);
  WriterState state;
  state.bytes = impl_->output.Sync();
  if (impl_->sites) state.site_bytes = impl_->sites->impl_->output.Sync();
  state.last_position = impl_->last_position;
  impl_->counts.Save(state);
  return state;
}

void DosageWriter::Restore(const WriterState& state) {
  impl_->output.GoOnAt(state.bytes);
  if (impl_->sites) impl_->sites->impl_->output.GoOnAt(state.site_bytes);
  impl_->last_position = state.last_position;
  impl_->counts.Restore(state);
  if (impl_->sites) impl_->sites->impl_->last_position = state.last_position;
}

void DosageWriter::Finish(IndexType index) {
  HS_ASSERT(index == IndexType::kNone || CanBeIndexed(impl_->output.path(), impl_->type));
  impl_->sink->Close();
  if (impl_->sample_file) impl_->sample_file->Write(OxfordSamplesText(impl_->names, impl_->sexes.get()));
  CommitVariants(impl_->output, impl_->type, index, impl_->last_position);
  if (impl_->sample_file) impl_->sample_file->Commit();
  if (impl_->sites) {
    impl_->sites->Finish(IndexIfPossible(impl_->sites->impl_->output.path(), OutputType::kByExtension, index));
  }
}

}  // namespace haplospin
