// The header of a variant file to be written.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace haplospin {

struct VariantHeader {
  std::vector<std::pair<std::string, int64_t>> contigs;  // name, length (bp, 0: unknown)
  std::vector<std::string> lines;                        // further "##key=value" lines: version, command, model hash

  // Adds the contigs that are not declared yet.
  void AddContigs(std::span<const std::pair<std::string, int64_t>> further);

  // Returns VCF text up to and including the #CHROM line. `fields` are the lines that declare INFO and FORMAT.
  std::string Text(std::string_view fields, const std::vector<std::string>& samples) const;
};

}  // namespace haplospin
