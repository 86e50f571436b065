// The check of a study before imputation, alone or with a reference panel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/counted.h"
#include "genotypes/assessment/checking/sex_check.h"
#include "genotypes/assessment/checking/site_quality.h"
#include "genotypes/genomics/sites/genotype_signs.h"
#include "genotypes/genomics/sites/one_allele.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/genomics/sites/site_relation.h"
#include "genotypes/variant_io/reading/call_certainty.h"
#include "genotypes/variant_io/reading/genotype_origin.h"
#include "genotypes/variant_io/reading/study_reader.h"

namespace haplospin {

struct StudyCheckOptions {
  std::string panel;                     // a file that can be read twice; empty: without a panel
  std::string study;                     // "-" is standard input
  std::string contig;                    // the only contig of the study to read, by any of its names; empty: all
  std::vector<std::string> arrays;       // files for LoadSiteList()
  std::optional<PloidyRegions> regions;  // empty: by the build that panel or study declares
  StudyOptions reading;                  // filters, males, and how the study is opened
};

struct ContigCheck {
  std::string name;
  std::string panel_name;    // empty: not in the panel
  size_t sites = 0;          // study sites
  size_t within_panel = 0;   // study sites from the panel's first to its last marker
  Span span;                 // first and last study site
  size_t panel_sites = 0;    // panel positions within `span`
  size_t same_position = 0;  // study sites at panel positions
  Span matching;             // first and last study site that matches, perhaps swapped or flipped; 0: none
  Span panel;                // first and last marker of the panel; 0: none
  int64_t covered = 0;       // bp of the panel, see CoveredBetween()

  bool HasMatching() const { return matching.last > 0; }
  GenotypeSigns signs;

  double SpanShare() const { return CoveredShare(panel, matching); }  // the fraction of `panel` that `matching` covers
};

struct SampleCheck {
  std::string name;
  size_t alleles = 0;
  size_t missing = 0;       // missing alleles
  bool is_haploid = false;  // has one haplotype on some contig
  bool is_diploid = false;  // has two haplotypes on some contig

  double MissingShare() const { return ShareOf(missing, alleles); }
};

// The sites that a study shares with an array.
struct ArrayOverlap {
  std::string path;
  size_t sites = 0;        // number of sites of the array
  size_t sites_there = 0;  // sites of the array between the first and last study site of a contig
  size_t shared = 0;       // sites of the array that are in the study
};

struct FrequencyOutlier {
  std::string site;             // "contig:position REF>ALT", as in the panel's alleles
  double study = 0, panel = 0;  // frequency of the panel's ALT
};

// Frequencies of the panel's ALT in study and panel, at the sites whose alleles and strand are known.
struct FrequencyComparison {
  static constexpr size_t kBins = 20;
  size_t sites = 0;
  double correlation = 0;                  // NaN where either does not vary
  size_t num_outliers = 0;                 // sites where they differ by more than 0.2 and four standard errors
  std::vector<FrequencyOutlier> outliers;  // the largest differences, 20 at most
  std::array<std::array<size_t, kBins>, kBins> histogram{};  // [panel][study], from 0 to 1
};

// The copying of the panel by the study's haplotypes, relative to that by the panel's own haplotypes.
struct PanelFit {
  double switches = 0, mismatches = 0;        // ratios
  double unmatched = 0, panel_unmatched = 0;  // fractions of the typed markers where they match no haplotype
  bool is_of_another_population = false;
  std::string text;  // "1.0 times the switches and 1.1 times the mismatches of the panel's"
};

// Parents and children among the samples, by their genotypes.
struct FoundRelatives {
  size_t with_both_parents = 0, with_one_parent = 0;  // children
  size_t undecided = 0;       // samples that seem to have a close relative: the genome is too short to tell which
  double centimorgans = 0;    // that the markers span, 1 cM per Mb
  bool is_too_short = false;  // to tell parents from other relatives
};

// Samples with the same genotypes: one person twice, twins, or clones.
struct FoundDuplicates {
  struct Pair {
    std::string a, b;
    double agreement = 0;  // share of the markers compared
  };
  std::vector<Pair> pairs;
  double centimorgans = 0;    // that the markers span, 1 cM per Mb
  bool is_too_short = false;  // to tell them from full sibs
};

struct StudyCheck {
  StudyCheckOptions options;  // without a panel, all results about a panel are empty
  PloidyRegions regions;      // that the study was read with
  StudyReading reading;
  size_t panel_samples = 0;
  std::vector<ContigCheck> contigs;        // contigs of the study, in its order
  std::vector<std::string> panel_contigs;  // contigs known to have records (all of them if the panel is indexed)
  std::string panel_build, study_build;    // "GRCh37", "GRCh38" or empty, according to the contig lengths
  size_t sites = 0;                        // study sites
  SiteCounts counts;
  std::array<std::vector<std::string>, kNumSiteRelations> examples;  // 5 at most: "20:100 A>C, panel has C>A"
  size_t without_alt_matched = 0;        // kNoAlt sites whose only allele is one of the panel's: impute uses them
  size_t perhaps_shifted = 0;            // indels that are perhaps the panel's, but not left-aligned
  std::string first_shifted;             // the first of them: "20:100 AT>A"
  NotedSites several_snvs, without_ref;  // of kOtherAlleles, as in AlignmentCounts
  std::unordered_map<size_t, std::pair<std::string, std::string>> coded_indels;  // the panel's REF and ALT, by index
  std::vector<size_t> undecided_swapped;  // indices of kUndecided sites whose letters are exchanged

  // A/T and C/G sites at a panel site of the same two letters.
  size_t ambiguous = 0, ambiguous_same_strand = 0, ambiguous_other_strand = 0;
  bool is_unphased = false;     // some heterozygous genotype is unphased
  bool has_phase_sets = false;  // some heterozygous genotype has PS
  SiteQuality quality;
  std::vector<SampleCheck> samples;
  FrequencyComparison frequencies;
  std::optional<PanelFit> panel_fit;          // empty: not measured, or too few sites
  std::optional<FoundRelatives> relatives;    // empty: not sought
  std::optional<FoundDuplicates> duplicates;  // empty: not sought
  std::optional<SexCheck> sexes;              // empty: no sexes are given, or there is no X
  std::optional<CallCertainty> certainty;     // empty: the study has no likelihoods
  GenotypeOrigin study_origin, panel_origin;
  OneAlleleSamples one_allele;               // of the contig that has most
  std::vector<std::string> pseudo_haploids;  // samples without a heterozygote, though the others have
  bool is_pseudo_haploid = false;            // no sample has a heterozygote, though the people of the panel have
  std::vector<ArrayOverlap> arrays;
  int identified_array = -1;                 // index into arrays; -1: none
  std::vector<SiteRelation> site_relations;  // [sites] in the order of the file

  bool HasPanel() const { return !options.panel.empty(); }
  size_t Count(SiteRelation relation) const { return counts[relation]; }
  size_t SamePosition() const { return sites - Count(SiteRelation::kNotInPanel); }
  size_t WithinPanel() const;  // sites from the panel's first to its last marker, on any contig
  size_t NumToFix() const {    // sites that match the panel once they are swapped, flipped or inverted
    return Count(SiteRelation::kSwapped) + Count(SiteRelation::kFlipped) + Count(SiteRelation::kFlippedAndSwapped) +
           Count(SiteRelation::kInverted);
  }

  // Returns whether there are enough people with genotypes that their allele frequencies tell something.
  bool HasFrequencies() const {
    return samples.size() - reading.samples_without_genotypes.size() >= kMinSamplesForFrequencies;
  }

  // The mean number of matching sites per Mb of the panel on the study's contigs.
  double SitesPerMegabase() const;

  GenotypeSigns Signs() const;  // of the whole study

  // Returns whether the alleles of some contig are inverted, all or a part of them, which FixStudy() corrects.
  bool AreInverted() const;

  // True if so few sites are at panel positions that study and panel probably have different genome builds.
  bool PositionsDisagree() const;

  // Returns whether the genotypes are of few reads. Their errors look like another population, other frequencies and
  // missing genotypes, so that these are not judged.
  bool HasFewReads() const { return certainty && certainty->AreFewReads(); }

  bool IsOfAnotherPopulation() const { return panel_fit && panel_fit->is_of_another_population; }
};

// Reads the study once, and the part of the panel between the first and last study site of each contig. A
// site with several ALTs counts as one site per ALT. If a part of a contig's sites is inverted, a file is read again to
// find which: by frequency and linkage, as the strand of A/T and C/G sites. Throws InputError if a file cannot be read
// or two of the study's contigs are one of the panel's.
StudyCheck CheckStudy(const StudyCheckOptions& options);

// The verdict on a study: can it be imputed?
enum class CheckVerdict { kReady, kReadyWhenFixed, kDoNotImpute, kNotCompared };

struct CheckConclusion {
  CheckVerdict verdict = CheckVerdict::kReady;
  std::string text;  // the verdict and its reason, one line
};

// `min_ratio` is the smallest fraction of the study's sites within the panel that must match it, and of the panel that
// they must span, as in impute.
CheckConclusion ConcludeCheck(const StudyCheck& check, double min_ratio);

}  // namespace haplospin
