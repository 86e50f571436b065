// The alleles of the reference haplotypes of a window at the typed markers.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "genotypes/genomics/distinct_haplotypes.h"
#include "genotypes/imputation/models/copying/haplotype_rows.h"
#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// How the alleles of the reference haplotypes are kept.
enum class AlleleStorage {
  kRows,     // a row of each haplotype, which matches are searched in
  kDistinct  // distinct haplotypes, in a fraction of the memory: of a panel whose alleles are only looked up
};

// The parts of a window that are the same for every target. m typed markers cut it into m + 1 intervals: interval i
// lies between typed markers i - 1 and i, and the first and last reach to the window's ends. Intervals close together
// are imputed with one attention, that of the middle interval, their anchor.
class TypedPanel {
 public:
  // `typed` holds the panel's typed markers, ascending, at least one. Neither the panel nor the map is kept.
  TypedPanel(const HaplotypePanel& panel, std::vector<uint32_t> typed, const GeneticMap& map,
             AlleleStorage storage = AlleleStorage::kRows);

  // Shares the alleles of `typed`, of the same `panel`, and has the distances of another map.
  TypedPanel(const TypedPanel& typed, const HaplotypePanel& panel, const GeneticMap& map);

  size_t num_haplotypes() const { return num_haplotypes_; }
  size_t num_typed() const { return typed_.size(); }
  size_t num_intervals() const { return typed_.size() + 1; }
  std::span<const uint32_t> typed() const { return typed_; }

  // The anchors are ascending intervals.
  std::span<const uint32_t> anchors() const { return anchors_; }
  uint32_t anchor_of(size_t interval) const { return anchor_of_[interval]; }
  // Returns the cM between typed markers for which an anchor stands; 0 for other intervals.
  float anchor_length(size_t interval) const { return anchor_length_[interval]; }
  bool is_anchor(size_t interval) const { return anchor_of_[interval] == interval; }

  // Bit j is the allele of haplotype h at typed marker j. The alleles must be kept as rows.
  const uint64_t* haplotype_bits(size_t h) const { return alleles_->rows->row(h); }
  // Returns a view of all haplotypes. It is valid as long as this object.
  HaplotypeRows rows() const;

  // cM of the typed markers between two sentinels 0.05 cM beyond the first and last: entry j + 1 is typed marker j.
  std::span<const float> centimorgans() const { return centimorgans_; }
  // Returns the middle of an interval in cM.
  float middle(size_t interval) const { return 0.5f * (centimorgans_[interval] + centimorgans_[interval + 1]); }
  // Morgans between typed markers j and j + 1, at least 1e-9.
  std::span<const float> morgans() const { return morgans_; }
  // Returns the information of an allele at typed marker j: -log of its frequency.
  float information(size_t j, int allele) const { return information_[2 * j + allele]; }
  // Returns the frequency of an allele at typed marker j, from 0.001 to 0.999.
  float frequency(size_t j, int allele) const { return std::exp(-information_[2 * j + allele]); }

 private:
  struct Alleles {
    Alleles(const HaplotypePanel& panel, std::span<const uint32_t> typed, AlleleStorage storage);

    std::optional<HaplotypeMajorBits> rows;
    std::vector<DistinctHaplotypes> groups;
  };

  TypedPanel(const HaplotypePanel& panel, std::vector<uint32_t> typed, const GeneticMap& map,
             std::shared_ptr<const Alleles> alleles);
  void ChooseAnchors();

  size_t num_haplotypes_;
  std::vector<uint32_t> typed_;
  std::shared_ptr<const Alleles> alleles_;
  std::vector<float> centimorgans_;   // [typed + 2]
  std::vector<float> morgans_;        // [typed - 1]
  std::vector<float> information_;    // [typed, 2]
  std::vector<uint64_t> major_bits_;  // [words] 1 where ALT is the major allele
  std::vector<uint32_t> anchors_;
  std::vector<uint32_t> anchor_of_;   // [intervals]
  std::vector<float> anchor_length_;  // [intervals]
};

// The reference haplotypes that a target must not copy. If haplotypes of the panel or of an unphased study copy each
// other, these are the haplotypes of the target's own sample; otherwise there are none.
struct ExcludedHaplotypes {
  uint32_t haplotypes[2] = {0, 0};
  size_t count = 0;

  std::span<const uint32_t> span() const { return {haplotypes, count}; }
};

// A target: the alleles of one haplotype at the typed markers.
struct TargetHaplotype {
  std::vector<uint8_t> alleles;    // [typed] 0, 1 or kMissingAllele
  std::vector<uint64_t> bits;      // [words] alleles as bits in the order of HaplotypeRows; missing ones are 0
  std::vector<uint64_t> observed;  // [words] 1 where the allele is not missing
  ExcludedHaplotypes excluded;

  explicit TargetHaplotype(std::vector<uint8_t> typed_alleles, const ExcludedHaplotypes& not_copied = {});
};

// Returns haplotype h of the panel as a target.
TargetHaplotype PanelHaplotype(const TypedPanel& panel, size_t h, const ExcludedHaplotypes& not_copied = {});

// Returns pointers to the targets, which must outlive their use.
std::vector<const TargetHaplotype*> PointersTo(std::span<const TargetHaplotype> targets);

}  // namespace haplospin
