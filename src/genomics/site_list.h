// Positions of an array's markers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace haplospin {

class SiteList {
 public:
  // Reads lines of a contig and a position in bp, further columns ignored, as are lines that begin with "#"; gzipped or
  // not. Throws InputError if a line is not that, or there is none.
  explicit SiteList(const std::string& path);

  // "chr20" and "20" are the same contig.
  bool Contains(const std::string& contig, int64_t position) const;

  // How many lie from `first` to `last`, both included.
  size_t CountBetween(const std::string& contig, int64_t first, int64_t last) const;

  size_t size() const;
  std::vector<std::string> contigs() const;

 private:
  struct Contig {
    std::string name;
    std::vector<int64_t> positions;  // ascending, without repeats
  };
  std::vector<Contig> contigs_;
};

}  // namespace haplospin
