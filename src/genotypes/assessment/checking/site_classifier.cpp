#include "genotypes/assessment/checking/site_classifier.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "genotypes/genomics/sites/site_relation.h"
#include "genotypes/genomics/sites/variant.h"

namespace haplospin {
namespace {

constexpr size_t kMaxNeighbors = 50;    // neighbors on either side
constexpr double kMostNeighbors = 0.7;  // share of them, where some of the neighbors may be wrong
constexpr double kFarFromHalf = 0.3;    // of a frequency that few populations have on the other side
constexpr size_t kMaxExamples = 5;
constexpr size_t kMaxOutliers = 20;
constexpr double kMinDifference = 0.2;  // smallest difference of an outlier's frequencies
constexpr double kMinStandardErrors = 4;

// True if the record of a marker had other ALTs as well: it was split into markers of the same REF.
bool IsMultiallelic(const std::vector<StudyMarker>& markers, size_t s) {
  const Marker& marker = markers[s].marker;
  const auto position = [](const StudyMarker& study) { return study.marker.position; };
  const auto is_other_alt = [&](const StudyMarker& other) {
    return other.marker.ref == marker.ref && other.marker.alt != marker.alt;
  };
  return std::ranges::any_of(std::ranges::equal_range(markers, marker.position, {}, position), is_other_alt);
}

size_t Bin(double frequency) {
  return std::min(static_cast<size_t>(frequency * FrequencyComparison::kBins), FrequencyComparison::kBins - 1);
}

bool IsOutlier(const AlleleFrequency& study, const AlleleFrequency& panel) {
  const double pooled =
      (study.value * study.haplotypes + panel.value * panel.haplotypes) / (study.haplotypes + panel.haplotypes);
  const double standard_error = std::sqrt(pooled * (1 - pooled) * (1 / study.haplotypes + 1 / panel.haplotypes));
  const double difference = std::abs(study.value - panel.value);
  return difference > kMinDifference && difference > kMinStandardErrors * standard_error;
}

// Keeps the largest differences, in descending order.
void AddOutlier(FrequencyOutlier outlier, std::vector<FrequencyOutlier>& outliers) {
  const auto difference = [](const FrequencyOutlier& o) { return -std::abs(o.study - o.panel); };
  outliers.insert(std::ranges::upper_bound(outliers, difference(outlier), {}, difference), std::move(outlier));
  if (outliers.size() > kMaxOutliers) outliers.pop_back();
}

bool HasSwappedLetters(SiteRelation relation) {
  return relation == SiteRelation::kSwapped || relation == SiteRelation::kFlippedAndSwapped;
}

}  // namespace

void SiteClassifier::Add(const StudyGenotypes& study, const HaplotypePanel* panel) {
  is_used_.resize(panel == nullptr ? 0 : panel->num_markers(), false);
  const std::vector<MarkerMatch> matches = MatchMarkers(study, panel);
  for (size_t s = 0; s < matches.size(); ++s) {
    const Marker& marker = study.markers[s].marker;
    const size_t p = matches[s].panel_marker;
    const bool has_position = matches[s].HasPosition();
    check_.contigs.back().same_position += has_position;
    const SiteRelation relation = Relate(study, s, matches[s]);
    if (relation <= SiteRelation::kFlippedAndSwapped) {
      is_used_[p] = true;
      AddJoined(relation, study, s, *panel, p);
      AddSigns(study, s, HasSwappedLetters(relation), IsStrandAmbiguous(marker) ? nullptr : panel, p);
      continue;
    }
    if (matches[s].may_be_shifted && check_.perhaps_shifted++ == 0) {
      check_.first_shifted = SiteName(study.contig, marker);
    }
    if (relation == SiteRelation::kOtherAlleles && LacksRef(marker)) check_.without_ref.Add(study.contig, marker);
    if (relation == SiteRelation::kOtherAlleles && IsOfSeveralSnvs(marker, panel->marker(p))) {
      check_.several_snvs.Add(study.contig, marker);
    }
    const bool repeats_study = matches[s].relation == SiteRelation::kDuplicate;
    check_.site_relations.push_back(relation);
    if (marker.HasAlt() && !repeats_study) AddSigns(study, s, false, nullptr, 0);
    if (relation == SiteRelation::kNoAlt && matches[s].relation <= SiteRelation::kSwapped) {
      ++check_.without_alt_matched;
      AddSigns(study, s, matches[s].relation == SiteRelation::kSwapped, panel, p);
      NoteMatching(marker.position);
    }
    AddExample(relation, marker, has_position && !repeats_study ? &panel->marker(p) : nullptr);
  }
}

// `panel` is null where the allele of the panel's ALT is not known, or there is none.
void SiteClassifier::AddSigns(const StudyGenotypes& study, size_t s, bool is_exchanged, const HaplotypePanel* panel,
                              size_t p) {
  std::vector<uint8_t> alleles = study.markers[s].genotypes.alleles;
  for (uint8_t& allele : alleles) allele = is_exchanged && allele != kMissingAllele ? 1 - allele : allele;
  check_.contigs.back().signs.Add(study.samples, alleles, panel, p);
}

void SiteClassifier::DropPanelSites(size_t count) {
  is_used_.erase(is_used_.begin(), is_used_.begin() + static_cast<std::ptrdiff_t>(std::min(count, is_used_.size())));
}

// Compares the letters of the alleles only: ambiguous sites are decided later.
SiteRelation SiteClassifier::Relate(const StudyGenotypes& study, size_t s, const MarkerMatch& match) const {
  const Marker& marker = study.markers[s].marker;
  if (match.relation == SiteRelation::kDuplicate || match.relation == SiteRelation::kNotInPanel) return match.relation;
  if (match.relation == SiteRelation::kUndecided) return match.relation;
  if (!marker.HasAlt()) return SiteRelation::kNoAlt;
  // A record with several ALTs was split: its 0 may be another ALT, so it cannot be exchanged with an ALT.
  const bool is_exchanged = HasSwappedLetters(match.relation);
  if (is_exchanged && IsMultiallelic(study.markers, s)) return SiteRelation::kOtherAlleles;
  const bool is_used = match.relation != SiteRelation::kOtherAlleles && is_used_[match.panel_marker];
  return is_used ? SiteRelation::kDuplicate : match.relation;
}

void SiteClassifier::AddJoined(SiteRelation relation, const StudyGenotypes& study, size_t s,
                               const HaplotypePanel& panel, size_t p) {
  const Marker& marker = study.markers[s].marker;
  NoteMatching(marker.position);
  if (IsCodedIndel(marker)) {
    const Variant variant = TrimVariant(panel.marker(p));
    check_.coded_indels.emplace(check_.site_relations.size(), std::pair(variant.ref, variant.alt));
  }
  const bool is_ambiguous = IsStrandAmbiguous(marker);
  const bool has_panel_strand = check_.options.reading.open != nullptr;  // the panel has told the alleles
  const bool is_unambiguous = (!is_ambiguous || has_panel_strand) && !partly_inverted_.contains(study.contig);
  Joined joined{
      .site = MakeStrandSite(panel, p, study.samples, study.markers[s].genotypes.alleles, HasSwappedLetters(relation)),
      .index = check_.site_relations.size(),
      .study = marker,
      .panel = panel.marker(p),
      .by_letters = relation,
      .is_unambiguous = is_unambiguous,
      .is_known = is_unambiguous,
      .is_multiallelic = IsMultiallelic(study.markers, s)};
  joined.site.is_phased = !check_.is_unphased && !check_.has_phase_sets;
  check_.ambiguous += is_ambiguous;
  check_.ambiguous_same_strand += is_ambiguous && is_unambiguous;
  if (!joined.is_unambiguous) {
    check_.site_relations.push_back(SiteRelation::kUndecided);
  } else {
    check_.site_relations.push_back(relation);
    AddExample(relation, marker, &joined.panel);
    CompareFrequencies(joined, false);
  }
  joined_.push_back(std::move(joined));
}

void SiteClassifier::NoteMatching(int64_t position) {
  ContigCheck& contig = check_.contigs.back();
  if (!contig.HasMatching()) contig.matching.first = position;
  contig.matching.last = position;
}

void SiteClassifier::AddExample(SiteRelation relation, const Marker& study, const Marker* panel) {
  std::vector<std::string>& examples = check_.examples[static_cast<size_t>(relation)];
  if (relation == SiteRelation::kSame || examples.size() == kMaxExamples) return;
  const std::string& contig = check_.contigs.back().name;
  examples.push_back(panel == nullptr ? SiteName(contig, study) : SiteNameWithPanel(contig, study, *panel));
}

void SiteClassifier::Decide(int64_t position) {
  for (size_t i = 0; i < joined_.size(); ++i) {
    if (!joined_[i].is_unambiguous && joined_[i].site.position <= position - kLinkageReach) EstimateStrand(i);
  }
  for (size_t i = 0; i < joined_.size(); ++i) {
    if (!joined_[i].is_unambiguous && joined_[i].site.position <= position - 2 * kLinkageReach) DecideSite(i);
  }
  const auto waiting = std::ranges::find_if(
      joined_, [&](const Joined& joined) { return !joined.is_unambiguous && joined.index >= num_decided_; });
  const int64_t oldest =
      std::min(waiting == joined_.end() ? position : waiting->site.position, position) - kLinkageReach;
  while (!joined_.empty() && joined_.front().site.position < oldest) joined_.pop_front();
}

void SiteClassifier::EstimateStrand(size_t i) {
  Joined& joined = joined_[i];
  if (joined.index < num_estimated_) return;
  num_estimated_ = joined.index + 1;
  const Strand strand = StrandBy(i, &Joined::is_unambiguous);
  joined.is_known = strand != Strand::kUndecided;
  joined.site.is_other_strand = strand == Strand::kOther;
}

// An A/T or C/G site may be of the other strand; any other site has its genotypes inverted.
SiteRelation SiteClassifier::RelationOnStrand(const Joined& joined, Strand strand) {
  if (strand == Strand::kUndecided) return SiteRelation::kUndecided;
  if (strand == Strand::kSame) return joined.by_letters;
  if (!IsStrandAmbiguous(joined.study)) {
    return joined.by_letters == SiteRelation::kSame ? SiteRelation::kInverted : SiteRelation::kUndecided;
  }
  if (HasSwappedLetters(joined.by_letters)) return SiteRelation::kFlipped;
  return joined.is_multiallelic ? SiteRelation::kUndecided : SiteRelation::kFlippedAndSwapped;
}

void SiteClassifier::DecideSite(size_t i) {
  Joined& joined = joined_[i];
  if (joined.index < num_decided_) return;
  num_decided_ = joined.index + 1;
  const Strand strand = StrandBy(i, &Joined::is_known);
  const SiteRelation relation = RelationOnStrand(joined, strand);
  joined.is_known = relation != SiteRelation::kUndecided;
  joined.site.is_other_strand = strand == Strand::kOther;
  if (joined.is_known && IsStrandAmbiguous(joined.study)) {
    ++(strand == Strand::kSame ? check_.ambiguous_same_strand : check_.ambiguous_other_strand);
  }
  if (joined.is_known) CompareFrequencies(joined, strand == Strand::kOther);
  if (!joined.is_known && HasSwappedLetters(joined.by_letters) && !joined.is_multiallelic)
    check_.undecided_swapped.push_back(joined.index);
  check_.site_relations[joined.index] = relation;
  AddExample(relation, joined.study, &joined.panel);
}

Strand SiteClassifier::StrandBy(size_t i, bool Joined::*is_neighbor) const {
  if (check_.samples.size() < kMinSamplesForStrand) return Strand::kUndecided;
  const StrandSite& site = joined_[i].site;
  const std::vector<const StrandSite*> neighbors = Neighbors(i, is_neighbor);
  if (!partly_inverted_.contains(check_.contigs.back().name)) return FindStrand(site, neighbors);
  // In another population, the frequency misleads at some sites, also of the neighbors; most of them are right.
  const Strand by_linkage = StrandByLinkage(site, neighbors, kMostNeighbors);
  if (by_linkage != Strand::kUndecided) return by_linkage;
  return StrandByFrequency(site, is_neighbor == &Joined::is_known ? kFarFromHalf : kNearHalf);
}

// The nearest sites on both sides that have the property.
std::vector<const StrandSite*> SiteClassifier::Neighbors(size_t i, bool Joined::*is_neighbor) const {
  std::vector<const StrandSite*> neighbors;
  const int64_t position = joined_[i].site.position;
  const auto add = [&](const Joined& other, size_t max_size) {
    if (std::abs(other.site.position - position) > kLinkageReach || neighbors.size() == max_size) return false;
    if (other.*is_neighbor) neighbors.push_back(&other.site);
    return true;
  };
  for (size_t before = i; before > 0 && add(joined_[before - 1], kMaxNeighbors);) --before;
  const size_t max_size = neighbors.size() + kMaxNeighbors;
  for (size_t after = i + 1; after < joined_.size() && add(joined_[after], max_size);) ++after;
  return neighbors;
}

void SiteClassifier::CompareFrequencies(const Joined& joined, bool is_other_strand) {
  const AlleleFrequency panel = joined.site.PanelFrequency();
  AlleleFrequency study = joined.site.StudyFrequency();
  if (study.haplotypes == 0) return;
  if (is_other_strand) study.value = 1 - study.value;
  FrequencyComparison& comparison = check_.frequencies;
  ++comparison.sites;
  frequencies_.Add(study.value, panel.value);
  ++comparison.histogram[Bin(panel.value)][Bin(study.value)];
  if (!IsOutlier(study, panel)) return;
  ++comparison.num_outliers;
  AddOutlier({SiteName(check_.contigs.back().name, joined.panel), study.value, panel.value}, comparison.outliers);
}

void SiteClassifier::FinishContig() {
  joined_.clear();
  is_used_.clear();
  check_.frequencies.correlation = frequencies_.Correlation();
}

}  // namespace haplospin
