// The regions between which ploidy changes within a contig, and the genome build that decides them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/contig_table.h"
#include "genotypes/genomics/sites/region.h"

namespace haplospin {

// "GRCh37" or "GRCh38" where most of the declared contig lengths (bp; 0: unknown) are those of its chromosomes, else
// "".
std::string DeclaredBuild(const ContigTable& contigs);

// A part of a contig in which the ploidy of every sample is constant.
struct ContigPart {
  int64_t begin = 0, end = INT64_MAX;  // bp, both included
  bool is_pseudo_autosomal = false;    // everybody has two alleles
  bool males_are_haploid = false;      // true on X outside the pseudo-autosomal regions, and on Y
  bool females_lack_it = false;        // true on Y outside the pseudo-autosomal regions
  bool males_lack_it = false;          // true on W, which females have beside Z
  bool is_autosomal = true;            // false on all sex chromosomes and the mitochondrion

  // Returns whether a sex lacks it, and the other has one haplotype.
  bool IsLacking() const { return females_lack_it || males_lack_it; }

  bool IsWhole() const { return begin == 0 && end == INT64_MAX; }
};

class PloidyRegions {
 public:
  // Regions that divide no contig. 23 and 24 are X and Y, as PLINK names them, unless one of the functions below says
  // that they are autosomes.
  PloidyRegions() = default;

  // A contig is divided at the ends of its pseudo-autosomal regions. Throws InputError if two overlap.
  explicit PloidyRegions(std::vector<Region> pseudo_autosomal);

  // Returns the regions of the human genome: "GRCh37", "GRCh38" or "T2T-CHM13"; the names of UCSC (hg19, hg38, hs1) and
  // PLINK (b37, b38) mean the same. No contig is divided if the name is none of these.
  static PloidyRegions ForBuild(std::string_view build);

  // Takes 23 and 24 as autosomes, not as X and Y, where the panel has contigs of these names: `names` are its contigs.
  // They stay X and Y if there are pseudo-autosomal regions but no contig X or Y that these could belong to.
  void KeepAutosomesOfPanel(std::span<const std::string> names);

  // Does the same without a panel, where the study has X or Y beside them.
  void KeepAutosomesOfStudy(std::span<const std::string> names);

  // Takes 23 and 24 as autosomes where other contigs are not those of a human: numbers beyond PLINK's 26 (the
  // mitochondrion), or 25 and 26 of another length than the pseudo-autosomal regions and the mitochondrion have. Each
  // contig is with its length or its last position, bp (0: unknown). Does nothing where there are pseudo-autosomal
  // regions.
  void KeepAutosomesUnlessHuman(const ContigTable& contigs);

  // Takes X as the tenth chromosome where contigs are numbered in Roman numerals, so that IX and XI are among them.
  void KeepRomanTen(const ContigTable& contigs);

  // Takes 23 and 24 as autosomes.
  void KeepAllAutosomes() { autosomes_ = {"23", "24"}; }

  // The genome has this many pairs of autosomes (0: unknown). The next two numbers are X and Y, as PLINK has it.
  void SetAutosomes(size_t pairs) { num_autosomes_ = pairs; }
  size_t num_autosomes() const { return num_autosomes_; }

  bool empty() const { return regions_.empty(); }

  // Returns whether nothing was said of pseudo-autosomal regions, 23 and 24: the genome build decides.
  bool IsByBuild() const { return regions_.empty() && autosomes_.empty(); }

  // Returns whether males, females or both have one haplotype of the contig: X, Y, Z, W, the mitochondrion, and the
  // contigs of pseudo-autosomal regions, by any name of theirs that means these among the contigs of the genome.
  bool IsSexOrMitochondrial(std::string_view contig) const;

  // Returns the part of the contig that contains `position`.
  ContigPart PartAt(std::string_view contig, int64_t position) const;

 private:
  void KeepAutosomes(std::span<const std::string> names);
  std::string_view CanonicalName(std::string_view contig) const;

  std::vector<Region> regions_;         // pseudo-autosomal, those of a contig ascending
  std::vector<std::string> autosomes_;  // "23" and "24" where they are autosomes
  bool has_roman_ten_ = false;          // X is an autosome
  size_t num_autosomes_ = 0;
};

// "X", or "X:1-2699520" where the part is not the whole contig.
std::string NameOfPart(const std::string& contig, const ContigPart& part);

}  // namespace haplospin
