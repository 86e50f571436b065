// Examines a study before imputation, by itself or beside a reference panel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assessment/checking/array_fit.h"
#include "assessment/checking/frequency_comparison.h"
#include "assessment/checking/site_quality.h"
#include "genomics/sites/ploidy_regions.h"
#include "genomics/sites/region.h"

namespace haplospin {

// How a study site matches the panel.
enum class SiteFit : uint8_t {
  kSame,               // position and alleles
  kSwapped,            // REF and ALT exchanged
  kFlipped,            // the panel's alleles read from the other strand
  kFlippedAndSwapped,  // both
  kUndecided,          // A/T or C/G, and the strand cannot be determined
  kDuplicate,          // repeats an earlier study site, or is the same panel site
  kOtherAlleles,       // the position alone
  kNoAlt,              // the position alone, and the study has no ALT
  kNotInPanel,
};
inline constexpr size_t kNumSiteFits = 9;

struct ContigCheck {
  std::string name;
  std::string panel_name;    // empty: not in the panel
  size_t sites = 0;          // of the study
  size_t within_panel = 0;   // of these, from the panel's first to its last marker
  Span span;                 // from its first to its last site
  size_t panel_sites = 0;    // positions of the panel there
  size_t same_position = 0;  // study sites at those
  Span matching;             // from the first to the last site that is the panel's, perhaps swapped or flipped; 0: none
  Span panel;                // from the panel's first to its last marker; 0 where the panel has none

  bool HasMatching() const { return matching.last > 0; }
  double SpanShare() const { return CoveredShare(panel, matching); }  // of the panel, the part that these span
};

struct SampleCheck {
  std::string name;
  size_t alleles = 0;
  size_t missing = 0;       // of them
  bool is_haploid = false;  // on some contig
  bool is_diploid = false;  // on some contig

  double MissingShare() const { return alleles == 0 ? 0 : static_cast<double>(missing) / static_cast<double>(alleles); }
};

// How the study's haplotypes copy the panel, relative to how its own haplotypes do.
struct PanelFit {
  double switches = 0, mismatches = 0;        // ratios
  double unmatched = 0, panel_unmatched = 0;  // fractions of the typed markers where they match no haplotype
  bool is_of_another_population = false;
  std::string text;  // "1.0 times the switches and 1.1 times the mismatches of the panel's"
};

struct StudyCheck {
  std::string panel_path, study_path;  // panel_path is empty if there is no panel: all that is of a panel is empty
  std::string contig;                  // the only one of the study that was read; empty: all were
  PloidyRegions regions;               // as the study was read, and
  std::vector<std::string> males;      // further ones than those of a PLINK file
  size_t panel_samples = 0;
  std::vector<ContigCheck> contigs;        // of the study, in its order
  std::vector<std::string> panel_contigs;  // those known to have records (all of them if the panel is indexed)
  std::string panel_build, study_build;    // by contig lengths: "GRCh37", "GRCh38" or empty
  size_t sites = 0;                        // of the study
  std::array<size_t, kNumSiteFits> fits{};
  std::array<std::vector<std::string>, kNumSiteFits> examples;  // 5 at most: "20:100 A>C, panel has C>A"
  size_t without_alt_matched = 0;         // of kNoAlt, those whose only allele is one of the panel's: impute uses them
  std::vector<size_t> undecided_swapped;  // of kUndecided, indices of those whose letters are exchanged

  // A/T and C/G sites at a panel site of the same two letters.
  size_t ambiguous = 0, ambiguous_same_strand = 0, ambiguous_other_strand = 0;
  bool is_unphased = false;       // some heterozygous genotype is
  size_t male_heterozygotes = 0;  // genotypes on X outside the pseudo-autosomal regions, and on Y
  SiteQuality quality;
  std::vector<SampleCheck> samples;
  FrequencyComparison frequencies;
  std::optional<PanelFit> panel_fit;  // nothing: it was not measured, or there are too few sites
  std::vector<ArrayFit> arrays;
  int identified_array = -1;       // index into arrays; -1: none fits
  std::vector<SiteFit> site_fits;  // of each study site, in the order of the file

  bool HasPanel() const { return !panel_path.empty(); }
  size_t Count(SiteFit fit) const { return fits[static_cast<size_t>(fit)]; }
  size_t SamePosition() const { return sites - Count(SiteFit::kNotInPanel); }
  size_t WithinPanel() const;  // sites from the panel's first to its last marker, on any contig
  size_t Misfits() const {     // that are the panel's when they are swapped or flipped
    return Count(SiteFit::kSwapped) + Count(SiteFit::kFlipped) + Count(SiteFit::kFlippedAndSwapped);
  }

  // Whether so few sites are at panel positions that the two are probably of different genome builds.
  bool PositionsDisagree() const;

  bool IsOfAnotherPopulation() const { return panel_fit && panel_fit->is_of_another_population; }
};

struct StudyCheckOptions {
  std::string panel;                     // a file that can be read twice; empty: without a panel
  std::string study;                     // "-" is standard input
  std::string contig;                    // the only one of the study to read, by any of its names; empty: all
  std::vector<std::string> arrays;       // files for LoadSiteList()
  std::optional<PloidyRegions> regions;  // nothing: by the build that panel or study declares
  std::vector<std::string> males;        // further ones than those of a PLINK file
};

// Reads the study once and, of the panel if there is one, what lies between its first and last site of each contig. A
// site with several ALTs counts as one site per ALT. Throws InputError if a file cannot be read or two of the study's
// contigs are one of the panel's.
StudyCheck CheckStudy(const StudyCheckOptions& options);

}  // namespace haplospin
