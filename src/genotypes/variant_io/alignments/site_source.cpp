#include "genotypes/variant_io/alignments/site_source.h"

#include <utility>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/pieces.h"
#include "genotypes/variant_io/reading/variant_stream.h"

namespace haplospin {
namespace {

class PanelSites : public SiteSource {
 public:
  explicit PanelSites(const std::string& path) : reader_(OpenPanel(path)) {}

  const std::vector<std::pair<std::string, int64_t>>& header_contigs() const override {
    return reader_->header_contigs();
  }

  std::optional<std::vector<std::string>> KnownContigs() override {
    if (!known_) known_ = reader_->Contigs();  // empty without an index, before anything is read
    return known_->empty() ? std::nullopt : known_;
  }

  std::optional<std::string> NextContig() override { return reader_->NextContig(); }

  bool Read(size_t count, std::vector<Marker>& sites) override {
    if (!panel_) panel_.emplace(reader_->StartContig());
    const size_t wanted = sites.size() + count;
    bool has_more = true;
    while (has_more && sites.size() < wanted) {
      has_more = reader_->ReadUntil(EndOfPiece(reader_->NextPosition(), INT64_MAX), *panel_);
      for (size_t m = 0; m < panel_->num_markers(); ++m) sites.push_back(panel_->marker(m));
      DropMarkers(*panel_);
    }
    if (!has_more) panel_.reset();
    return has_more;
  }

  void SkipContig() override {
    panel_.reset();
    reader_->SkipContig();
  }

  void Seek(const Region& region) override {
    panel_.reset();
    KnownContigs();
    reader_->Seek(region);
  }

 private:
  const std::unique_ptr<PanelReader> reader_;
  std::optional<std::vector<std::string>> known_;
  std::optional<MutablePanel> panel_;  // of the contig that is being read
};

class FileSites : public SiteSource {
 public:
  explicit FileSites(const std::string& path)
      : stream_(VariantFile(path, SitesOnly::kAccept), RecordParser::Kind::kSites, /*accepts_unphased=*/true) {}

  const std::vector<std::pair<std::string, int64_t>>& header_contigs() const override {
    return stream_.file().header_contigs();
  }

  std::optional<std::vector<std::string>> KnownContigs() override {
    if (!known_) known_ = stream_.Contigs();
    return known_->empty() ? std::nullopt : known_;
  }

  std::optional<std::string> NextContig() override {
    const ParsedRecord* record = stream_.Peek();
    return record == nullptr ? std::nullopt : std::optional(record->contig);
  }

  bool Read(size_t count, std::vector<Marker>& sites) override {
    const std::string contig = NextContig().value_or("");
    const size_t wanted = sites.size() + count;
    for (;;) {
      ParsedRecord* record = stream_.Peek();
      if (record == nullptr || record->contig != contig) return false;
      if (sites.size() >= wanted && sites.back().position != record->position) return true;
      for (size_t a = 0; a < record->alts.size(); ++a) sites.push_back(TakeMarker(*record, a));
      stream_.Pop();
    }
  }

  void SkipContig() override { stream_.SkipContig(); }

  void Seek(const Region& region) override {
    KnownContigs();
    stream_.Seek(region);
  }

 private:
  VariantStream stream_;
  std::optional<std::vector<std::string>> known_;
};

}  // namespace

std::unique_ptr<SiteSource> OpenPanelSites(const std::string& path) { return std::make_unique<PanelSites>(path); }

std::unique_ptr<SiteSource> OpenFileSites(const std::string& path) { return std::make_unique<FileSites>(path); }

}  // namespace haplospin
