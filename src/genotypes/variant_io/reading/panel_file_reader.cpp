#include <fmt/format.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "core/threads.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/panel_file/panel_file.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/record_source.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr uint64_t kMaxBytesAtATime = uint64_t{1} << 28;  // bytes of the blocks loaded side by side

class PanelFileReader : public PanelReader {
 public:
  PanelFileReader(const std::string& path, PanelHaplotypes haplotypes)
      : file_(path),
        reads_haplotypes_(haplotypes == PanelHaplotypes::kRead),
        most_at_a_time_(static_cast<size_t>(Threads())),
        arena_(Threads()) {
    header_ = {.path = path, .contigs = file_.index().header_contigs, .described = file_.index().described};
    if (reads_haplotypes_) header_.samples = file_.index().sample_names;
  }

  std::vector<std::string> Contigs() override { return file_.index().ContigNames(); }

  std::optional<std::string> NextContig() override {
    return NextPosition() ? std::optional(Contig().name) : std::nullopt;
  }

  // Does not read a block: the index has the position of the next one.
  std::optional<int64_t> NextPosition() override {
    if (contig_ == file_.index().contigs.size() || (region_ && Contig().name != region_contig_)) return std::nullopt;
    const int64_t position = IsLoaded() ? Loaded().position(marker_) : Contig().blocks[block_].first_position;
    return region_ && position > region_->end ? std::nullopt : std::optional(position);
  }

  std::optional<int64_t> LastPosition() override {
    if (!NextPosition()) return std::nullopt;
    return file_.index().contigs[NextContigAfter(contig_) - 1].blocks.back().last_position;
  }

  std::optional<PanelContent> Content(int64_t first, int64_t last) const override {
    if (contig_ == file_.index().contigs.size()) return std::nullopt;
    PanelContent content{.haplotypes = Contig().ploidy.num_haplotypes()};
    for (const PanelBlockEntry& block : Contig().blocks) {
      if (block.last_position < first || block.first_position > last) continue;
      content.markers += block.num_markers;
      content.common += block.num_markers - block.num_rare;
      content.carriers += block.num_carriers;
      content.largest_block = std::max<size_t>(content.largest_block, block.raw_size);
    }
    return content;
  }

  std::string AdaptedArray() const override { return file_.index().array; }

  std::optional<PanelAdaptation> Adaptation() const override {
    if (file_.index().array.empty() || contig_ == file_.index().contigs.size()) return std::nullopt;
    return file_.ReadAdaptation(contig_);
  }

  void DivideContigs(const PloidyRegions& regions) override { regions_ = regions; }

  MutablePanel StartContig() override {
    const std::optional<int64_t> next = NextPosition();
    if (!next) throw InputError(file_.path() + ": no more markers; give a panel");
    if (regions_) CheckParts(*next);
    part_end_ = regions_ ? regions_->PartAt(Contig().name, *next).end : INT64_MAX;
    started_ = contig_;
    if (!reads_haplotypes_) return {Contig().name, SampleTable::Diploid({})};
    return {Contig().name, Contig().ploidy.Table(sample_names())};
  }

  bool ReadUntil(int64_t position, MutablePanel& panel) override {
    for (;;) {
      const std::optional<int64_t> next = NextPosition();
      if (!next || contig_ != started_ || *next > part_end_) return false;
      if (*next > position) return true;
      const int64_t last = std::min({position, part_end_, region_ ? region_->end : INT64_MAX});
      Load(last);
      do Loaded().MoveTo(marker_++, panel);
      while (marker_ < Loaded().num_markers() && Loaded().position(marker_) <= last);
      if (marker_ == Loaded().num_markers()) StartBlock(block_ + 1);
    }
  }

  void SkipContig() override {
    if (NextPosition()) StartContigAt(NextContigAfter(contig_));
  }

  void Seek(const Region& region) override {
    const auto& contigs = file_.index().contigs;
    const std::optional<std::string> name = FindContig(Contigs(), region.contig);
    if (!name) throw InputError(NoRecordMessage(file_.path(), Contigs(), region));
    const auto found = std::ranges::find(contigs, *name, &PanelFileIndex::Contig::name);
    region_ = region;
    region_contig_ = found->name;
    StartContigAt(static_cast<size_t>(found - contigs.begin()));
    const size_t end = NextContigAfter(contig_);
    while (contig_ + 1 < end && Contig().blocks.back().last_position < region.begin) StartContigAt(contig_ + 1);
    const auto& blocks = Contig().blocks;
    const auto block = std::ranges::lower_bound(blocks, region.begin, {}, &PanelBlockEntry::last_position);
    if (block == blocks.end()) throw InputError(NoRecordMessage(file_.path(), Contigs(), region));
    StartBlock(static_cast<size_t>(block - blocks.begin()));
    if (block->first_position < region.begin) {
      Load(region.begin);
      while (Loaded().position(marker_) < region.begin) ++marker_;  // the last one is not before it
    }
    if (!NextPosition()) throw InputError(NoRecordMessage(file_.path(), Contigs(), region));
  }

 private:
  const PanelFileIndex::Contig& Contig() const { return file_.index().contigs[contig_]; }

  // Returns the entry after all parts of the contig with entry `contig`.
  size_t NextContigAfter(size_t contig) const {
    const auto& contigs = file_.index().contigs;
    size_t next = contig + 1;
    while (next < contigs.size() && contigs[next].name == contigs[contig].name) ++next;
    return next;
  }

  // Ploidy is constant only between the ends of the file's own parts.
  void CheckParts(int64_t position) const {
    const auto& contigs = file_.index().contigs;
    if (contig_ + 1 == contigs.size() || contigs[contig_ + 1].name != Contig().name) return;
    const int64_t next = contigs[contig_ + 1].blocks.front().first_position;
    if (next > regions_->PartAt(Contig().name, position).end) return;
    throw InputError(
        fmt::format("{}: ploidy changes at {}:{}, where --par and the genome build do not divide the contig; give the "
                    "--par that the file was built with",
                    file_.path(), Contig().name, next));
  }

  void StartContigAt(size_t contig) {
    contig_ = contig;
    block_ = marker_ = 0;
    num_loaded_ = 0;
  }

  // Moves to a block of the contig, or beyond its last one to the next contig.
  void StartBlock(size_t block) {
    if (block == Contig().blocks.size()) return StartContigAt(contig_ + 1);
    block_ = block;
    marker_ = 0;
  }

  bool IsLoaded() const { return block_ >= first_loaded_ && block_ - first_loaded_ < num_loaded_; }
  PanelBlock& Loaded() { return loaded_[block_ - first_loaded_]; }

  // Loads the block and, in parallel, the following blocks that begin up to `position`.
  void Load(int64_t position) {
    if (IsLoaded()) return;
    const std::vector<PanelBlockEntry>& blocks = Contig().blocks;
    size_t count = 1;
    uint64_t bytes = blocks[block_].raw_size;
    while (count < most_at_a_time_ && block_ + count < blocks.size() &&
           blocks[block_ + count].first_position <= position) {
      bytes += blocks[block_ + count].raw_size;
      if (bytes > kMaxBytesAtATime) break;
      ++count;
    }
    num_loaded_ = 0;
    first_loaded_ = block_;
    loaded_.resize(std::max(loaded_.size(), count));
    std::vector<std::exception_ptr> errors(count);
    arena_.execute([&] {
      tbb::parallel_for(size_t{0}, count, [&](size_t i) {
        try {
          const auto read = reads_haplotypes_ ? &PanelBlockReader::ReadBlock : &PanelBlockReader::ReadSites;
          (file_.*read)(contig_, first_loaded_ + i, workspaces_.local(), loaded_[i]);
        } catch (...) {
          errors[i] = std::current_exception();
        }
      });
    });
    // A damaged block is reported when it is reached.
    if (errors[0]) std::rethrow_exception(errors[0]);
    num_loaded_ = static_cast<size_t>(
        std::ranges::find_if(errors, [](const std::exception_ptr& error) { return error != nullptr; }) -
        errors.begin());
  }

  PanelBlockReader file_;
  const bool reads_haplotypes_;
  size_t contig_ = 0;  // contig of the next marker
  size_t block_ = 0;
  size_t marker_ = 0;
  const size_t most_at_a_time_;  // blocks
  tbb::task_arena arena_;
  tbb::enumerable_thread_specific<PanelBlockReader::Workspace> workspaces_;
  std::vector<PanelBlock> loaded_;  // blocks from first_loaded_ on; kept for their memory
  size_t first_loaded_ = 0;
  size_t num_loaded_ = 0;
  std::optional<Region> region_;
  std::string region_contig_;
  std::optional<PloidyRegions> regions_;  // once DivideContigs() was called
  size_t started_ = 0;                    // contig
  int64_t part_end_ = INT64_MAX;          // last position of the contig or its part that was started, bp
};

}  // namespace

std::unique_ptr<PanelReader> OpenPanelFile(const std::string& path, PanelHaplotypes haplotypes) {
  return std::make_unique<PanelFileReader>(path, haplotypes);
}

}  // namespace haplospin
