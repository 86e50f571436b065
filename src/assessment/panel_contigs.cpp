#include "assessment/panel_contigs.h"

#include <algorithm>

#include "genomics/sites/contig_names.h"

namespace haplospin {

PanelContigs::PanelContigs(const std::string& path, int threads) : path_(path), threads_(threads) {
  Open();
  indexed_ = reader_->Contigs();
}

std::optional<std::string> PanelContigs::Find(const std::string& contig) {
  if (!indexed_.empty()) return FindByIndex(contig);
  if (auto name = ReadOnTo(contig)) return name;
  if (!is_begun_) return std::nullopt;
  Open();
  return ReadOnTo(contig);
}

void PanelContigs::Open() {
  reader_ = OpenPanel(path_, threads_);
  is_begun_ = false;
}

std::optional<std::string> PanelContigs::FindByIndex(const std::string& contig) {
  const auto name = std::ranges::find_if(indexed_, [&](const auto& known) { return SameContig(known, contig); });
  if (name == indexed_.end()) return std::nullopt;
  reader_->Seek({.contig = *name});
  return *name;
}

std::optional<std::string> PanelContigs::ReadOnTo(const std::string& contig) {
  for (auto name = reader_->NextContig(); name; name = reader_->NextContig()) {
    is_begun_ = true;
    if (SameContig(*name, contig)) return name;
    reader_->SkipContig();
  }
  return std::nullopt;
}

}  // namespace haplospin
