#include "genotypes/genomics/sites/panel_alignment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/counted.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "genotypes/genomics/sites/variant.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kMaxExamples = 3;

// Returns whether the alleles of a study marker are those of its panel marker. The one allele of a marker without ALT
// is known in the panel's coding even where it is the panel's ALT.
bool HasPanelAlleles(SiteRelation relation, const Marker& marker, bool ref_is_unknown) {
  if (relation == SiteRelation::kSame) return true;
  return relation == SiteRelation::kSwapped &&
         (!marker.HasAlt() || IsCodedIndel(marker) || (ref_is_unknown && !IsStrandAmbiguous(marker)));
}

void CountMisaligned(SiteRelation relation, const std::string& contig, const Marker& marker, const Marker& panel,
                     AlignmentCounts& counts) {
  ++counts.misaligned[relation];
  if (counts.examples.size() < kMaxExamples) counts.examples.push_back(SiteNameWithPanel(contig, marker, panel));
}

// Counts an indel that is left out.
void CountUndecided(const std::string& contig, const Marker& marker, AlignmentCounts& counts) {
  const bool is_coded = IsCodedIndel(marker);
  const size_t before = is_coded ? counts.coded_indels++ : counts.undecided_indels++;
  if (before == 0) (is_coded ? counts.first_coded : counts.first_undecided) = SiteName(contig, marker);
}

void CountJoined(SiteRelation relation, const Marker& marker, AlignmentCounts& counts) {
  ++counts.matched;
  counts.without_alt += !marker.HasAlt();
  const bool tells_ref = marker.HasAlt() && !IsCodedIndel(marker);
  counts.exchanged += tells_ref && relation == SiteRelation::kSwapped;
  counts.in_order += tells_ref && relation == SiteRelation::kSame && !IsStrandAmbiguous(marker);
}

// Counts a marker at the position of one of the panel that it is not.
void CountOther(const std::string& contig, const Marker& marker, const Marker& panel, AlignmentCounts& counts) {
  if (LacksRef(marker)) counts.without_ref.Add(contig, marker);
  if (IsOfSeveralSnvs(marker, panel)) counts.several_snvs.Add(contig, marker);
}

// Returns whether two markers, neither of which has likelihoods, have other genotypes of so many samples that one of
// two probes is wrong. Samples with a missing allele do not count.
bool ContradictEachOther(const GenotypeRow& a, const GenotypeRow& b, const SampleTable& samples) {
  constexpr size_t kFewest = 2, kOneIn = 20;  // samples: two probes of an array differ in less than one in a hundred
  if (a.HasLikelihoods() || b.HasLikelihoods()) return false;
  size_t num_compared = 0, num_different = 0;
  for (size_t s = 0; s < samples.num_samples(); ++s) {
    const uint32_t first = samples.first_haplotype[s];
    const auto genotype = [&](const GenotypeRow& row) {
      return std::span(row.alleles).subspan(first, samples.ploidy(s));
    };
    if (HasMissing(genotype(a)) || HasMissing(genotype(b))) continue;
    ++num_compared;
    num_different += std::ranges::count(genotype(a), 1) != std::ranges::count(genotype(b), 1) ? 1 : 0;
  }
  return num_different >= kFewest && num_different * kOneIn > num_compared;
}

// Counts markers that contradict the one of their variant that is used in their place.
void CountContradicting(const StudyGenotypes& study, std::span<const uint32_t> panel_marker, AlignmentCounts& counts) {
  const std::span<const StudyMarker> markers = study.markers;
  for (size_t s = 0; s < markers.size(); ++s) {
    if (panel_marker[s] != kRepeatsEarlier) continue;
    const auto contradicts = [&](size_t other) {
      return panel_marker[other] != kRepeatsEarlier && SameVariant(markers[other].marker, markers[s].marker) &&
             ContradictEachOther(markers[other].genotypes, markers[s].genotypes, study.samples);
    };
    const auto is_here = [&](size_t other) { return markers[other].marker.position == markers[s].marker.position; };
    bool is_contradicting = false;
    for (size_t other = s; other > 0 && is_here(other - 1); --other) is_contradicting |= contradicts(other - 1);
    for (size_t other = s + 1; other < markers.size() && is_here(other); ++other)
      is_contradicting |= contradicts(other);
    if (is_contradicting) counts.contradicting.Add(study.contig, markers[s].marker);
  }
}

// `is_joined` marks the panel markers that earlier study markers were joined to.
uint32_t PanelMarker(const MarkerMatch& match, const Marker& marker, bool ref_is_unknown,
                     const std::vector<bool>& is_joined) {
  if (match.relation == SiteRelation::kDuplicate) return kRepeatsEarlier;
  if (match.relation == SiteRelation::kUndecided) return kMisaligned;
  if (match.relation > SiteRelation::kFlippedAndSwapped) return kNotInPanel;
  if (!HasPanelAlleles(match.relation, marker, ref_is_unknown)) return kMisaligned;
  return is_joined[match.panel_marker] ? kRepeatsEarlier : match.panel_marker;
}

}  // namespace

AlignmentCounts& AlignmentCounts::operator+=(const AlignmentCounts& other) {
  panel_markers += other.panel_markers;
  study_markers += other.study_markers;
  matched += other.matched;
  without_alt += other.without_alt;
  exchanged += other.exchanged;
  in_order += other.in_order;
  same_position += other.same_position;
  misaligned += other.misaligned;
  duplicates += other.duplicates;
  contradicting += other.contradicting;
  undecided_indels += other.undecided_indels;
  if (first_undecided.empty()) first_undecided = other.first_undecided;
  coded_indels += other.coded_indels;
  if (first_coded.empty()) first_coded = other.first_coded;
  perhaps_shifted += other.perhaps_shifted;
  if (first_shifted.empty()) first_shifted = other.first_shifted;
  several_snvs += other.several_snvs;
  without_ref += other.without_ref;
  for (const std::string& example : other.examples) {
    if (examples.size() < kMaxExamples) examples.push_back(example);
  }
  return *this;
}

// PLINK 1.9 has the less frequent allele in the place of ALT, which is REF at a fifth to a third of the sites.
bool AlignmentCounts::AreAllExchanged() const {
  constexpr size_t kMinSites = 20;
  constexpr double kShare = 0.99;  // where a few sites are wrong
  return exchanged >= kMinSites && static_cast<double>(exchanged) >= kShare * static_cast<double>(exchanged + in_order);
}

int64_t LastPosition(std::span<const StudyMarker> markers) {
  int64_t last = 0;
  for (const StudyMarker& study : markers) last = std::max(last, TrimVariant(study.marker).position);
  return last;
}

size_t FirstPanelMarker(const HaplotypePanel& panel, std::span<const StudyMarker> study) {
  return study.empty() ? panel.num_markers() : FirstMarkerAtOrAfter(panel, study.front().marker.position - kMaxPadding);
}

PanelAlignment AlignToPanel(const StudyGenotypes& study, const HaplotypePanel& panel, std::span<const uint32_t> earlier,
                            size_t first_panel) {
  HS_ASSERT(panel.num_markers() < kMisaligned);
  const std::span<const StudyMarker> markers = study.markers;
  const std::vector<MarkerMatch> matches = MatchMarkers(study, &panel, FirstPanelMarker(panel, markers));
  PanelAlignment alignment;
  AlignmentCounts& counts = alignment.counts;
  counts.panel_markers = panel.num_markers() - first_panel;
  counts.study_markers = markers.size();
  std::vector<bool> is_joined(panel.num_markers());
  for (const uint32_t panel_marker : earlier) {
    if (IsTyped(panel_marker)) is_joined[panel_marker] = true;
  }
  for (size_t s = 0; s < markers.size(); ++s) {
    const MarkerMatch& match = matches[s];
    const Marker& marker = markers[s].marker;
    const uint32_t panel_marker = PanelMarker(match, marker, study.ref_is_unknown, is_joined);
    alignment.panel_marker.push_back(panel_marker);
    counts.same_position += match.HasPosition();
    counts.duplicates += panel_marker == kRepeatsEarlier;
    if (match.may_be_shifted && panel_marker == kNotInPanel && counts.perhaps_shifted++ == 0) {
      counts.first_shifted = SiteName(study.contig, marker);
    }
    if (panel_marker == kNotInPanel && match.HasPosition()) {
      CountOther(study.contig, marker, panel.marker(match.panel_marker), counts);
    }
    if (match.relation == SiteRelation::kUndecided) {
      CountUndecided(study.contig, marker, counts);
    } else if (panel_marker == kMisaligned) {
      CountMisaligned(match.relation, study.contig, marker, panel.marker(match.panel_marker), counts);
    }
    if (!IsTyped(panel_marker)) continue;
    is_joined[panel_marker] = true;
    CountJoined(match.relation, marker, counts);
    if (match.relation == SiteRelation::kSwapped) alignment.exchanged.push_back(s);
  }
  CountContradicting(study, alignment.panel_marker, counts);
  return alignment;
}

void UsePanelAlleles(const PanelAlignment& alignment, const HaplotypePanel& panel, StudyGenotypes& study) {
  for (size_t s = 0; s < study.markers.size(); ++s) {
    Marker& marker = study.markers[s].marker;
    const bool is_told = marker.HasAlt() && !IsCodedIndel(marker);
    if (!is_told && IsTyped(alignment.panel_marker[s])) {
      const Variant variant = TrimVariant(panel.marker(alignment.panel_marker[s]));
      marker.ref = variant.ref;
      marker.alt = variant.alt;
    } else if (std::ranges::binary_search(alignment.exchanged, s)) {
      std::swap(marker.ref, marker.alt);
    }
  }
  for (const size_t s : alignment.exchanged) {
    GenotypeRow& row = study.markers[s].genotypes;
    for (uint8_t& allele : row.alleles) allele = allele == kMissingAllele ? allele : 1 - allele;
    for (GenotypeLikelihoods& genotype : row.likelihoods) std::swap(genotype.phred[0], genotype.phred[2]);
    for (ReadAllele& allele : row.reads) allele.is_alt = 1 - allele.is_alt;
  }
}

std::string AlleleRemedy(bool is_site_list) {
  return is_site_list ? fmt::format("leave out --sites, or correct REF and ALT of its file (bcftools {})", kSetRef)
                      : "haplospin check --fix corrects them";
}

namespace {

bool SharesContig(const AlignedFile& a, const AlignedFile& b) {
  return std::ranges::any_of(a.contigs, [&](const std::string& name) {
    return std::ranges::any_of(b.contigs, [&](const std::string& other) { return SameContig(name, other); });
  });
}

std::string Examples(const AlignmentCounts& counts) { return fmt::format("{}", fmt::join(counts.examples, "; ")); }

std::string Guess(const AlignmentCounts& counts, const AlignedFile& study, const AlignedFile& panel) {
  if (!SharesContig(study, panel)) {
    return "no contig is in both: give the panel of the study's contigs, or rename them (in VCF: bcftools "
           "annotate --rename-chrs)";
  }
  if (counts.study_markers == 0) return "the study has no site in the region: check the region";
  if (counts.panel_markers == 0) return "the panel has no site in the region: check the region";
  // Two genome builds agree in a few positions by chance.
  if (counts.same_position * 20 < counts.study_markers) {
    return "positions do not agree: probably different genome builds (such as GRCh37 and GRCh38) or different regions; "
           "lift one file over";
  }
  if (counts.NumFlipped() > counts.NumSwapped()) {
    return fmt::format("alleles are those of the other strand ({}): {}", Examples(counts),
                       AlleleRemedy(study.is_site_list));
  }
  if (counts.NumSwapped() > 1 && counts.NumSwapped() == counts.same_position) {
    return fmt::format(
        "REF and ALT are swapped ({}) at all of them, so one of the files has ALT first, as plink2 writes .haps, .hap "
        "and BGEN without ref-first: export it again with ref-first, or, if it is {}, {}",
        Examples(counts), study.is_site_list ? "that of --sites" : "the study", AlleleRemedy(study.is_site_list));
  }
  if (counts.NumSwapped() > 0) {
    return fmt::format("REF and ALT are swapped ({}): {}", Examples(counts), AlleleRemedy(study.is_site_list));
  }
  return "alleles differ at the same positions: check that both files are coded as REF and ALT of the same genome";
}

}  // namespace

std::string NoSharedSiteMessage(const AlignmentCounts& counts, const AlignedFile& study, const AlignedFile& panel) {
  return fmt::format(
      "no typed site is shared: {} has {} sites (contigs {}), {} has {} (contigs {}), and {} study sites are at a "
      "panel position with any alleles; {}",
      study.path, counts.study_markers, JoinNames(study.contigs), panel.path, counts.panel_markers,
      JoinNames(panel.contigs), counts.same_position, Guess(counts, study, panel));
}

std::string AlignmentWarning(const AlignmentCounts& counts, const AlignedFile& study) {
  std::string warning;
  const size_t misaligned = counts.NumSwapped() + counts.NumFlipped();
  if (misaligned > 1 && misaligned * 100 >= counts.same_position) {
    warning = fmt::format(
        "{} of the {} study sites at panel positions have REF and ALT swapped and {} are on the other strand ({}); "
        "they are not used: {}",
        counts.NumSwapped(), counts.same_position, counts.NumFlipped(), Examples(counts),
        AlleleRemedy(study.is_site_list));
  }
  const auto add = [&](const std::string& text) { warning += (warning.empty() ? "" : "; ") + text; };
  if (counts.duplicates > 0) {
    add(fmt::format(
        "{} another one: the first with genotypes is used",
        counts.duplicates == 1 ? "1 study site repeats" : fmt::format("{} study sites repeat", counts.duplicates)));
  }
  if (counts.contradicting.count > 0) {
    add(fmt::format(
        "{} of these {} the one that is used in more than 5 % of the samples (first: {}), so that one of two probes "
        "fails, and nothing tells which; leave both out (--exclude-markers)",
        counts.contradicting.count, counts.contradicting.count == 1 ? "contradicts" : "contradict",
        counts.contradicting.first));
  }
  if (counts.undecided_indels > 0) {
    add(
        fmt::format("{} left out (first: {}), as it is not known whether the panel has {}; write {} with REF and ALT "
                    "(plink2 --ref-from-fa force --fa REF.fa --export vcf bgz)",
                    counts.undecided_indels == 1 ? "1 indel is" : fmt::format("{} indels are", counts.undecided_indels),
                    counts.first_undecided, counts.undecided_indels == 1 ? "it" : "them",
                    counts.undecided_indels == 1 ? "it" : "them"));
  }
  if (counts.coded_indels > 0) {
    const bool is_one = counts.coded_indels == 1;
    add(fmt::format(
        "{} coded as I, D or - {} left out (first: {}), as nothing tells {} REF and ALT; write {} with these "
        "(plink2 --update-alleles, from the manifest of the array)",
        Counted(counts.coded_indels, "indel"), is_one ? "is" : "are", counts.first_coded, is_one ? "its" : "their",
        is_one ? "it" : "them"));
  }
  if (counts.perhaps_shifted > 0) {
    add(
        fmt::format("{} not in the panel, which has the same inserted or deleted bases close by (first: {}); "
                    "if they are not left-aligned, use bcftools norm -f REF.fa (on VCF)",
                    counts.perhaps_shifted == 1 ? "1 indel is" : fmt::format("{} indels are", counts.perhaps_shifted),
                    counts.first_shifted));
  }
  if (counts.several_snvs.count > 0) {
    add(fmt::format(
        "{} of several bases where the panel has SNVs, and not used (first: {}); write each SNV apart (bcftools {})",
        counts.several_snvs.count == 1 ? "1 study site is"
                                       : fmt::format("{} study sites are", counts.several_snvs.count),
        counts.several_snvs.first, kSplitSnvs));
  }
  if (counts.without_ref.count > 0) {
    add(
        fmt::format("{} at panel positions {} N or . as REF, and {} not used (first: {}); write that of the reference "
                    "(bcftools {})",
                    Counted(counts.without_ref.count, "study site"), counts.without_ref.count == 1 ? "has" : "have",
                    counts.without_ref.count == 1 ? "is" : "are", counts.without_ref.first, kSetRef));
  }
  return warning.empty() ? "" : study.path + ": " + warning;
}

}  // namespace haplospin
