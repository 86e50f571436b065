#include "variant_io/writing/variant_header.h"

#include <fmt/format.h>

#include <algorithm>

namespace haplospin {

void VariantHeader::AddContig(const std::string& name, int64_t length) {
  const auto is_same = [&](const auto& declared) { return declared.first == name; };
  if (std::ranges::none_of(contigs, is_same)) contigs.emplace_back(name, length);
}

std::string VariantHeader::Text(std::string_view fields, const std::vector<std::string>& samples) const {
  std::string text = "##fileformat=VCFv4.2\n##FILTER=<ID=PASS,Description=\"All filters passed\">\n";
  for (const std::string& line : lines) text += line + '\n';
  for (const auto& [name, length] : contigs) {
    text += length > 0 ? fmt::format("##contig=<ID={},length={}>\n", name, length)
                       : fmt::format("##contig=<ID={}>\n", name);
  }
  text += fields;
  text += "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
  for (const std::string& name : samples) text += '\t' + name;
  return text + '\n';
}

}  // namespace haplospin
