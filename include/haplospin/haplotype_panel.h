// A reference panel in memory: the phased alleles of samples at the biallelic markers of one contig.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "haplospin/marker.h"

namespace haplospin {

class MutablePanel;
struct PanelStorage;

// The samples of a panel or study. A haploid sample has one haplotype, a diploid sample two adjacent ones.
struct SampleTable {
  std::vector<std::string> names;
  std::vector<uint32_t> first_haplotype;  // [samples + 1] index of the first haplotype, and their number

  static SampleTable Diploid(std::vector<std::string> names);

  // Appends a sample of one or two haplotypes.
  void Add(std::string name, int ploidy);

  size_t num_samples() const { return names.size(); }
  size_t num_haplotypes() const { return first_haplotype.empty() ? 0 : first_haplotype.back(); }
  int ploidy(size_t sample) const { return static_cast<int>(first_haplotype[sample + 1] - first_haplotype[sample]); }

  // The sample of each haplotype: [haplotypes].
  std::vector<uint32_t> SampleOfHaplotype() const;

  // Throws InputError, with `owner` ("the panel") as its subject, if there are no samples, or if `first_haplotype` does
  // not begin with 0, have an entry more than there are names, and ascend by 1 or 2.
  void Check(const std::string& owner) const;
};

// A panel owns its markers and alleles. It can be moved but not copied, and const functions may be called from several
// threads. A HaplotypePanelBuilder makes one from alleles in memory. Markers are numbered from 0 in ascending order of
// their positions, haplotypes from 0 in the order of the samples. An allele is 1 where a haplotype has the marker's
// ALT, and 0 otherwise. No function checks that an index is in range.
//
// Most markers of a large panel are rare: at most one haplotype in 64 carries the minor allele. A rare marker is stored
// as the list of its carriers, a common one as bits.
class HaplotypePanel {
 public:
  HaplotypePanel(HaplotypePanel&&) noexcept;
  HaplotypePanel& operator=(HaplotypePanel&&) noexcept;
  ~HaplotypePanel();

  const std::string& contig() const { return contig_; }
  const SampleTable& samples() const { return samples_; }
  size_t num_haplotypes() const { return num_haplotypes_; }
  size_t num_markers() const;

  // The reference is valid as long as the panel is, also after the panel has been moved.
  const Marker& marker(size_t m) const;

  // The number of haplotypes with ALT.
  uint32_t alt_count(size_t m) const;
  // Returns whether ALT is the minor allele: at most half of the haplotypes have it.
  bool minor_is_alt(size_t m) const { return 2 * size_t{alt_count(m)} <= num_haplotypes_; }
  bool is_rare(size_t m) const;

  int allele(size_t m, size_t haplotype) const;

  // The haplotypes with the minor allele of a rare marker, ascending. Valid as long as the panel is. To ask for the
  // carriers of a common marker is a bug, and ends the program.
  std::span<const uint32_t> carriers(size_t m) const;

  // Writes the alleles of a marker to `out`, [words_per_marker()]: bit h % 64 of word h / 64 is the allele of haplotype
  // h, and bits beyond the last haplotype are 0.
  void CopyBits(size_t m, uint64_t* out) const;
  size_t words_per_marker() const { return (num_haplotypes_ + 63) / 64; }

  // Writes words `begin` to `end` (not included) of a common marker's bits.
  void CopyWords(size_t m, size_t begin, size_t end, uint64_t* out) const;

  // The memory of this panel in bytes.
  size_t MemoryBytes() const;

  // How the panel keeps its markers, for the rest of the library.
  const PanelStorage& storage() const { return *storage_; }

 protected:
  HaplotypePanel(std::string contig, SampleTable samples);
  PanelStorage& mutable_storage() { return *storage_; }

 private:
  std::string contig_;
  SampleTable samples_;
  size_t num_haplotypes_;
  std::unique_ptr<PanelStorage> storage_;
};

// Makes a panel from alleles in memory, one marker after the other.
class HaplotypePanelBuilder {
 public:
  // Throws InputError as SampleTable::Check() does.
  HaplotypePanelBuilder(std::string contig, SampleTable samples);
  ~HaplotypePanelBuilder();

  // Adds a marker with the allele of each haplotype, [haplotypes]. Throws InputError if the marker lies before the last
  // one, if there is not one allele for each haplotype, or if one is not 0 or 1.
  void AddMarker(Marker marker, std::span<const uint8_t> alleles);

  // Returns the panel, which now owns all that was added. The builder cannot be used any more.
  HaplotypePanel Build();

 private:
  std::unique_ptr<MutablePanel> panel_;
  std::vector<uint64_t> bits_;
};

// The first marker at or after `position` (bp), or num_markers() where there is none.
size_t FirstMarkerAtOrAfter(const HaplotypePanel& panel, int64_t position);

}  // namespace haplospin
