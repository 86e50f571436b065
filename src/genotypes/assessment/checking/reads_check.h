// The check of aligned reads before imputation: what they show at the sites of a panel, and how many are on X and Y.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "genotypes/assessment/checking/study_check.h"
#include "genotypes/genomics/sites/ploidy_regions.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/alignments/alignment_study.h"
#include "genotypes/variant_io/alignments/damage_model.h"
#include "genotypes/variant_io/alignments/sample_pileup.h"

namespace haplospin {

// The sex that X and Y show; nothing certain where both contradict each other.
enum class ReadsSex { kUnknown, kFemale, kMale, kUnclear };

struct PersonReads {
  std::string name;
  size_t files = 0;
  ReadCounts counts;  // at the sites
  SubstitutionCounts substitutions;
  ErrorModel errors;             // that the substitutions show
  std::optional<double> mapped;  // share of all reads; nothing unless the files are BAM, whose indices tell it
  // Depth outside the pseudo-autosomal regions relative to that of the longest autosome with reads. Nothing where there
  // is no such contig, or too few reads.
  std::optional<double> x, y;

  ReadsSex Sex() const;
};

struct ReadsCheck {
  std::string study_path, panel_path;
  ReadFilter filter;
  std::vector<std::string> contigs;  // with reads and sites, as the files call them
  std::string no_contig;             // why there is none
  size_t sites = 0;                  // of which reads tell
  std::vector<PersonReads> people;
  size_t nobodys_reads = 0;        // of files of several people, without a read group of one
  std::vector<std::string> males;  // names of the males of --sex, empty if it was not given

  double Depth(const PersonReads& person) const;  // mean of the sites
  double MeanDepth() const;                       // of all people
  ReadCounts All() const;
  bool IsOfAnotherSex(const PersonReads& person) const;  // than `males` say
};

struct ReadsCheckOptions {
  std::string study;                             // stands for the files in messages
  std::shared_ptr<const AlignmentStudy> people;  // required
  std::string panel;                             // whose sites are looked at
  std::string contig;                            // the only contig to look at, by any of its names; empty: all
  std::optional<Region> region;                  // the only region to look at, of the contig
  std::optional<PloidyRegions> regions;          // empty: by the build that the files declare
  std::vector<std::string> males;
};

// Reads all reads at the sites, and samples X, Y and an autosome. Throws InputError if a file is damaged, or `contig`
// is not in the panel or has no reads.
ReadsCheck CheckReads(const ReadsCheckOptions& options);

// The study should not be imputed if no site has reads, or if so many have other bases than REF and ALT that they must
// be of another genome build.
CheckConclusion ConcludeReadsCheck(const ReadsCheck& check);

}  // namespace haplospin
