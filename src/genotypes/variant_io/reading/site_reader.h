// The sites at which reads are looked at: those of a panel, or of a list in VCF.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/contig_table.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "haplospin/marker.h"

namespace haplospin {

class SiteReader {
 public:
  // Opens a panel, in any of its formats, or a file of sites in VCF or BCF. Genotypes are not read, if it has any.
  // Throws InputError as OpenPanel().
  explicit SiteReader(const std::string& path);

  // Name and length in bp (0: unknown) of each contig that the header declares.
  const ContigTable& header_contigs() const { return reader_->header_contigs(); }
  const DescribedInfo& described() const { return reader_->described(); }

  // The contigs that have sites, if they are known without reading all.
  const std::optional<std::vector<std::string>>& KnownContigs() const { return known_; }

  // The contig of the next site, or nothing at the end.
  std::optional<std::string> NextContig() { return reader_->NextContig(); }

  // Appends at least `count` of the next sites of that contig, and all those of the last position, to `sites`. Returns
  // false once the contig has no further site.
  bool Read(size_t count, std::vector<Marker>& sites);

  void SkipContig();

  // Moves to the first site of the region's contig, by any of its names, from its begin on. Throws InputError if there
  // is none.
  void Seek(const Region& region);

 private:
  const std::unique_ptr<PanelReader> reader_;
  std::optional<std::vector<std::string>> known_;
  std::optional<MutablePanel> panel_;  // of the contig that is being read
};

}  // namespace haplospin
