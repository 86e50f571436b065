#include "genotypes/variant_io/writing/panel_file_builder.h"

#include <fmt/format.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "core/output_file.h"
#include "core/threads.h"
#include "core/zstd_frame.h"
#include "genotypes/variant_io/panel_file/panel_file_index.h"
#include "genotypes/variant_io/reading/pieces.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

class Builder {
 public:
  Builder(PanelReader& reader, const std::string& input, const std::string& output, const PanelBuildOptions& options)
      : options_(options), reader_(reader), input_(input), output_(output) {}

  // Blocks may still be compressed after an error.
  ~Builder() {
    for (Pending& block : pending_) {
      block.compression.cancel();
      arena_.execute([&block] { block.compression.wait(); });
    }
  }
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  PanelFileSummary Run() {
    reader_.DivideContigs(options_.regions ? *options_.regions
                                           : PloidyRegions::ForBuild(DeclaredBuild(reader_.header_contigs())));
    index_.sample_names = reader_.sample_names();
    index_.header_contigs = reader_.header_contigs();
    index_.described = reader_.described();
    Write(PanelFileHeader());
    if (!reader_.NextContig()) throw InputError(input_ + ": no record has an ALT allele; give a panel");
    while (reader_.NextContig()) AddContig();
    Write(PanelFileEnd(index_, written_, options_.level));
    output_.Commit();
    return Summarize(index_, written_);
  }

 private:
  // A block while it is compressed, on another thread if there is one.
  struct Pending {
    std::string bytes;
    PanelBlockEntry entry;
    tbb::task_group compression;
  };

  // Adds a contig, or a part of one, which is an entry of its own if ploidy has changed.
  void AddContig() {
    MutablePanel panel = reader_.StartContig();
    const PloidyFlags ploidy(panel.samples());
    const bool goes_on = !index_.contigs.empty() && index_.contigs.back().name == panel.contig() &&
                         index_.contigs.back().ploidy == ploidy;
    if (!goes_on) index_.contigs.push_back({panel.contig(), ploidy, {}});
    ForEachPiece(reader_, panel, kPieceLength, [&](int64_t, bool is_last) {
      size_t begin = 0;
      const auto left = [&] { return panel.num_markers() - begin; };
      while (left() >= options_.block_markers || (is_last && left() > 0)) {
        const size_t end = begin + std::min<size_t>(left(), options_.block_markers);
        AddBlock(panel, begin, end);
        begin = end;
      }
      panel.DropBefore(begin);
    });
    while (!pending_.empty()) WriteFirstPending();
  }

  void AddBlock(const HaplotypePanel& panel, size_t begin, size_t end) {
    if (pending_.size() >= static_cast<size_t>(Threads())) WriteFirstPending();
    Pending& block = pending_.emplace_back();
    block.bytes = EncodePanelBlock(panel, begin, end);
    block.entry = DescribePanelBlock(panel, begin, end);
    block.entry.raw_size = block.bytes.size();
    if (block.entry.raw_size > LargestPanelBlock(block.entry.num_markers, panel.num_haplotypes())) {
      throw InputError(
          fmt::format("{}: {}:{}-{}: names and alleles of more than 1 GiB; remove "
                      "such records",
                      input_, panel.contig(), block.entry.first_position, block.entry.last_position));
    }
    const auto compress = [&block, level = options_.level] { block.bytes = CompressFrame(block.bytes, level); };
    Threads() == 1 ? compress() : arena_.enqueue(block.compression.defer(compress));
  }

  // Writes a block of the last contig. The records after it are read while it is compressed.
  void WriteFirstPending() {
    Pending& block = pending_.front();
    arena_.execute([&block] { block.compression.wait(); });
    block.entry.offset = written_;
    block.entry.size = block.bytes.size();
    index_.contigs.back().blocks.push_back(block.entry);
    Write(block.bytes);
    pending_.pop_front();
  }

  void Write(std::string_view bytes) {
    output_.Write(bytes);
    written_ += bytes.size();
  }

  const PanelBuildOptions& options_;
  PanelReader& reader_;
  const std::string input_;
  OutputFile output_;
  uint64_t written_ = 0;
  PanelFileIndex index_;
  tbb::task_arena arena_{Threads()};
  std::deque<Pending> pending_;
};

}  // namespace

PanelFileSummary BuildPanelFile(PanelReader& panel, const std::string& input, const std::string& output,
                                const PanelBuildOptions& options) {
  HS_ASSERT(options.block_markers >= 1 && options.block_markers <= kMaxBlockMarkers);
  return Builder(panel, input, output, options).Run();
}

}  // namespace haplospin
