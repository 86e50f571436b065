#include "genotypes/variant_io/reading/failed_calls.h"

#include "genotypes/variant_io/vcf_columns.h"

namespace haplospin {
namespace {

void Count(size_t sample, std::string_view filter, const GenotypeCalls& calls, FailedCalls& failed) {
  if (filter.empty() || filter == "." || filter == "PASS") return;
  if (calls.alleles[2 * sample] < 0 && calls.alleles[2 * sample + 1] < 0) return;
  if (failed.genotypes++ == 0) failed.first = filter;
}

}  // namespace

FailedCalls CountFailedCalls(std::string_view format, std::string_view columns, const GenotypeCalls& calls) {
  FailedCalls failed;
  if (format == "GT") return failed;
  const auto field = IndexIn(format, "FT", ':');
  for (size_t s = 0; field && s < calls.alleles.size() / 2; ++s) {
    Count(s, ItemAt(PopItem(columns, '\t'), *field, ':'), calls, failed);
  }
  return failed;
}

FailedCalls CountFailedCalls(const bcf_hdr_t* header, bcf1_t& record, const GenotypeCalls& calls) {
  FailedCalls failed;
  const bcf_fmt_t* field = FindFormat(header, record, "FT");
  if (field == nullptr || field->type != BCF_BT_CHAR) return failed;
  for (size_t s = 0; s < calls.alleles.size() / 2; ++s) {
    const std::string_view text(reinterpret_cast<const char*>(field->p) + s * static_cast<size_t>(field->size),
                                static_cast<size_t>(field->n));
    Count(s, text.substr(0, text.find('\0')), calls, failed);
  }
  return failed;
}

}  // namespace haplospin
