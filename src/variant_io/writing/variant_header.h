// The header of a variant file to be written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace haplospin {

struct VariantHeader {
  std::vector<std::pair<std::string, int64_t>> contigs;  // name, length (bp, 0: unknown)
  std::vector<std::string> lines;                        // further "##key=value" lines: version, command, model hash

  // Does nothing if the contig is declared.
  void AddContig(const std::string& name, int64_t length);

  // VCF text up to and including the #CHROM line. `fields` are the lines that declare INFO and FORMAT.
  std::string Text(std::string_view fields, const std::vector<std::string>& samples) const;
};

}  // namespace haplospin
