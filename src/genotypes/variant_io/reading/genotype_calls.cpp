#include "genotypes/variant_io/reading/genotype_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "core/counted.h"
#include "core/parse_number.h"
#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

static_assert(std::endian::native == std::endian::little, "the packed decoders read bytes in little-endian order");

uint64_t Load64(const char* from) {
  uint64_t word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

// Gathers bits 0, 16, 32 and 48 into the lowest four.
uint64_t GatherEveryOtherByte(uint64_t word) {
  constexpr uint64_t kMultiplier = uint64_t{1} << 48 | uint64_t{1} << 33 | uint64_t{1} << 18 | uint64_t{1} << 3;
  return ((word & 0x0001000100010001u) * kMultiplier) >> 48 & 0xF;
}

// Gathers the lowest bit of each byte.
uint64_t GatherBytes(uint64_t word) { return ((word & 0x0101010101010101u) * 0x0102040810204080u) >> 56; }

}  // namespace

bool ParsePhasedBits(std::string_view columns, size_t num_samples, uint64_t* bits) {
  if (columns.size() != 4 * num_samples - 1) return false;  // "0|1\t" each, the last without a tab
  // Two samples at a time: eight characters that differ from this pattern in no bit but the lowest of each allele.
  const uint64_t pattern = Load64("0|0\t0|0\t");
  constexpr uint64_t kAlleleBits = 0x0001000100010001u;
  const char* text = columns.data();
  uint64_t differences = 0;
  size_t sample = 0;
  for (; sample + 32 < num_samples; sample += 32) {
    uint64_t word = 0;
    for (unsigned pair = 0; pair < 16; ++pair, text += 8) {
      const uint64_t difference = Load64(text) ^ pattern;
      differences |= difference;
      word |= GatherEveryOtherByte(difference) << 4 * pair;
    }
    *bits++ = word;
  }
  uint64_t word = 0;
  unsigned shift = 0;
  for (; sample + 2 < num_samples; sample += 2, text += 8, shift += 4) {
    const uint64_t difference = Load64(text) ^ pattern;
    differences |= difference;
    word |= GatherEveryOtherByte(difference) << shift;
  }
  // The last one or two samples end without a tab.
  const size_t rest = 4 * (num_samples - sample) - 1;
  char last[8];
  std::memcpy(last, "0|0\t0|0\t", sizeof(last));
  std::memcpy(last, text, rest);
  const uint64_t difference = Load64(last) ^ pattern;
  differences |= difference;
  word |= GatherEveryOtherByte(difference) << shift;
  *bits = word;
  return (differences & ~kAlleleBits) == 0;
}

bool DecodePhasedBits(const bcf_fmt_t& gt, size_t num_samples, uint64_t* bits) {
  if (gt.type != BCF_BT_INT8 || gt.n != 2) return false;
  // An allele is (index + 1) << 1, plus 1 if phased with the one before: 2 to 5 for the first two alleles.
  const auto valid = [](uint64_t word) {
    const uint64_t allele0 = word >> 1, allele1 = word >> 2;
    return (word & 0xF8F8F8F8F8F8F8F8u) == 0 && ((allele0 ^ allele1) & 0x0101010101010101u) == 0x0101010101010101u &&
           (word & 0x0100010001000100u) == 0x0100010001000100u;
  };
  const auto* bytes = reinterpret_cast<const char*>(gt.p);
  const size_t num_bytes = 2 * num_samples;
  size_t byte = 0;
  uint64_t word = 0;
  for (; byte + 8 <= num_bytes; byte += 8) {
    const uint64_t four_samples = Load64(bytes + byte);
    if (!valid(four_samples)) return false;
    word |= GatherBytes(four_samples >> 2) << byte % 64;
    if (byte % 64 == 56) {
      *bits++ = word;
      word = 0;
    }
  }
  if (byte < num_bytes) {
    uint64_t rest = 0x0302030203020302u;
    std::memcpy(&rest, bytes + byte, num_bytes - byte);
    if (!valid(rest)) return false;
    word |= GatherBytes(rest >> 2) << byte % 64;
  }
  if (num_bytes % 64 != 0) *bits = word;
  return true;
}

const bcf_fmt_t* FindFormat(const bcf_hdr_t* header, bcf1_t& record, const char* name) {
  const int id = bcf_hdr_id2int(header, BCF_DT_ID, name);
  const bcf_fmt_t* format = id < 0 ? nullptr : bcf_get_fmt_id(&record, id);
  return format == nullptr || format->p == nullptr || format->n < 1 ? nullptr : format;
}

namespace {

[[noreturn]] void FailPloidy(const std::string& sample, size_t ploidy) {
  throw InputError(
      fmt::format("sample {} has {} alleles; only haploid and diploid genotypes can be imputed", sample, ploidy));
}

[[noreturn]] void FailAllele(const std::string& sample, long allele, size_t num_alleles) {
  throw InputError(fmt::format("sample {} has allele {}, but the record has {} ALT; correct or remove the record",
                               sample, allele, num_alleles - 1));
}

[[noreturn]] void FailColumns(size_t found, size_t expected) {
  throw InputError(fmt::format("genotypes of {}, but the header has {}; the line is truncated or damaged",
                               Counted(found, "sample"), expected));
}

// Reads one genotype that begins at `at`; leaves `at` at the character after it.
class GenotypeParser {
 public:
  GenotypeParser(const char* at, const char* end) : at_(at), end_(end) {}

  const char* at() const { return at_; }

  void Parse(const std::string& name, size_t num_alleles, size_t sample, GenotypeCalls& calls) {
    if (!ParseShort(num_alleles, &calls.alleles[2 * sample])) ParseAny(name, num_alleles, sample, calls);
  }

 private:
  // The usual genotype: two digits, phased.
  bool ParseShort(size_t num_alleles, int16_t* alleles) {
    if (end_ - at_ < 4 || at_[1] != '|' || (at_[3] != ':' && at_[3] != '\t')) return false;
    const unsigned first = static_cast<unsigned char>(at_[0]) - unsigned{'0'};
    const unsigned second = static_cast<unsigned char>(at_[2]) - unsigned{'0'};
    if (std::max(first, second) >= std::min<size_t>(num_alleles, 10)) return false;
    alleles[0] = static_cast<int16_t>(first);
    alleles[1] = static_cast<int16_t>(second);
    at_ += 3;
    return true;
  }

  void ParseAny(const std::string& name, size_t num_alleles, size_t sample, GenotypeCalls& calls) {
    const char* begin = at_;
    if (at_ != end_ && (*at_ == '|' || *at_ == '/')) ++at_;  // VCF 4.4 allows it before the first allele
    const int16_t first = Allele(name, num_alleles, begin);
    int16_t second = kAbsentCall;
    size_t ploidy = 1;
    bool is_phased = true;
    while (at_ != end_ && (*at_ == '|' || *at_ == '/')) {
      is_phased = *at_++ == '|';
      const int16_t allele = Allele(name, num_alleles, begin);
      if (++ploidy == 2) second = allele;
    }
    if (ploidy > 2) FailPloidy(name, ploidy);
    if (at_ != end_ && *at_ != ':' && *at_ != '\t') Fail(name, begin);
    calls.Set(sample, first, second, is_phased);
  }

  int16_t Allele(const std::string& name, size_t num_alleles, const char* begin) {
    if (at_ == end_) Fail(name, begin);
    if (*at_ == '.') {
      ++at_;
      return kMissingCall;
    }
    if (*at_ < '0' || *at_ > '9') Fail(name, begin);
    long allele = 0;
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_) {
      allele = std::min(allele * 10 + (*at_ - '0'), long{1} << 30);
    }
    if (allele >= static_cast<long>(num_alleles)) FailAllele(name, allele, num_alleles);
    return static_cast<int16_t>(allele);
  }

  [[noreturn]] void Fail(const std::string& name, const char* begin) const {
    const char* end = std::find(begin, std::min(end_, begin + 16), '\t');
    throw InputError(fmt::format("sample {} has the genotype \"{}\"; expected alleles such as 0|1", name,
                                 std::string_view(begin, static_cast<size_t>(end - begin))));
  }

  const char* at_;
  const char* end_;
};

const char* Find(const char* begin, const char* end, char character) {
  const void* found = std::memchr(begin, character, static_cast<size_t>(end - begin));
  return found == nullptr ? end : static_cast<const char*>(found);
}

}  // namespace

void ParseCalls(std::string_view columns, size_t gt_field, const std::vector<std::string>& samples, size_t num_alleles,
                GenotypeCalls& calls) {
  calls.Start(samples.size());
  const char* at = columns.data();
  const char* end = at + columns.size();
  for (size_t sample = 0; sample < samples.size(); ++sample) {
    if (sample != 0 && at == end) FailColumns(sample, samples.size());
    if (sample != 0) ++at;  // the tab
    for (size_t field = 0; field < gt_field; ++field) {
      at = std::find_if(at, end, [](char c) { return c == ':' || c == '\t'; });
      if (at == end || *at == '\t') {
        throw InputError(fmt::format("sample {} has no value for GT; add it, or remove the record", samples[sample]));
      }
      ++at;
    }
    GenotypeParser parser(at, end);
    parser.Parse(samples[sample], num_alleles, sample, calls);
    at = parser.at();
    if (at != end && *at == ':') at = Find(at, end, '\t');
  }
  if (at != end) {
    FailColumns(samples.size() + static_cast<size_t>(std::count(at, end, '\t')), samples.size());
  }
}

void DecodeCalls(const bcf_fmt_t& gt, const std::vector<std::string>& samples, size_t num_alleles,
                 GenotypeCalls& calls) {
  calls.Start(samples.size());
  const auto set = [&](size_t sample, std::span<const int32_t> codes) {
    if (codes.size() > 2) FailPloidy(samples[sample], codes.size());
    std::array<int16_t, 2> alleles{kMissingCall, kAbsentCall};  // a genotype without any value is missing
    for (size_t i = 0; i < codes.size(); ++i) {
      const long allele = (long{codes[i]} >> 1) - 1;
      if (allele >= static_cast<long>(num_alleles)) FailAllele(samples[sample], allele, num_alleles);
      alleles[i] = allele < 0 ? kMissingCall : static_cast<int16_t>(allele);
    }
    calls.Set(sample, alleles[0], alleles[1], codes.size() == 2 && (codes[1] & 1) != 0);
  };
  if (!ForEachIntegers(gt, samples.size(), set)) {
    throw InputError("GT is not an array of integers; the file is damaged");
  }
}

void CheckCalls(const GenotypeCalls& calls, const std::vector<std::string>& samples, size_t num_alleles) {
  for (size_t i = 0; i < calls.alleles.size(); ++i) {
    if (calls.alleles[i] >= static_cast<int16_t>(num_alleles))
      FailAllele(samples[i / 2], calls.alleles[i], num_alleles);
  }
}

std::string GenotypeText(const GenotypeCalls& calls, size_t sample, char separator) {
  const auto text = [](int16_t allele) { return allele < 0 ? std::string(".") : std::to_string(allele); };
  const int16_t first = calls.alleles[2 * sample], second = calls.alleles[2 * sample + 1];
  return second == kAbsentCall ? text(first) : text(first) + separator + text(second);
}

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

void SetFromId(GenotypeCalls& calls, size_t sample, std::string_view text) {
  const size_t end = text.find('_');
  const auto position = end == std::string_view::npos ? std::nullopt : ParseNumber<int32_t>(text.substr(0, end));
  if (!position || *position < 0) return;
  SetPhaseSet(calls, sample, *position);
  ++calls.num_sets_of_ids;
}

// The text of a sample in a field of BCF.
std::string_view SampleText(const bcf_fmt_t& field, size_t sample) {
  const auto width = static_cast<size_t>(field.size);
  const char* text = reinterpret_cast<const char*>(field.p) + sample * width;
  return {text, strnlen(text, width)};
}

// Decodes PS where the header declares it as text.
void DecodeText(const bcf_fmt_t& ps, const std::vector<std::string>& samples, GenotypeCalls& calls) {
  for (size_t s = 0; s < samples.size(); ++s) {
    if (!IsPhasedHeterozygote(calls, s)) continue;
    SetFromText(calls, samples[s], s, SampleText(ps, s));
  }
}

}  // namespace

void ParsePhaseSets(std::string_view columns, size_t ps_field, const std::vector<std::string>& samples,
                    GenotypeCalls& calls) {
  for (size_t s = 0; s < samples.size(); ++s) {
    const std::string_view fields = PopItem(columns, '\t');
    if (IsPhasedHeterozygote(calls, s)) SetFromText(calls, samples[s], s, ItemAt(fields, ps_field, ':'));
  }
}

void DecodePhaseSets(const bcf_fmt_t& ps, const std::vector<std::string>& samples, GenotypeCalls& calls) {
  if (ps.type == BCF_BT_CHAR) return DecodeText(ps, samples, calls);
  const auto set = [&](size_t s, std::span<const int32_t> sets) {
    if (!IsPhasedHeterozygote(calls, s) || sets.empty()) return;
    if (sets.size() == 1 && sets[0] == bcf_int32_missing) return;
    if (sets.size() > 1 || sets[0] < 0) FailPhaseSet(samples[s], fmt::format("{}", fmt::join(sets, ",")));
    SetPhaseSet(calls, s, sets[0]);
  };
  if (ForEachIntegers(ps, samples.size(), set)) return;
  throw InputError("the phase sets (PS) are not whole numbers; remove them (bcftools annotate -x FORMAT/PS)");
}

void ParsePhaseIds(std::string_view columns, size_t pid_field, GenotypeCalls& calls) {
  for (size_t s = 0; s < calls.alleles.size() / 2; ++s) {
    const std::string_view fields = PopItem(columns, '\t');
    if (IsPhasedHeterozygote(calls, s)) SetFromId(calls, s, ItemAt(fields, pid_field, ':'));
  }
}

void DecodePhaseIds(const bcf_fmt_t& pid, GenotypeCalls& calls) {
  if (pid.type != BCF_BT_CHAR) return;
  for (size_t s = 0; s < calls.alleles.size() / 2; ++s) {
    if (IsPhasedHeterozygote(calls, s)) SetFromId(calls, s, SampleText(pid, s));
  }
}

}  // namespace haplospin
