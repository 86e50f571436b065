#include "haplospin/haplotype_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "genotypes/genomics/bits.h"
#include "genotypes/genomics/distinct_haplotypes.h"
#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/genomics/panel_storage.h"
#include "haplospin/errors.h"

namespace haplospin {

SampleTable SampleTable::Diploid(std::vector<std::string> names) {
  SampleTable samples{std::move(names), {}};
  for (size_t s = 0; s <= samples.num_samples(); ++s) samples.first_haplotype.push_back(static_cast<uint32_t>(2 * s));
  return samples;
}

void SampleTable::Add(std::string name, int ploidy) {
  if (first_haplotype.empty()) first_haplotype.push_back(0);
  names.push_back(std::move(name));
  first_haplotype.push_back(first_haplotype.back() + static_cast<uint32_t>(ploidy));
}

std::vector<uint32_t> SampleTable::SampleOfHaplotype() const {
  std::vector<uint32_t> sample_of(num_haplotypes());
  for (size_t s = 0; s < num_samples(); ++s) {
    std::fill(sample_of.begin() + first_haplotype[s], sample_of.begin() + first_haplotype[s + 1],
              static_cast<uint32_t>(s));
  }
  return sample_of;
}

void SampleTable::Check(const std::string& owner) const {
  if (names.empty()) throw InputError(owner + " has no samples; add some");
  const bool is_complete = first_haplotype.size() == names.size() + 1 && first_haplotype.front() == 0;
  const auto is_no_ploidy = [](uint32_t begin, uint32_t end) { return end != begin + 1 && end != begin + 2; };
  if (is_complete && std::ranges::adjacent_find(first_haplotype, is_no_ploidy) == first_haplotype.end()) return;
  throw InputError(owner +
                   ": first_haplotype must begin with 0, have one entry more than there are names, and ascend by 1 "
                   "for each haploid and 2 for each diploid sample");
}

HaplotypePanel::HaplotypePanel(std::string contig, SampleTable samples)
    : contig_(std::move(contig)),
      samples_(std::move(samples)),
      num_haplotypes_(samples_.num_haplotypes()),
      storage_(std::make_unique<PanelStorage>()) {}

HaplotypePanel::HaplotypePanel(HaplotypePanel&&) noexcept = default;
HaplotypePanel& HaplotypePanel::operator=(HaplotypePanel&&) noexcept = default;
HaplotypePanel::~HaplotypePanel() = default;

size_t HaplotypePanel::num_markers() const { return storage_->markers.size(); }

const Marker& HaplotypePanel::marker(size_t m) const { return storage_->markers[m]; }

uint32_t HaplotypePanel::alt_count(size_t m) const { return storage_->rows[m].alt_count; }

bool HaplotypePanel::is_rare(size_t m) const { return storage_->rows[m].is_rare; }

std::span<const uint32_t> HaplotypePanel::carriers(size_t m) const {
  const PanelRow& row = storage_->rows[m];
  HS_ASSERT(row.is_rare);
  return {static_cast<const uint32_t*>(row.data), row.size};
}

void HaplotypePanel::CopyBits(size_t m, uint64_t* out) const {
  if (is_rare(m)) {
    SetBits(carriers(m), minor_is_alt(m), num_haplotypes_, out);
  } else {
    CopyWords(m, 0, words_per_marker(), out);
  }
}

void HaplotypePanel::CopyWords(size_t m, size_t begin, size_t end, uint64_t* out) const {
  const PanelRow& row = storage_->rows[m];
  if (row.has_bits()) {
    std::ranges::copy(row.bits().subspan(begin, end - begin), out);
  } else {
    row.group->CopyWords(row.column, begin, end, out);
  }
}

int HaplotypePanel::allele(size_t m, size_t haplotype) const {
  const PanelRow& row = storage_->rows[m];
  if (row.has_bits()) return HasBit(row.bits(), haplotype) ? 1 : 0;
  if (!row.is_rare) return static_cast<int>(row.group->Bits(haplotype, row.column) & 1);
  const bool carries = std::ranges::binary_search(carriers(m), static_cast<uint32_t>(haplotype));
  return carries == minor_is_alt(m) ? 1 : 0;
}

size_t HaplotypePanel::MemoryBytes() const {
  size_t bytes = sizeof(*this) + HeapBytes(contig_) + samples_.first_haplotype.capacity() * sizeof(uint32_t) +
                 samples_.names.capacity() * sizeof(std::string);
  for (const std::string& name : samples_.names) bytes += HeapBytes(name);
  return bytes + storage_->MemoryBytes();
}

HaplotypePanelBuilder::HaplotypePanelBuilder(std::string contig, SampleTable samples) {
  samples.Check("the panel");
  panel_ = std::make_unique<MutablePanel>(std::move(contig), std::move(samples));
  bits_.resize(panel_->words_per_marker());
}

HaplotypePanelBuilder::~HaplotypePanelBuilder() = default;

void HaplotypePanelBuilder::AddMarker(Marker marker, std::span<const uint8_t> alleles) {
  const size_t m = panel_->num_markers();
  if (m > 0 && marker.position < panel_->marker(m - 1).position) {
    throw InputError(fmt::format("panel: marker {} lies before the one it follows; sort the markers by position", m));
  }
  if (alleles.size() != panel_->num_haplotypes()) {
    throw InputError(fmt::format("panel: marker {} has {} alleles; give one for each of the {} haplotypes", m,
                                 alleles.size(), panel_->num_haplotypes()));
  }
  std::ranges::fill(bits_, 0);
  for (size_t h = 0; h < alleles.size(); ++h) {
    if (alleles[h] > 1) throw InputError(fmt::format("panel: marker {} has an allele that is not 0 or 1", m));
    bits_[h / 64] |= uint64_t{alleles[h]} << h % 64;
  }
  panel_->Append(std::move(marker), bits_.data());
}

HaplotypePanel HaplotypePanelBuilder::Build() { return std::move(*panel_); }

size_t FirstMarkerAtOrAfter(const HaplotypePanel& panel, int64_t position) {
  const auto position_of = [&](size_t m) { return panel.marker(m).position; };
  return *std::ranges::lower_bound(std::views::iota(size_t{0}, panel.num_markers()), position, {}, position_of);
}

}  // namespace haplospin
