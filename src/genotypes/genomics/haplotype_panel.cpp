#include "haplospin/haplotype_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "genotypes/genomics/mutable_panel.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

size_t HeapBytes(const std::string& text) {
  return text.capacity() > std::string().capacity() ? text.capacity() + 1 : 0;
}

}  // namespace

SampleTable SampleTable::Diploid(std::vector<std::string> names) {
  SampleTable samples{std::move(names), {}};
  for (size_t s = 0; s <= samples.num_samples(); ++s) samples.first_haplotype.push_back(static_cast<uint32_t>(2 * s));
  return samples;
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
      memory_(std::make_unique<Memory>()) {}

HaplotypePanel::HaplotypePanel(HaplotypePanel&&) noexcept = default;
HaplotypePanel& HaplotypePanel::operator=(HaplotypePanel&&) noexcept = default;
HaplotypePanel::~HaplotypePanel() = default;

std::span<const uint32_t> HaplotypePanel::carriers(size_t m) const {
  HS_ASSERT(rows_[m].is_rare);
  return {static_cast<const uint32_t*>(rows_[m].data), rows_[m].size};
}

std::span<const uint64_t> HaplotypePanel::bits(size_t m) const {
  HS_ASSERT(has_bits(m));
  return {static_cast<const uint64_t*>(rows_[m].data), rows_[m].size};
}

void HaplotypePanel::CopyBits(size_t m, uint64_t* out) const {
  if (is_rare(m)) {
    SetBits(carriers(m), minor_is_alt(m), out);
  } else {
    CopyWords(m, 0, words_per_marker(), out);
  }
}

void HaplotypePanel::CopyWords(size_t m, size_t begin, size_t end, uint64_t* out) const {
  if (has_bits(m)) {
    std::ranges::copy(bits(m).subspan(begin, end - begin), out);
  } else {
    rows_[m].group->CopyWords(rows_[m].column, begin, end, out);
  }
}

void HaplotypePanel::SetBits(std::span<const uint32_t> carriers, bool minor_is_alt, uint64_t* out) const {
  std::fill_n(out, words_per_marker(), minor_is_alt ? 0 : ~uint64_t{0});
  for (const uint32_t h : carriers) out[h / 64] ^= uint64_t{1} << h % 64;
  if (!minor_is_alt && num_haplotypes_ % 64 != 0) {
    out[words_per_marker() - 1] &= (uint64_t{1} << num_haplotypes_ % 64) - 1;
  }
}

int HaplotypePanel::allele(size_t m, size_t haplotype) const {
  if (has_bits(m)) return static_cast<int>(bits(m)[haplotype / 64] >> haplotype % 64 & 1);
  if (!is_rare(m)) return static_cast<int>(rows_[m].group->Bits(haplotype, rows_[m].column) & 1);
  const bool carries = std::ranges::binary_search(carriers(m), static_cast<uint32_t>(haplotype));
  return carries == minor_is_alt(m) ? 1 : 0;
}

size_t HaplotypePanel::MemoryBytes() const {
  size_t bytes = sizeof(*this) + sizeof(Memory) + HeapBytes(contig_) +
                 samples_.first_haplotype.capacity() * sizeof(uint32_t) +
                 samples_.names.capacity() * sizeof(std::string);
  for (const std::string& name : samples_.names) bytes += HeapBytes(name);
  bytes += markers_.size() * sizeof(Marker) + rows_.size() * sizeof(Row);
  for (const Marker& marker : markers_) bytes += HeapBytes(marker.id) + HeapBytes(marker.ref) + HeapBytes(marker.alt);
  for (const auto* blocks : {&memory_->blocks, &memory_->common_blocks}) {
    for (const Memory::Block& block : *blocks) bytes += sizeof(block) + block.capacity * sizeof(uint64_t);
  }
  for (const Memory::Group& group : memory_->groups) bytes += group.haplotypes->MemoryBytes();
  return bytes;
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
  size_t low = 0, high = panel.num_markers();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (panel.marker(middle).position < position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace haplospin
