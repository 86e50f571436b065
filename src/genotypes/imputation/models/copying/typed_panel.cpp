#include "genotypes/imputation/models/copying/typed_panel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "genotypes/genomics/bits.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

// A match that reaches the first or last typed marker counts as going on so far, as nothing is seen beyond. The weights
// were trained with this value.
constexpr float kSentinelCentimorgans = 0.05f;
constexpr double kRarestAllele = 1e-3;  // limits the information of one rare allele
// Largest distance of intervals that share an anchor. Matches that matter are many times longer.
constexpr float kAnchorCentimorgans = 0.002f;

}  // namespace

TypedPanel::Alleles::Alleles(const HaplotypePanel& panel, std::span<const uint32_t> typed, AlleleStorage storage) {
  if (storage == AlleleStorage::kRows) {
    rows.emplace(panel, typed);
    return;
  }
  for (size_t first = 0; first < typed.size(); first += DistinctHaplotypes::kMaxMarkers) {
    groups.emplace_back(panel, typed.subspan(first, std::min(DistinctHaplotypes::kMaxMarkers, typed.size() - first)));
  }
}

TypedPanel::TypedPanel(const HaplotypePanel& panel, std::vector<uint32_t> typed, const GeneticMap& map,
                       AlleleStorage storage)
    : TypedPanel(panel, typed, map, std::make_shared<const Alleles>(panel, typed, storage)) {}

TypedPanel::TypedPanel(const TypedPanel& typed, const HaplotypePanel& panel, const GeneticMap& map)
    : TypedPanel(panel, typed.typed_, map, typed.alleles_) {}

TypedPanel::TypedPanel(const HaplotypePanel& panel, std::vector<uint32_t> typed, const GeneticMap& map,
                       std::shared_ptr<const Alleles> alleles)
    : num_haplotypes_(panel.num_haplotypes()), typed_(std::move(typed)), alleles_(std::move(alleles)) {
  HS_ASSERT(!typed_.empty() && num_haplotypes_ > 0);
  const size_t m = typed_.size();
  centimorgans_.resize(m + 2);
  morgans_.resize(m - 1);
  information_.resize(2 * m);
  major_bits_.resize(WordsOf(m));
  // Positions are relative to the first marker, so that floats keep their precision along a chromosome.
  const double origin = map.Centimorgans(panel.marker(typed_[0]).position);
  for (size_t j = 0; j < m; ++j) {
    centimorgans_[j + 1] = static_cast<float>(map.Centimorgans(panel.marker(typed_[j]).position) - origin);
    const double frequency = static_cast<double>(panel.alt_count(typed_[j])) / static_cast<double>(num_haplotypes_);
    const double alt = std::clamp(frequency, kRarestAllele, 1 - kRarestAllele);
    information_[2 * j] = static_cast<float>(-std::log(1 - alt));
    information_[2 * j + 1] = static_cast<float>(-std::log(alt));
    if (frequency > 0.5) SetBit(major_bits_, j);
  }
  centimorgans_[0] = centimorgans_[1] - kSentinelCentimorgans;
  centimorgans_[m + 1] = centimorgans_[m] + kSentinelCentimorgans;
  for (size_t j = 0; j + 1 < m; ++j) {
    morgans_[j] = std::max(0.01f * (centimorgans_[j + 2] - centimorgans_[j + 1]), 1e-9f);
  }
  ChooseAnchors();
}

HaplotypeRows TypedPanel::rows() const {
  return {.bits = alleles_->rows ? alleles_->rows->row(0) : nullptr,
          .groups = alleles_->groups,
          .num_haplotypes = num_haplotypes_,
          .num_markers = num_typed(),
          .centimorgans = centimorgans().subspan(1, num_typed()),
          .major_bits = major_bits_.data()};
}

void TypedPanel::ChooseAnchors() {
  const size_t intervals = num_intervals();
  anchor_of_.resize(intervals);
  for (size_t first = 0, last; first < intervals; first = last) {
    for (last = first + 1; last < intervals && middle(last) - middle(first) <= kAnchorCentimorgans;) ++last;
    const auto anchor = static_cast<uint32_t>((first + last - 1) / 2);
    anchors_.push_back(anchor);
    std::fill(anchor_of_.begin() + first, anchor_of_.begin() + last, anchor);
  }
  anchor_length_.resize(intervals);
  for (size_t i = 1; i + 1 < intervals; ++i) {
    anchor_length_[anchor_of_[i]] += centimorgans_[i + 1] - centimorgans_[i];
  }
}

TargetHaplotype::TargetHaplotype(std::vector<uint8_t> typed_alleles, const ExcludedHaplotypes& not_copied)
    : alleles(std::move(typed_alleles)), bits(WordsOf(alleles.size())), observed(bits.size()), excluded(not_copied) {
  for (size_t j = 0; j < alleles.size(); ++j) {
    if (alleles[j] == 1) SetBit(bits, j);
    if (alleles[j] != kMissingAllele) SetBit(observed, j);
  }
}

TargetHaplotype PanelHaplotype(const TypedPanel& panel, size_t h, const ExcludedHaplotypes& not_copied) {
  std::vector<uint8_t> alleles(panel.num_typed());
  const uint64_t* bits = panel.haplotype_bits(h);
  for (size_t j = 0; j < alleles.size(); ++j) alleles[j] = HasBit(bits, j);
  return TargetHaplotype(std::move(alleles), not_copied);
}

std::vector<const TargetHaplotype*> PointersTo(std::span<const TargetHaplotype> targets) {
  std::vector<const TargetHaplotype*> pointers;
  pointers.reserve(targets.size());
  for (const TargetHaplotype& target : targets) pointers.push_back(&target);
  return pointers;
}

}  // namespace haplospin
