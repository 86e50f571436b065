#include "genotypes/variant_io/reading/read_alleles.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <iterator>

#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"

namespace haplospin {

void AppendReadAlleles(std::span<const ReadAllele> alleles, std::string& text) {
  if (alleles.empty()) text += '.';
  const char* separator = "";
  for (const ReadAllele& allele : alleles) {
    fmt::format_to(std::back_inserter(text), "{}{:x}", separator, std::bit_cast<uint64_t>(allele));
    separator = ",";
  }
}

ReadAlleleRow ParseReadAlleles(std::string_view columns, size_t field_index) {
  constexpr int kHexadecimal = 16;
  ReadAlleleRow row;
  row.first.push_back(0);
  while (!columns.empty()) {
    std::string_view fields = PopItem(columns, '\t');
    for (size_t unused = 0; unused < field_index; ++unused) PopItem(fields, ':');
    std::string_view list = PopItem(fields, ':');
    if (list == ".") list = {};
    while (!list.empty()) {
      const std::string_view text = PopItem(list, ',');
      uint64_t number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, kHexadecimal);
      HS_ASSERT(error == std::errc() && end == text.data() + text.size());
      row.alleles.push_back(std::bit_cast<ReadAllele>(number));
    }
    row.first.push_back(static_cast<uint32_t>(row.alleles.size()));
  }
  return row;
}

}  // namespace haplospin
