// Markers that are named one by one, such as those to exclude.
#pragma once

#include <string>
#include <unordered_set>
#include <utility>

#include "genomics/sites/site_list.h"
#include "haplospin/marker.h"

namespace haplospin {

class MarkerList {
 public:
  MarkerList(SiteList sites, std::unordered_set<std::string> ids) : sites_(std::move(sites)), ids_(std::move(ids)) {}

  // By its ID or its position.
  bool Contains(const std::string& contig, const Marker& marker) const {
    return ids_.contains(marker.id) || sites_.Contains(contig, marker.position);
  }

 private:
  SiteList sites_;
  std::unordered_set<std::string> ids_;
};

}  // namespace haplospin
