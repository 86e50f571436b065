// The genotypes of one person beside the sites of a panel: which alleles letters and codes are.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/region.h"
#include "genotypes/genomics/sites/strand.h"
#include "genotypes/variant_io/personal_file.h"
#include "genotypes/variant_io/reading/genotype_calls.h"
#include "haplospin/marker.h"

namespace haplospin {

// An SNV, or several at a position, or an indel of the panel.
struct PanelSite {
  Marker marker;                  // the first ALT
  std::vector<std::string> alts;  // SNVs: all ALTs of the position
  bool is_indel = false;
  Span codes = {};                     // of an indel: one position, or two where its codes may be
  std::array<bool, 2> is_shared = {};  // those where codes may also be of another indel
};

// The sites of these markers, of which one at most is of SNVs at each position.
std::vector<PanelSite> SitesOf(std::span<const Marker> markers);

// The genotypes of a person on a contig, found fast where each position is near the one before.
class CallCursor {
 public:
  CallCursor() = default;
  explicit CallCursor(std::span<const PersonalCall> calls) : calls_(calls) {}

  // Returns the genotype of letters, or of codes, at a position; null if there is none.
  const PersonalCall* Find(int64_t position, bool is_coded);

  size_t CountBetween(int64_t first, int64_t last) const;

 private:
  std::span<const PersonalCall> calls_;
  size_t next_ = 0;  // the first one from the position that was asked for last
};

// What became of the genotypes of a person between the first and the last site of the panel.
struct CallCounts {
  size_t within = 0;
  size_t same = 0, other_strand = 0;  // letters that are the panel's alleles on one strand only
  size_t ambiguous = 0;               // on both
  size_t other_alleles = 0;
  size_t no_strand = 0;  // of the ambiguous ones, those that are left out
  size_t indels = 0, undecided_indels = 0;

  size_t AtSnvs() const { return same + other_strand + ambiguous + other_alleles; }
  size_t NotInPanel() const { return within - std::min(within, AtSnvs() + indels + undecided_indels); }

  CallCounts& operator+=(const CallCounts& other);

  // The strand of the ambiguous ones: that of the others, or the forward strand where there are few, as all services
  // have it.
  Strand FindStrand() const;

  // Returns whether the positions are those of another genome build than the panel's: few are in it, or many alleles
  // are others. `density` is the share of all positions that the panel has.
  bool AreOfAnotherBuild(double density) const;
};

using Genotype = std::array<int16_t, 2>;
inline constexpr Genotype kNoGenotype{kMissingCall, kMissingCall};

// The genotypes of a person at the sites of a panel, in their order.
class PersonalMatcher {
 public:
  // `strand` is that of letters which are the panel's alleles on both.
  PersonalMatcher(const PersonalFile& person, Strand strand) : person_(&person), strand_(strand) {}

  void StartContig(const std::string& contig);

  // Returns the genotype at a site, and counts it.
  Genotype Match(const PanelSite& site);

  // Counts the genotypes at these positions, bp.
  void Cover(int64_t first, int64_t last) { counts_.within += calls_.CountBetween(first, last); }

  const CallCounts& counts() const { return counts_; }

 private:
  const PersonalFile* person_;
  Strand strand_;
  CallCursor calls_;
  bool is_haploid_ = false;
  const PersonalCall* last_undecided_ = nullptr;
  CallCounts counts_;
};

}  // namespace haplospin
