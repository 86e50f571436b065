// Finds the array that a study was typed on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "genomics/sites/site_list.h"
#include "haplospin/marker.h"

namespace haplospin {

struct ArrayFit {
  std::string path;
  size_t sites = 0;        // number of sites of the array
  size_t sites_there = 0;  // sites of the array between the first and last study site of a contig
  size_t shared = 0;       // sites of the array that are in the study
};

// Counts the sites that lists of arrays' sites share with a study.
class ArrayFits {
 public:
  // `paths` are files for LoadSiteList().
  explicit ArrayFits(const std::vector<std::string>& paths);

  // Sorted by position; markers of one position count once.
  void AddSites(const std::string& contig, std::span<const Marker> markers);

  // `first` and `last` are the positions of the first and the last study site of the contig.
  void FinishContig(const std::string& contig, int64_t first, int64_t last);

  const std::vector<ArrayFit>& fits() const { return fits_; }

  // The index of the array with the largest overlap with the study, if most of the sites of both are shared; else -1.
  int Identify(size_t study_sites) const;

 private:
  std::vector<SiteList> lists_;
  std::vector<ArrayFit> fits_;  // [lists]
};

}  // namespace haplospin
