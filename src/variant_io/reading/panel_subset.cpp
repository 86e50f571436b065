#include "variant_io/reading/panel_subset.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "genomics/sample_subset.h"
#include "genomics/sites/contig_names.h"
#include "haplospin/errors.h"
#include "variant_io/reading/pieces.h"

namespace haplospin {
namespace {

class PanelSubsetReader : public PanelReader {
 public:
  PanelSubsetReader(const std::string& path, const std::vector<std::string>& names) : reader_(OpenPanel(path)) {
    std::unordered_set<std::string> wanted(names.begin(), names.end());
    const std::vector<std::string>& all = reader_->sample_names();
    for (uint32_t s = 0; s < all.size(); ++s) {
      if (wanted.erase(all[s]) == 0) continue;
      chosen_.push_back(s);
      names_.push_back(all[s]);
    }
    if (wanted.empty()) return;
    std::vector<std::string> missing(wanted.begin(), wanted.end());
    std::ranges::sort(missing);
    throw InputError(fmt::format("{}: does not have {} of the samples to use: {}; give samples of the panel", path,
                                 missing.size(), JoinNames(missing, kSamplesShown)));
  }

  const std::vector<std::string>& sample_names() const override { return names_; }
  const std::vector<std::pair<std::string, int64_t>>& header_contigs() const override {
    return reader_->header_contigs();
  }
  std::vector<std::string> Contigs() override { return reader_->Contigs(); }
  std::optional<std::string> NextContig() override { return reader_->NextContig(); }
  std::optional<int64_t> NextPosition() override { return reader_->NextPosition(); }
  std::optional<int64_t> LastPosition() override { return reader_->LastPosition(); }
  void DivideContigs(const PloidyRegions& regions) override { reader_->DivideContigs(regions); }
  void SkipContig() override { reader_->SkipContig(); }
  void Seek(const Region& region) override { reader_->Seek(region); }

  MutablePanel StartContig() override {
    all_.emplace(reader_->StartContig());
    subset_.emplace(all_->samples(), chosen_);
    return {all_->contig(), subset_->samples()};
  }

  bool ReadUntil(int64_t position, MutablePanel& panel) override {
    for (;;) {
      const int64_t end = EndOfPiece(reader_->NextPosition(), position);
      const bool has_more = reader_->ReadUntil(end, *all_);
      for (size_t m = 0; m < all_->num_markers(); ++m) Append(m, panel);
      DropMarkers(*all_);
      if (!has_more || end == position) return has_more;
    }
  }

 private:
  void Append(size_t m, MutablePanel& panel) {
    all_bits_.resize(all_->words_per_marker());
    all_->CopyBits(m, all_bits_.data());
    bits_.assign(panel.words_per_marker(), 0);
    for (size_t h = 0; h < subset_->num_haplotypes(); ++h) {
      bits_[h / 64] |= uint64_t{subset_->Allele(all_bits_, h)} << h % 64;
    }
    panel.Append(all_->marker(m), bits_.data());
  }

  const std::unique_ptr<PanelReader> reader_;
  std::vector<uint32_t> chosen_;  // samples of the panel
  std::vector<std::string> names_;
  std::optional<MutablePanel> all_;  // markers that have been read but not appended
  std::optional<SampleSubset> subset_;
  std::vector<uint64_t> all_bits_, bits_;  // of a marker
};

}  // namespace

std::unique_ptr<PanelReader> OpenPanelSubset(const std::string& path, const std::vector<std::string>& names) {
  if (names.empty()) return OpenPanel(path);
  return std::make_unique<PanelSubsetReader>(path, names);
}

}  // namespace haplospin
