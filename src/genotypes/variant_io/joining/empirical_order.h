// Whether the files of --empirical are those of the imputed files in whose place they are given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "genotypes/variant_io/joining/contig_weights.h"
#include "haplospin/marker.h"

namespace haplospin {

// An imputed file has ER2 at its typed markers, which follows from the leave-one-out probabilities of its own panel:
// those of another panel give other numbers, and lack markers.
class EmpiricalOrder {
 public:
  explicit EmpiricalOrder(size_t num_files);

  // Takes the typed sites that a file of --empirical has on a contig.
  void AddSites(size_t empirical, std::span<const TypedSite> sites);

  // Compares a typed marker of an imputed file, whose ER2 it may lack, with all that was taken.
  void AddTyped(size_t imputed, const Marker& marker, std::optional<float> er2);

  // Forgets the sites, after a contig.
  void EndContig() { sites_.assign(sites_.size(), {}); }

  // Returns the file of --empirical that is of the imputed file, if it is clearly another one than that in its place.
  std::optional<size_t> FindOther(size_t imputed) const;

 private:
  using Key = std::tuple<int64_t, std::string, std::string>;  // position, and the two alleles in their order as letters

  static Key KeyOf(const Marker& marker);

  std::vector<std::map<Key, std::optional<double>>> sites_;  // [empirical] ER2, where it is defined
  std::vector<std::vector<double>> differences_;             // [imputed][empirical] sums over the typed markers
  std::vector<size_t> num_typed_;                            // [imputed]
};

}  // namespace haplospin
