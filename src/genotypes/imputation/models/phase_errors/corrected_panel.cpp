#include "genotypes/imputation/models/phase_errors/corrected_panel.h"

#include <algorithm>

#include "genotypes/genomics/bits.h"
#include "genotypes/genomics/windows.h"
#include "genotypes/variant_io/genetic_map_file.h"
#include "genotypes/variant_io/reading/common_marker_groups.h"
#include "genotypes/variant_io/reading/pieces.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr WindowLengths kWindows{.core = 2, .flank = 0.5};

}  // namespace

HaplotypeExchange::HaplotypeExchange(const SampleTable& samples)
    : first_haplotype_(samples.first_haplotype), first_(WordsOf(samples.num_haplotypes())), bits_(first_.size()) {}

void HaplotypeExchange::Toggle(size_t sample) {
  const uint32_t h = first_haplotype_[sample];
  HS_ASSERT(first_haplotype_[sample + 1] == h + 2);
  first_[h / 64] ^= uint64_t{1} << h % 64;
}

void HaplotypeExchange::Append(const HaplotypePanel& from, size_t m, MutablePanel& to) {
  if (!from.is_rare(m)) {
    from.CopyBits(m, bits_.data());
    ExchangeBits(bits_);
    to.Append(from.marker(m), bits_.data());
    return;
  }
  const auto carriers = from.carriers(m);
  carriers_.resize(carriers.size());
  for (size_t k = 0; k < carriers.size(); ++k) carriers_[k] = Exchanged(carriers, k);
  to.AppendCarriers(from.marker(m), carriers_, from.minor_is_alt(m));
}

void HaplotypeExchange::ExchangeBits(std::span<uint64_t> bits) const {
  uint64_t carry = 0;  // 1 if the last haplotype of a word is exchanged with the first one of the next word
  for (size_t w = 0; w < bits.size(); ++w) {
    const uint64_t second = bits[w] >> 1 | (w + 1 < bits.size() ? bits[w + 1] << 63 : 0);
    const uint64_t differs = (bits[w] ^ second) & first_[w];
    bits[w] ^= differs | differs << 1 | carry;
    carry = differs >> 63;
  }
}

// Returns the haplotype that has the allele of the k-th carrier. The ascending order does not change: no carrier is
// between the haplotypes of a sample.
uint32_t HaplotypeExchange::Exchanged(std::span<const uint32_t> carriers, size_t k) const {
  const uint32_t h = carriers[k];
  if (HasBit(first_, h)) return k + 1 < carriers.size() && carriers[k + 1] == h + 1 ? h : h + 1;
  if (h > 0 && HasBit(first_, h - 1)) return k > 0 && carriers[k - 1] == h - 1 ? h : h - 1;
  return h;
}

CorrectedPanel::CorrectedPanel(std::unique_ptr<PanelReader> panel, std::string map)
    : ForwardingPanelReader(std::move(panel)), map_(std::move(map)) {}

std::optional<std::string> CorrectedPanel::NextContig() {
  return contig_ && contig_->HasNext() ? contig_->markers.contig() : panel_->NextContig();
}

std::optional<int64_t> CorrectedPanel::NextPosition() {
  return contig_ && contig_->HasNext() ? contig_->markers.marker(contig_->next).position : panel_->NextPosition();
}

MutablePanel CorrectedPanel::StartContig() {
  MutablePanel panel = panel_->StartContig();
  MutablePanel same(panel.contig(), panel.samples());
  contig_.emplace(std::move(panel), map_.empty() ? GeneticMap::Uniform() : LoadGeneticMap(map_, same.contig()));
  return same;
}

bool CorrectedPanel::ReadUntil(int64_t position, MutablePanel& panel) {
  HS_ASSERT(contig_.has_value());
  Contig& contig = *contig_;
  for (;;) {
    if (contig.next == contig.corrected_end) {
      if (contig.is_read && !contig.HasNext()) return false;
      ReadWindow();
    }
    const int64_t next = contig.markers.marker(contig.next).position;
    if (next > position) return true;
    ExchangeUntil(next);
    contig.exchange.Append(contig.markers, contig.next++, panel);
  }
}

void CorrectedPanel::ReadWindow() {
  Contig& contig = *contig_;
  ExchangeUntil(INT64_MAX);
  const int64_t first = NextPosition().value();
  const Window window = WindowCursor(contig.map, kWindows, first).window();
  const size_t dropped = FirstMarkerAtOrAfter(contig.markers, window.begin_bp);
  contig.markers.DropBefore(dropped);
  contig.next -= dropped;
  Fill(window.end_bp);
  const int64_t last = contig.is_read ? INT64_MAX : window.core_end_bp;
  PanelPhaseErrors errors = FindPanelPhaseErrors(contig.markers, contig.map, first, last);
  counts_ += errors.counts;
  contig.exchanges = std::move(errors.exchanges);
  contig.next_exchange = 0;
  contig.corrected_end = contig.is_read ? contig.markers.num_markers() : FirstMarkerAtOrAfter(contig.markers, last + 1);
}

// Reads up to `position` in pieces, so that memory never holds the bits of many common markers.
void CorrectedPanel::Fill(int64_t position) {
  Contig& contig = *contig_;
  for (bool is_last = contig.is_read; !is_last;) {
    const int64_t end = EndOfPiece(panel_->NextPosition(), position);
    contig.is_read = !panel_->ReadUntil(end, contig.markers);
    is_last = contig.is_read || end == position;
    GroupCommonMarkers(contig.markers, is_last);
  }
}

void CorrectedPanel::ExchangeUntil(int64_t position) {
  std::vector<PhaseExchange>& exchanges = contig_->exchanges;
  size_t& next = contig_->next_exchange;
  for (; next < exchanges.size() && exchanges[next].position <= position; ++next) {
    contig_->exchange.Toggle(exchanges[next].sample);
  }
}

void CorrectedPanel::SkipContig() {
  const std::optional<std::string> name = NextContig();
  contig_.reset();
  if (panel_->NextContig() == name) panel_->SkipContig();
}

void CorrectedPanel::Seek(const Region& region) {
  contig_.reset();
  panel_->Seek(region);
}

}  // namespace haplospin
