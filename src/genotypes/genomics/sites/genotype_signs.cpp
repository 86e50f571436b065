#include "genotypes/genomics/sites/genotype_signs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr size_t kMinSites = 20, kMinGenotypes = 20;
constexpr double kFromHalf = 0.15;  // the least difference of a clear frequency from a half
constexpr double kMinInverted = 0.9, kMinPartlyInverted = 0.65;  // shares of the compared sites

// Sites that are inverted by frequency and linkage: the least number, and shares of the compared sites and of those
// whose linkage is known. Pairs of populations of the 1000 Genomes have up to 0.006 and 0.4 (20 people).
constexpr size_t kMinInvertedSites = 5;
constexpr double kMinInvertedShare = 0.015, kMinOfLinked = 0.5;
constexpr size_t kMaxNeighbors = 20;

constexpr double kMaxHets = 0.9;      // share of the genotypes; at equilibrium, at most a half
constexpr double kMaxNearHalf = 0.9;  // share of the sites where the panel's frequency is clear
constexpr double kMinExpected = 20;   // alleles that the study should have, of which it has none

bool IsClear(double frequency) { return std::abs(frequency - 0.5) > kFromHalf; }

bool IsShare(size_t part, double share, size_t whole) {
  return static_cast<double>(part) >= share * static_cast<double>(whole);
}

}  // namespace

void GenotypeSigns::Add(const SampleTable& samples, std::span<const uint8_t> alleles, const HaplotypePanel* panel,
                        size_t m) {
  const auto alts = static_cast<size_t>(std::ranges::count(alleles, 1));
  const auto refs = static_cast<size_t>(std::ranges::count(alleles, 0));
  if (alts + refs == 0) return;
  ++sites_;
  alts_ += alts;
  refs_ += refs;
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    const uint32_t h = samples.first_haplotype[s];
    if (samples.ploidy(s) != 2 || alleles[h] == kMissingAllele || alleles[h + 1] == kMissingAllele) continue;
    ++genotypes_;
    hets_ += alleles[h] != alleles[h + 1];
  }
  if (panel == nullptr) return;
  const double in_panel = panel->alt_count(m) / static_cast<double>(panel->num_haplotypes());
  const auto known = static_cast<double>(alts + refs);
  expected_alts_ += in_panel * known;
  expected_refs_ += (1 - in_panel) * known;
  const double in_study = static_cast<double>(alts) / known;
  if (samples.num_samples() < kMinSamplesForFrequencies || !IsClear(in_panel)) return;
  ++clear_in_panel_;
  if (!IsClear(in_study)) return;
  ++compared_;
  AddLinkage(MakeStrandSite(*panel, m, samples, alleles, false), (in_panel < 0.5) != (in_study < 0.5));
}

void GenotypeSigns::AddLinkage(StrandSite site, bool is_opposite) {
  site.is_phased = false;
  while (!neighbors_.empty() && neighbors_.front().position < site.position - kLinkageReach) neighbors_.pop_front();
  if (!is_opposite) {
    neighbors_.push_back(std::move(site));
    if (neighbors_.size() > kMaxNeighbors) neighbors_.pop_front();
    return;
  }
  ++opposite_;
  std::vector<const StrandSite*> neighbors;
  for (const StrandSite& neighbor : neighbors_) neighbors.push_back(&neighbor);
  const Strand strand = StrandByLinkage(site, neighbors);
  linked_ += strand != Strand::kUndecided;
  inverted_ += strand == Strand::kOther;
}

GenotypeSigns& GenotypeSigns::operator+=(const GenotypeSigns& other) {
  sites_ += other.sites_;
  clear_in_panel_ += other.clear_in_panel_;
  compared_ += other.compared_;
  opposite_ += other.opposite_;
  linked_ += other.linked_;
  inverted_ += other.inverted_;
  genotypes_ += other.genotypes_;
  hets_ += other.hets_;
  refs_ += other.refs_;
  alts_ += other.alts_;
  expected_refs_ += other.expected_refs_;
  expected_alts_ += other.expected_alts_;
  return *this;
}

bool GenotypeSigns::AreInverted() const {
  return compared_ >= kMinSites && IsShare(opposite_, kMinInverted, compared_);
}

bool GenotypeSigns::ArePartlyInverted() const {
  if (compared_ < kMinSites || AreInverted()) return false;
  const bool by_linkage = inverted_ >= kMinInvertedSites && IsShare(inverted_, kMinInvertedShare, compared_) &&
                          IsShare(inverted_, kMinOfLinked, linked_);
  return by_linkage || IsShare(opposite_, kMinPartlyInverted, compared_);
}

std::string GenotypeSigns::Obstacle() const {
  if (genotypes_ >= kMinGenotypes && IsShare(hets_, kMaxHets, genotypes_)) {
    return fmt::format("{} of its {} genotypes are heterozygous, as no people's are", hets_, genotypes_);
  }
  const bool has_panel = expected_alts_ + expected_refs_ > 0;
  if (sites_ >= kMinSites && alts_ == 0 && (!has_panel || expected_alts_ >= kMinExpected)) {
    return fmt::format("all genotypes of its {} sites are homozygous for REF", sites_);
  }
  if (sites_ >= kMinSites && refs_ == 0 && (!has_panel || expected_refs_ >= kMinExpected)) {
    return fmt::format("all genotypes of its {} sites are homozygous for ALT", sites_);
  }
  const size_t near_half = clear_in_panel_ - compared_;
  if (near_half >= kMinSites && IsShare(near_half, kMaxNearHalf, clear_in_panel_)) {
    return fmt::format(
        "its allele frequencies are near a half at {} of {} sites where the panel's are not, as where the "
        "alleles of some people are inverted",
        near_half, clear_in_panel_);
  }
  if (AreInverted()) {
    return fmt::format("alleles are inverted: at {} of {} sites, the panel's rarer allele is the study's common one",
                       opposite_, compared_);
  }
  if (ArePartlyInverted()) {
    return fmt::format(
        "alleles are inverted at some sites: at {} of {}, the panel's rarer allele is the study's common one",
        opposite_, compared_);
  }
  return "";
}

}  // namespace haplospin
