// The sites that an output is to have, such as those of a polygenic score, and what it has of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/region.h"
#include "haplospin/marker.h"

namespace haplospin {

struct WantedSite {
  std::string id = ".";
  std::string contig = {};  // empty: a marker of this ID is wanted, wherever it is
  Span span = {};           // bp; every marker in it is wanted
  // The allele that has the weight of a score, or ALT, and the other one; empty: any.
  std::string allele = {}, other = {};
  std::string info = {};              // END or SVLEN of a symbolic allele
  std::optional<double> weight = {};  // of a score

  // Whether the allele is symbolic, and nothing tells its length: every record with it is the site.
  bool IsOfAnyLength() const;
};

// A record of the output that is a wanted site.
struct FoundSite {
  std::string contig;
  Marker marker;
  bool is_imputed = false;
  std::optional<float> panel_frequency = {};  // of ALT
  std::optional<double> r2 = {};              // R2P, or DR2 of enough people, of an imputed marker
};

// Threads may share the object while contigs are imputed.
class WantedSites {
 public:
  WantedSites(std::string path, std::vector<WantedSite> sites);

  const std::string& path() const { return path_; }
  const std::vector<WantedSite>& sites() const { return sites_; }
  bool IsScore() const { return !sites_.empty() && sites_[0].weight.has_value(); }

  // Returns the sites that a marker is, and notes it. Alleles may be in either order, on the same strand.
  std::vector<size_t> See(const std::string& contig, const Marker& marker);

  // Notes that the output has the site.
  void NoteFound(size_t site, FoundSite found);

  // The records that were noted of a site, in their order.
  const std::vector<FoundSite>& Found(size_t site) const { return found_[site]; }

  // Returns whether a site is between the first and the last marker that was seen of its contig.
  bool IsWithin(size_t site) const;

  // Why the output does not have a site, for those who read the table.
  std::string Reason(size_t site) const;

 private:
  enum class Fit { kNone, kOtherStrand, kOtherLength, kSame };

  // The sites of a contig.
  struct Contig {
    std::vector<size_t> by_first;  // ascending by the first position
    int64_t longest = 0;           // last - first of the longest, bp
    std::optional<Span> seen = {};
  };

  // What was at the position of a site that the output does not have.
  struct Near {
    std::string alleles;  // of the first marker
    Fit best = Fit::kNone;
  };

  static Fit Compare(const WantedSite& site, const Marker& marker);

  const std::string path_;
  const std::vector<WantedSite> sites_;
  std::mutex mutex_;
  std::map<std::string, Contig> contigs_;               // by CanonicalContig()
  std::unordered_multimap<std::string, size_t> by_id_;  // sites without a contig
  std::vector<std::vector<FoundSite>> found_;           // [sites]
  std::unordered_map<size_t, Near> near_;               // by site
};

}  // namespace haplospin
