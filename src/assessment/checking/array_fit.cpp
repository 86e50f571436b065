#include "assessment/checking/array_fit.h"

#include "variant_io/site_list_file.h"

namespace haplospin {
namespace {

// The minimum fraction of the study's sites that are on the array, and of the array's sites that are in the study.
constexpr double kMinShare = 0.8;

}  // namespace

ArrayFits::ArrayFits(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    lists_.push_back(LoadSiteList(path));
    fits_.push_back({.path = path, .sites = lists_.back().size()});
  }
}

void ArrayFits::AddSites(const std::string& contig, std::span<const Marker> markers) {
  for (size_t a = 0; a < lists_.size(); ++a) {
    for (size_t m = 0; m < markers.size(); ++m) {
      const bool is_repeated = m > 0 && markers[m].position == markers[m - 1].position;
      fits_[a].shared += !is_repeated && lists_[a].Contains(contig, markers[m].position);
    }
  }
}

void ArrayFits::FinishContig(const std::string& contig, int64_t first, int64_t last) {
  for (size_t a = 0; a < lists_.size(); ++a) fits_[a].sites_there += lists_[a].CountBetween(contig, first, last);
}

int ArrayFits::Identify(size_t study_sites) const {
  int identified = -1;
  double best = 0;
  for (size_t a = 0; a < fits_.size(); ++a) {
    const auto shared = static_cast<double>(fits_[a].shared);
    const auto there = static_cast<double>(fits_[a].sites_there);
    const auto sites = static_cast<double>(study_sites);
    if (shared < kMinShare * sites || shared < kMinShare * there) continue;
    const double overlap = shared / (sites + there - shared);
    if (overlap <= best) continue;
    best = overlap;
    identified = static_cast<int>(a);
  }
  return identified;
}

}  // namespace haplospin
