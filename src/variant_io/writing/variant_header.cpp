#include "variant_io/writing/variant_header.h"

#include <fmt/format.h>

#include <unordered_set>

namespace haplospin {

void VariantHeader::AddContigs(std::span<const std::pair<std::string, int64_t>> further) {
  std::unordered_set<std::string> names;
  for (const auto& [name, length] : contigs) names.insert(name);
  for (const auto& contig : further) {
    if (names.insert(contig.first).second) contigs.push_back(contig);
  }
}

std::string VariantHeader::Text(std::string_view fields, const std::vector<std::string>& samples) const {
  std::string text = "##fileformat=VCFv4.2\n##FILTER=<ID=PASS,Description=\"All filters passed\">\n";
  for (const std::string& line : lines) text += line + '\n';
  for (const auto& [name, length] : contigs) {
    text += length > 0 ? fmt::format("##contig=<ID={},length={}>\n", name, length)
                       : fmt::format("##contig=<ID={}>\n", name);
  }
  text += fields;
  text += "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO";
  if (!samples.empty()) text += "\tFORMAT";
  for (const std::string& name : samples) text += '\t' + name;
  return text + '\n';
}

}  // namespace haplospin
