// Lists of sites, by their positions, or also by the IDs of markers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/region.h"
#include "haplospin/marker.h"

namespace haplospin {

class SiteList {
 public:
  struct Contig {
    std::string name;
    std::vector<int64_t> positions;  // bp
    std::vector<Span> spans = {};    // every position of which is a site
  };

  // Positions and spans may come in any order and more than once.
  explicit SiteList(std::vector<Contig> contigs);

  // "chr20" and "20" are the same contig; the own name goes before another, as in FindContig().
  bool Contains(const std::string& contig, int64_t position) const;

  // The number of sites from `first` to `last`, both included.
  size_t CountBetween(const std::string& contig, int64_t first, int64_t last) const;

  size_t size() const;
  std::vector<std::string> contigs() const;

 private:
  template <typename Function>
  void ForEachMeant(const std::string& contig, Function function) const;

  std::vector<Contig> contigs_;  // positions and spans ascending, without repeats or overlaps
};

// Markers by their IDs or positions, each of which may have been found.
class MarkerList {
 public:
  // A line of the list: an ID, a position or several, or CONTIG:POSITION, which may be an ID or a position.
  struct Entry {
    std::string text;  // the line of the list
    std::string id = {};
    std::string contig = {};
    Span span = {};  // bp
  };

  explicit MarkerList(std::vector<Entry> entries);

  // Finds a marker by its ID, by one of several (rs1;rs2), or by its position.
  bool Find(const std::string& contig, const Marker& marker);

  const std::vector<Entry>& entries() const { return entries_; }

  // The entries that no marker was found for, in their order.
  std::vector<std::string> NotFound() const;

 private:
  std::vector<Entry> entries_;
  std::unordered_multimap<std::string, size_t> by_id_;  // entries
  std::multimap<int64_t, size_t> by_last_;              // the same, by the ends of their spans
  SiteList sites_;
  std::vector<bool> is_found_;  // [entries]
};

}  // namespace haplospin
