#include "genotypes/variant_io/genotype_prefix.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

bool IsPrefix(char c) { return c == '/' || c == '|'; }

// Returns where the column begins, or the size of the line.
size_t ColumnBegin(std::string_view line, size_t column) {
  size_t begin = 0;
  for (; column > 0 && begin < line.size(); --column) begin = std::min(line.find('\t', begin), line.size() - 1) + 1;
  return begin;
}

// Calls function(alleles, count) with the encoded alleles of each sample, of which a haploid one has one.
template <typename Code, typename Function>
void ForEachGenotype(const bcf_fmt_t& gt, size_t num_samples, Code end, const Function& function) {
  const auto width = static_cast<size_t>(gt.n);
  for (size_t s = 0; s < num_samples; ++s) {
    uint8_t* bytes = gt.p + s * static_cast<size_t>(gt.size);
    Code alleles[2];
    size_t count = 0;
    bool is_phased = true;
    for (size_t i = 0; i < width; ++i) {
      Code allele;
      std::memcpy(&allele, bytes + i * sizeof(Code), sizeof(Code));
      if (allele == end) break;
      if (i < 2) alleles[i] = allele;
      if (i > 0) is_phased = is_phased && (allele & 1) != 0;
      ++count;
    }
    // A lone "." has no phase.
    if (count == 0 || (count == 1 && alleles[0] >> 1 == 0)) continue;
    const bool is_changed = function(s, is_phased, alleles[0]);
    if (is_changed) std::memcpy(bytes, alleles, sizeof(Code));
  }
}

// Calls function(sample, is_implied, allele) for the first allele of each genotype: whether it is phased if there is no
// prefix, and its code. Codes that the function changes, for which it returns true, are stored.
template <typename Function>
void ForEachFirstAllele(const bcf_hdr_t* header, bcf1_t* record, const Function& function) {
  bcf_fmt_t* gt = bcf_get_fmt(header, record, "GT");
  if (gt == nullptr) return;
  const size_t samples = record->n_sample;
  if (gt->type == BCF_BT_INT8) return ForEachGenotype<int8_t>(*gt, samples, bcf_int8_vector_end, function);
  if (gt->type == BCF_BT_INT16) return ForEachGenotype<int16_t>(*gt, samples, bcf_int16_vector_end, function);
  if (gt->type == BCF_BT_INT32) return ForEachGenotype<int32_t>(*gt, samples, bcf_int32_vector_end, function);
}

}  // namespace

bool HasGenotypePrefixes(const bcf_hdr_t* header) {
  int major = 0, minor = 0;
  const char* version = bcf_hdr_get_version(header);
  if (version == nullptr || std::sscanf(version, "VCFv%d.%d", &major, &minor) != 2) return false;
  return std::pair(major, minor) >= std::pair(4, 4);
}

std::vector<char> TakeGenotypePrefixes(kstring_t& line) {
  std::vector<char> prefixes;
  const std::string_view text(line.s, line.l);
  const size_t format = ColumnBegin(text, kFirstSampleColumn - 1), begin = ColumnBegin(text, kFirstSampleColumn);
  const std::string_view keys = text.substr(format, begin - format);
  if (!keys.starts_with("GT\t") && !keys.starts_with("GT:")) return prefixes;
  const std::string_view columns = text.substr(begin - 1);  // each after its tab
  if (columns.find("\t/") == std::string_view::npos && columns.find("\t|") == std::string_view::npos) return prefixes;
  size_t kept = begin;
  for (size_t i = begin; i < text.size(); ++i) {
    const bool is_first = line.s[i - 1] == '\t';
    if (is_first) prefixes.push_back(IsPrefix(line.s[i]) ? line.s[i] : '\0');
    if (!is_first || !IsPrefix(line.s[i])) line.s[kept++] = line.s[i];
  }
  line.s[kept] = '\0';
  line.l = kept;
  return prefixes;
}

void SetFirstPhases(const std::vector<char>& prefixes, const bcf_hdr_t* header, bcf1_t* record) {
  if (bcf_unpack(record, BCF_UN_FMT) != 0) return;
  ForEachFirstAllele(header, record, [&](size_t s, bool is_implied, auto& allele) {
    const bool is_phased = s < prefixes.size() && prefixes[s] != '\0' ? prefixes[s] == '|' : is_implied;
    allele = static_cast<std::remove_reference_t<decltype(allele)>>((allele & ~1) | (is_phased ? 1 : 0));
    return true;
  });
}

void AddGenotypePrefixes(const bcf_hdr_t* header, bcf1_t* record, std::string& line) {
  std::vector<char> prefixes(record->n_sample, '\0');
  if (bcf_unpack(record, BCF_UN_FMT) != 0) return;
  ForEachFirstAllele(header, record, [&](size_t s, bool is_implied, auto allele) {
    const bool is_phased = (allele & 1) != 0;
    if (is_phased != is_implied) prefixes[s] = is_phased ? '|' : '/';
    return false;
  });
  if (std::ranges::all_of(prefixes, [](char prefix) { return prefix == '\0'; })) return;
  std::string with(line, 0, ColumnBegin(line, kFirstSampleColumn));
  size_t at = with.size();
  for (const char prefix : prefixes) {
    if (prefix != '\0' && at < line.size() && !IsPrefix(line[at])) with += prefix;
    const size_t end = std::min(line.find('\t', at), line.size() - 1) + 1;
    with.append(line, at, end - at);
    at = end;
  }
  line = std::move(with);
}

}  // namespace haplospin
