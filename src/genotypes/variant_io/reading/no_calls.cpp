#include "genotypes/variant_io/reading/no_calls.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/vcf_columns.h"

namespace haplospin {
namespace {

bool IsOfRef(const GenotypeCalls& calls, size_t sample) {
  const int16_t first = calls.alleles[2 * sample], second = calls.alleles[2 * sample + 1];
  return first == 0 && (second == 0 || second == kAbsentCall);
}

void SetMissing(size_t sample, GenotypeCalls& calls) {
  calls.alleles[2 * sample] = kMissingCall;
  if (calls.alleles[2 * sample + 1] != kAbsentCall) calls.alleles[2 * sample + 1] = kMissingCall;
}

// One likelihood alone is that of a site without ALT, where 0 tells nothing either way.
bool IsFlat(std::string_view likelihoods) {
  return likelihoods.starts_with("0,") && likelihoods.find_first_not_of("0,") == std::string_view::npos;
}

bool IsFlat(std::span<const int32_t> likelihoods) {
  return likelihoods.size() > 1 && std::ranges::all_of(likelihoods, [](int32_t phred) { return phred == 0; });
}

// Marks the samples whose integers `is_none` is true of.
template <typename IsNone>
void Mark(const bcf_fmt_t* format, const IsNone& is_none, std::vector<bool>& marked) {
  if (format == nullptr) return;
  ForEachIntegers(*format, marked.size(), [&](size_t s, std::span<const int32_t> values) {
    if (is_none(values)) marked[s] = true;
  });
}

}  // namespace

size_t RemoveNoCalls(std::string_view format, std::string_view columns, GenotypeCalls& calls) {
  if (format == "GT") return 0;
  const auto depth = IndexIn(format, "DP", ':'), likelihoods = IndexIn(format, "PL", ':');
  if ((!depth && !likelihoods) || IndexIn(format, "DS", ':') || IndexIn(format, "GP", ':')) return 0;
  size_t count = 0;
  for (size_t s = 0; s < calls.alleles.size() / 2; ++s) {
    const std::string_view fields = PopItem(columns, '\t');
    if (!IsOfRef(calls, s)) continue;
    const bool is_none =
        (depth && ItemAt(fields, *depth, ':') == "0") || (likelihoods && IsFlat(ItemAt(fields, *likelihoods, ':')));
    if (!is_none) continue;
    SetMissing(s, calls);
    ++count;
  }
  return count;
}

size_t RemoveNoCalls(const bcf_hdr_t* header, bcf1_t& record, GenotypeCalls& calls) {
  const bcf_fmt_t *depth = FindFormat(header, record, "DP"), *likelihoods = FindFormat(header, record, "PL");
  if (depth == nullptr && likelihoods == nullptr) return 0;
  if (FindFormat(header, record, "DS") != nullptr || FindFormat(header, record, "GP") != nullptr) return 0;
  std::vector<bool> is_none(calls.alleles.size() / 2);
  Mark(
      depth, [](std::span<const int32_t> values) { return values.size() == 1 && values[0] == 0; }, is_none);
  Mark(
      likelihoods, [](std::span<const int32_t> values) { return IsFlat(values); }, is_none);
  size_t count = 0;
  for (size_t s = 0; s < is_none.size(); ++s) {
    if (!is_none[s] || !IsOfRef(calls, s)) continue;
    SetMissing(s, calls);
    ++count;
  }
  return count;
}

}  // namespace haplospin
