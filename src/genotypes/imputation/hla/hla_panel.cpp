#include "genotypes/imputation/hla/hla_panel.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/log.h"
#include "genotypes/genomics/bits.h"
#include "genotypes/genomics/hla/hla_allele.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/imputation/hla/gene_alleles.h"
#include "genotypes/imputation/hla/gene_copying.h"
#include "genotypes/variant_io/genetic_map_file.h"
#include "genotypes/variant_io/reading/common_marker_groups.h"
#include "genotypes/variant_io/reading/pieces.h"
#include "haplospin/errors.h"
#include "haplospin/genetic_map.h"

namespace haplospin {
namespace {

constexpr int64_t kFlank = 2'000'000;      // bp beyond the genes, whose markers tell whom haplotypes copy
constexpr int64_t kMaxDistance = 500'000;  // bp from a gene to the nearest markers on both sides
constexpr size_t kMinMarkersPerGene = 10;  // within kMaxDistance

}  // namespace

HlaPanel::HlaPanel(std::unique_ptr<PanelReader> panel, HlaTypes types, const HlaGenes& places, std::string map)
    : ForwardingPanelReader(std::move(panel)), types_(std::move(types)), map_(std::move(map)) {
  for (const HlaGeneTypes& gene : types_.genes) genes_.emplace_back(places.find(gene.gene)->second, &gene);
  std::ranges::sort(genes_);
  HS_ASSERT(!genes_.empty());
}

bool HlaPanel::Ahead::IsRecordNext() const {
  if (next_record == records.size()) return false;
  return next_marker == markers.num_markers() || records[next_record].position < markers.marker(next_marker).position;
}

int64_t HlaPanel::Ahead::NextPosition() const {
  return IsRecordNext() ? records[next_record].position : markers.marker(next_marker).position;
}

std::optional<std::string> HlaPanel::NextContig() {
  if (IsPending()) return contig_;
  const std::optional<std::string> next = panel_->NextContig();
  if (!next && !is_found_) {
    throw InputError(
        "the panel has no records of chromosome 6, where the HLA genes are; give a panel that has, or remove --hla");
  }
  return next;
}

std::optional<int64_t> HlaPanel::NextPosition() {
  return IsPending() ? ahead_->NextPosition() : panel_->NextPosition();
}

MutablePanel HlaPanel::StartContig() {
  ahead_.reset();
  contig_.reset();
  MutablePanel panel = panel_->StartContig();
  if (!SameContig(panel.contig(), kHlaContig)) return panel;
  is_found_ = true;
  contig_ = panel.contig();
  ahead_ = Ahead{.markers = MutablePanel(panel.contig(), panel.samples()), .records = {}};
  return panel;
}

bool HlaPanel::ReadUntil(int64_t position, MutablePanel& panel) {
  if (!ahead_) return panel_->ReadUntil(position, panel);
  const int64_t begin = genes_.front().first - kFlank;
  if (!ahead_->is_filled) {
    ahead_->has_more = panel_->ReadUntil(std::min(position, begin - 1), panel);
    if (position < begin && ahead_->has_more) return true;
    ReadAhead();
  }
  while (!ahead_->IsEmpty()) {
    if (ahead_->NextPosition() > position) return true;
    if (ahead_->IsRecordNext()) {
      AppendRecord(ahead_->records[ahead_->next_record++], panel);
    } else {
      const size_t m = ahead_->next_marker++;
      if (!IsReplaced(ahead_->markers.marker(m))) panel.AppendFrom(ahead_->markers, m);
    }
  }
  if (ahead_->has_more) ahead_->has_more = panel_->ReadUntil(position, panel);
  return ahead_->has_more;
}

void HlaPanel::ReadAhead() {
  ahead_->is_filled = true;
  FillAhead(genes_.back().first + kFlank);
  PlaceGenes();
}

// Reads in pieces, so that memory never holds the bits of many common markers.
void HlaPanel::FillAhead(int64_t last) {
  for (bool is_last = !ahead_->has_more; !is_last;) {
    const int64_t end = EndOfPiece(panel_->NextPosition(), last);
    ahead_->has_more = panel_->ReadUntil(end, ahead_->markers);
    is_last = !ahead_->has_more || end == last;
    GroupCommonMarkers(ahead_->markers, is_last);
  }
}

void HlaPanel::PlaceGenes() {
  std::vector<int64_t> positions;
  for (const auto& [position, types] : genes_) {
    if (HasMarkersAround(position)) {
      ahead_->records.push_back({types, position, {}});
      positions.push_back(position);
    } else {
      LogWarning("HLA-{} is left out: the panel has fewer than {} markers within {} kb of {}:{}", types->gene,
                 kMinMarkersPerGene, kMaxDistance / 1000, *contig_, position);
    }
  }
  if (positions.empty()) {
    throw InputError(fmt::format(
        "the panel has no markers around the HLA genes ({}:{}-{}); give one that has, and check its genome build",
        *contig_, genes_.front().first, genes_.back().first));
  }
  const GeneticMap map = map_.empty() ? GeneticMap::Uniform() : LoadGeneticMap(map_, *contig_);
  const std::vector<CopiedAtGene> copied = FindCopied(ahead_->markers, map, positions);
  for (size_t k = 0; k < positions.size(); ++k) {
    Record& record = ahead_->records[k];
    record.alleles = PlaceAlleles(*record.types, ahead_->markers.samples(), copied[k]);
    std::vector<uint32_t> carried = record.alleles;
    std::ranges::sort(carried);
    const auto repeated = std::ranges::unique(carried);
    added_.push_back({record.types->gene, record.types->CountTyped(), carried.size() - repeated.size()});
  }
}

bool HlaPanel::HasMarkersAround(int64_t position) const {
  const size_t begin = FirstMarkerAtOrAfter(ahead_->markers, position - kMaxDistance);
  const size_t end = FirstMarkerAtOrAfter(ahead_->markers, position + kMaxDistance + 1);
  return end >= begin + kMinMarkersPerGene;
}

bool HlaPanel::IsReplaced(const Marker& marker) const {
  const auto allele = HlaMarkerOf(marker);
  return allele && std::ranges::any_of(ahead_->records,
                                       [&](const Record& record) { return record.types->gene == allele->allele.gene; });
}

void HlaPanel::AppendRecord(const Record& record, MutablePanel& panel) {
  const size_t first = panel.num_markers();
  for (uint32_t a = 0; a < record.types->alleles.size(); ++a) {
    std::vector<uint64_t> bits(panel.words_per_marker());
    for (size_t h = 0; h < record.alleles.size(); ++h) {
      if (record.alleles[h] == a) SetBit(bits, h);
    }
    if (std::ranges::all_of(bits, [](uint64_t word) { return word == 0; })) continue;
    panel.Append({.position = record.position,
                  .id = "HLA_" + record.types->gene,
                  .ref = "N",
                  .alt = fmt::format("<HLA_{}>", record.types->alleles[a]),
                  .continues_record = panel.num_markers() > first},
                 bits.data());
  }
}

void HlaPanel::SkipContig() {
  const std::optional<std::string> name = NextContig();
  is_found_ = is_found_ || (name && SameContig(*name, kHlaContig));
  ahead_.reset();
  if (panel_->NextContig() == name) panel_->SkipContig();
}

void HlaPanel::Seek(const Region& region) {
  ahead_.reset();
  panel_->Seek(region);
}

}  // namespace haplospin
