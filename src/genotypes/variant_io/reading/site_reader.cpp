#include "genotypes/variant_io/reading/site_reader.h"

#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/reading/pieces.h"

namespace haplospin {

SiteReader::SiteReader(const std::string& path) : reader_(OpenPanel(path, PanelHaplotypes::kSkip)) {
  std::vector<std::string> contigs = reader_->Contigs();  // empty without an index, before anything is read
  if (!contigs.empty()) known_ = std::move(contigs);
}

bool SiteReader::Read(size_t count, std::vector<Marker>& sites) {
  if (!panel_) panel_.emplace(reader_->StartContig());
  bool has_more = true;
  while (has_more && panel_->num_markers() < count) has_more = reader_->ReadUntil(*reader_->NextPosition(), *panel_);
  for (size_t m = 0; m < panel_->num_markers(); ++m) sites.push_back(panel_->marker(m));
  DropMarkers(*panel_);
  if (!has_more) panel_.reset();
  return has_more;
}

void SiteReader::SkipContig() {
  panel_.reset();
  reader_->SkipContig();
}

void SiteReader::Seek(const Region& region) {
  panel_.reset();
  const std::vector<std::string> names = known_ ? *known_ : NamesOfContigs(header_contigs());
  Region place = region;
  place.contig = FindContig(names, region.contig).value_or(region.contig);
  reader_->Seek(place);
}

}  // namespace haplospin
