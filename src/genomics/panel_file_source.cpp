#include <algorithm>
#include <optional>
#include <utility>

#include "genomics/panel_file_reader.h"
#include "genomics/panel_source.h"
#include "genomics/variant_stream.h"
#include "haplospin/core/errors.h"
#include "haplospin/genomics/contig_names.h"

namespace haplospin {
namespace {

class PanelFileSource : public PanelSource {
 public:
  explicit PanelFileSource(const std::string& path) : file_(path) {}

  const std::vector<std::string>& sample_names() const override { return file_.index().sample_names; }

  const std::vector<std::pair<std::string, int64_t>>& header_contigs() const override {
    return file_.index().header_contigs;
  }

  std::vector<std::string> Contigs() override {
    std::vector<std::string> names;
    for (const PanelFileIndex::Contig& contig : file_.index().contigs) names.push_back(contig.name);
    return names;
  }

  std::optional<std::string> NextContig() override {
    return NextPosition() ? std::optional(Contig().name) : std::nullopt;
  }

  // Reads no block to find out: the index knows where the next begins.
  std::optional<int64_t> NextPosition() override {
    if (contig_ == file_.index().contigs.size() || (region_ && contig_ != region_contig_)) return std::nullopt;
    const int64_t position = is_loaded_ ? loaded_.position(marker_) : Contig().blocks[block_].first_position;
    return region_ && position > region_->end ? std::nullopt : std::optional(position);
  }

  HaplotypePanel StartContig() override {
    if (!NextPosition()) throw InputError(file_.path() + ": no further marker in it; give a panel");
    return {Contig().name, Contig().samples};
  }

  bool ReadUntil(int64_t position, HaplotypePanel& panel) override {
    for (;;) {
      const std::optional<int64_t> next = NextPosition();
      if (!next || Contig().name != panel.contig()) return false;
      if (*next > position) return true;
      Load();
      loaded_.MoveTo(marker_, panel);
      if (++marker_ == loaded_.num_markers()) StartBlock(block_ + 1);
    }
  }

  void SkipContig() override {
    if (NextPosition()) StartContigAt(contig_ + 1);
  }

  void Seek(const Region& region) override {
    const auto& contigs = file_.index().contigs;
    const auto found =
        std::ranges::find_if(contigs, [&](const auto& contig) { return SameContig(contig.name, region.contig); });
    if (found == contigs.end()) throw InputError(NoRecordMessage(file_.path(), Contigs(), region));
    region_ = region;
    region_contig_ = static_cast<size_t>(found - contigs.begin());
    StartContigAt(region_contig_);
    const auto block = std::ranges::lower_bound(found->blocks, region.begin, {}, &PanelBlockEntry::last_position);
    if (block == found->blocks.end()) throw InputError(NoRecordMessage(file_.path(), Contigs(), region));
    StartBlock(static_cast<size_t>(block - found->blocks.begin()));
    if (block->first_position < region.begin) {
      Load();
      while (loaded_.position(marker_) < region.begin) ++marker_;  // the last one is not before it
    }
    if (!NextPosition()) throw InputError(NoRecordMessage(file_.path(), Contigs(), region));
  }

 private:
  const PanelFileIndex::Contig& Contig() const { return file_.index().contigs[contig_]; }

  void StartContigAt(size_t contig) {
    contig_ = contig;
    block_ = marker_ = 0;
    is_loaded_ = false;
  }

  // Of the contig, or the first one of the next contig.
  void StartBlock(size_t block) {
    if (block == Contig().blocks.size()) return StartContigAt(contig_ + 1);
    block_ = block;
    marker_ = 0;
    is_loaded_ = false;
  }

  void Load() {
    if (is_loaded_) return;
    file_.ReadBlock(contig_, block_, loaded_);
    is_loaded_ = true;
  }

  PanelFileReader file_;
  size_t contig_ = 0;  // of the next marker
  size_t block_ = 0;
  size_t marker_ = 0;
  PanelBlock loaded_;
  bool is_loaded_ = false;  // block_, once it is needed
  std::optional<Region> region_;
  size_t region_contig_ = 0;
};

}  // namespace

std::unique_ptr<PanelSource> OpenPanelFile(const std::string& path) { return std::make_unique<PanelFileSource>(path); }

}  // namespace haplospin
