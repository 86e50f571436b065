// Lists of sites, by their positions, or also by the IDs of markers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "haplospin/marker.h"

namespace haplospin {

class SiteList {
 public:
  struct Contig {
    std::string name;
    std::vector<int64_t> positions;  // bp
  };

  // Positions may come in any order and more than once.
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

  std::vector<Contig> contigs_;  // positions ascending, without repeats
};

class MarkerList {
 public:
  MarkerList(SiteList sites, std::unordered_set<std::string> ids) : sites_(std::move(sites)), ids_(std::move(ids)) {}

  // Finds a marker by its ID or its position.
  bool Contains(const std::string& contig, const Marker& marker) const {
    return ids_.contains(marker.id) || sites_.Contains(contig, marker.position);
  }

 private:
  SiteList sites_;
  std::unordered_set<std::string> ids_;
};

}  // namespace haplospin
