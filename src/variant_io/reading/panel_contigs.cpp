#include "variant_io/reading/panel_contigs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "genomics/sites/contig_names.h"
#include "variant_io/reading/panel_reader.h"
#include "variant_io/variant_file.h"

namespace haplospin {

PanelContigs::PanelContigs(const std::string& path, std::vector<std::string> samples)
    : PanelContigs(path, [path, names = std::move(samples)] { return OpenPanel(path, names); }) {}

PanelContigs::PanelContigs(std::string path, Opener open)
    : path_(std::move(path)), open_(std::move(open)), reader_(open_()), names_(reader_->Contigs()) {
  is_indexed_ = !names_.empty();
}

void PanelContigs::DivideContigs(const PloidyRegions& regions) {
  regions_ = regions;
  reader_->DivideContigs(regions_);
}

std::optional<std::string> PanelContigs::Find(const std::string& contig) {
  std::optional<std::string> name = FindContig(names_, contig);
  if (!name && !names_.empty()) return std::nullopt;
  if (is_indexed_) {
    reader_->Seek({.contig = *name});
    return name;
  }
  const bool is_at_beginning = !is_begun_;
  if (auto found = ReadOnTo(contig)) return found;
  if (is_at_beginning) {
    names_ = reader_->Contigs();
    return std::nullopt;
  }
  CheckReadableTwice(path_);
  reader_ = open_();
  reader_->DivideContigs(regions_);
  is_begun_ = false;
  return Find(contig);
}

std::vector<std::string> PanelContigs::KnownNames() {
  std::vector<std::string> names = NamesOfContigs(reader_->header_contigs());
  std::ranges::copy(Names(), std::back_inserter(names));
  return names;
}

std::optional<std::string> PanelContigs::ReadOnTo(const std::string& contig) {
  const ContigMatch is_found(contig, NamesOfContigs(reader_->header_contigs()));
  for (auto name = reader_->NextContig(); name; name = reader_->NextContig()) {
    is_begun_ = true;
    if (is_found(*name)) return name;
    reader_->SkipContig();
  }
  return std::nullopt;
}

}  // namespace haplospin
