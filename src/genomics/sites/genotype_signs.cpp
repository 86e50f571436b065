#include "genomics/sites/genotype_signs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr size_t kMinSites = 20, kMinGenotypes = 20;
constexpr double kFromHalf = 0.15;  // the least difference of a clear frequency from a half
constexpr double kMinInverted = 0.9, kMinPartlyInverted = 0.65;  // shares of the compared sites
constexpr double kMaxHets = 0.9;      // share of the genotypes; at equilibrium, at most a half
constexpr double kMaxNearHalf = 0.9;  // share of the sites where the panel's frequency is clear
constexpr double kMinExpected = 20;   // alleles that the study should have, of which it has none

bool IsClear(double frequency) { return std::abs(frequency - 0.5) > kFromHalf; }

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
  opposite_ += (in_panel < 0.5) != (in_study < 0.5);
}

bool GenotypeSigns::AreInverted() const {
  return compared_ >= kMinSites && static_cast<double>(opposite_) >= kMinInverted * static_cast<double>(compared_);
}

bool GenotypeSigns::ArePartlyInverted() const {
  return compared_ >= kMinSites && !AreInverted() &&
         static_cast<double>(opposite_) >= kMinPartlyInverted * static_cast<double>(compared_);
}

std::string GenotypeSigns::Obstacle() const {
  if (genotypes_ >= kMinGenotypes && static_cast<double>(hets_) >= kMaxHets * static_cast<double>(genotypes_)) {
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
  if (near_half >= kMinSites && static_cast<double>(near_half) >= kMaxNearHalf * static_cast<double>(clear_in_panel_)) {
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
        "alleles are inverted at some sites: at {} of {}, the panel's rarer allele is the study's common one; check "
        "how "
        "they were coded",
        opposite_, compared_);
  }
  return "";
}

}  // namespace haplospin
