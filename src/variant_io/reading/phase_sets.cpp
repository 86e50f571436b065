#include "variant_io/reading/phase_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/parse_number.h"
#include "haplospin/errors.h"
#include "variant_io/vcf_columns.h"

namespace haplospin {
namespace {

bool IsPhasedHeterozygote(const GenotypeCalls& calls, size_t sample) {
  const int16_t first = calls.alleles[2 * sample], second = calls.alleles[2 * sample + 1];
  return first >= 0 && second >= 0 && first != second && (calls.unphased.empty() || calls.unphased[sample] == 0);
}

[[noreturn]] void FailPhaseSet(const std::string& sample, std::string_view value) {
  throw InputError(
      fmt::format("sample {} has the phase set (PS) \"{}\"; expected a whole number from 0, or remove the field "
                  "(bcftools annotate -x FORMAT/PS)",
                  sample, value));
}

void SetPhaseSet(GenotypeCalls& calls, size_t sample, int32_t set) {
  if (calls.phase_sets.empty()) calls.phase_sets.assign(calls.alleles.size() / 2, 0);
  calls.phase_sets[sample] = static_cast<uint32_t>(set) + 1;
}

void SetFromText(GenotypeCalls& calls, const std::string& name, size_t sample, std::string_view text) {
  if (text.empty() || text == ".") return;
  const auto set = ParseNumber<int32_t>(text);
  if (!set || *set < 0) FailPhaseSet(name, text);
  SetPhaseSet(calls, sample, *set);
}

template <typename Integer>
void DecodeIntegers(const bcf_fmt_t& ps, Integer missing, Integer end, const std::vector<std::string>& samples,
                    GenotypeCalls& calls) {
  std::vector<Integer> values(static_cast<size_t>(ps.n));
  for (size_t s = 0; s < samples.size(); ++s) {
    if (!IsPhasedHeterozygote(calls, s)) continue;
    std::memcpy(values.data(), ps.p + s * static_cast<size_t>(ps.size), values.size() * sizeof(Integer));
    const auto count = std::ranges::find(values, end) - values.begin();
    if (count == 0 || (count == 1 && values[0] == missing)) continue;
    if (count > 1 || values[0] < 0) FailPhaseSet(samples[s], fmt::format("{}", fmt::join(values, ",")));
    SetPhaseSet(calls, s, values[0]);
  }
}

// Decodes PS where the header declares it as text.
void DecodeText(const bcf_fmt_t& ps, const std::vector<std::string>& samples, GenotypeCalls& calls) {
  for (size_t s = 0; s < samples.size(); ++s) {
    if (!IsPhasedHeterozygote(calls, s)) continue;
    const char* text = reinterpret_cast<const char*>(ps.p) + s * static_cast<size_t>(ps.size);
    SetFromText(calls, samples[s], s, {text, strnlen(text, static_cast<size_t>(ps.size))});
  }
}

}  // namespace

void ParsePhaseSets(std::string_view columns, size_t ps_field, const std::vector<std::string>& samples,
                    GenotypeCalls& calls) {
  for (size_t s = 0; s < samples.size(); ++s) {
    std::string_view fields = PopItem(columns, '\t');
    if (!IsPhasedHeterozygote(calls, s)) continue;
    for (size_t unused = 0; unused < ps_field; ++unused) PopItem(fields, ':');
    SetFromText(calls, samples[s], s, PopItem(fields, ':'));
  }
}

void DecodePhaseSets(const bcf_fmt_t& ps, const std::vector<std::string>& samples, GenotypeCalls& calls) {
  switch (ps.type) {
    case BCF_BT_INT8:
      return DecodeIntegers<int8_t>(ps, bcf_int8_missing, bcf_int8_vector_end, samples, calls);
    case BCF_BT_INT16:
      return DecodeIntegers<int16_t>(ps, bcf_int16_missing, bcf_int16_vector_end, samples, calls);
    case BCF_BT_INT32:
      return DecodeIntegers<int32_t>(ps, bcf_int32_missing, bcf_int32_vector_end, samples, calls);
    case BCF_BT_CHAR:
      return DecodeText(ps, samples, calls);
    default:
      throw InputError("the phase sets (PS) are not whole numbers; remove them (bcftools annotate -x FORMAT/PS)");
  }
}

}  // namespace haplospin
