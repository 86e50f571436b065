// The sites at which reads are looked at: those of a panel, or of a list in VCF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/region.h"
#include "haplospin/marker.h"

namespace haplospin {

class SiteSource {
 public:
  virtual ~SiteSource() = default;

  // Name and length in bp (0: unknown) of each contig that the header declares.
  virtual const std::vector<std::pair<std::string, int64_t>>& header_contigs() const = 0;

  // The contigs that have sites, if they are known without reading all.
  virtual std::optional<std::vector<std::string>> KnownContigs() = 0;

  // The contig of the next site, or nothing at the end.
  virtual std::optional<std::string> NextContig() = 0;

  // Appends at least `count` of the next sites of that contig, and all those of the last position, to `sites`. Returns
  // false once the contig has no further site.
  virtual bool Read(size_t count, std::vector<Marker>& sites) = 0;

  virtual void SkipContig() = 0;

  // Moves to the first site of the region's contig from its begin on. Throws InputError if there is none.
  virtual void Seek(const Region& region) = 0;
};

// Opens the sites of a panel, in any of its formats. Throws InputError as OpenPanel().
std::unique_ptr<SiteSource> OpenPanelSites(const std::string& path);

// Opens a VCF or BCF file, of which the genotypes are not read, if it has any. Throws InputError as VariantStream.
std::unique_ptr<SiteSource> OpenFileSites(const std::string& path);

}  // namespace haplospin
