#include "genotypes/variant_io/joining/sample_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/parse_number.h"
#include "genotypes/variant_io/genotype_prefix.h"
#include "genotypes/variant_io/vcf_columns.h"

namespace haplospin {
namespace {

constexpr size_t kCharactersShown = 20;
constexpr const char* kDamaged = "the line is damaged: make the file again";

struct Field {
  std::string_view key;
  int type;  // BCF_HT_INT, BCF_HT_REAL or BCF_HT_STR; the last one of GT too
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Alleles from 0 to `last`, or ".", that "/" or "|" separates.
bool IsGenotype(std::string_view text, size_t last) {
  if (text.starts_with('/') || text.starts_with('|')) text.remove_prefix(1);  // the phase of the first, of VCF 4.4
  for (;;) {
    const size_t end = std::min(text.find_first_of("/|"), text.size());
    const std::string_view allele = text.substr(0, end);
    if (allele != "." && ParseNumber<size_t>(allele).value_or(last + 1) > last) return false;
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

bool IsNumber(std::string_view text, bool is_integer) {
  if (text == ".") return true;
  const std::string_view digits = text.substr(!text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0);
  if (!digits.empty() && std::ranges::all_of(digits, IsDigit)) return true;
  if (is_integer) return false;
  return ParseNumber<double>(text.starts_with('+') ? digits : text).has_value();
}

bool HasValues(std::string_view list, int type) {
  if (type == BCF_HT_STR) return true;
  for (;;) {
    const size_t end = std::min(list.find(','), list.size());
    if (!IsNumber(list.substr(0, end), type == BCF_HT_INT)) return false;
    if (end == list.size()) return true;
    list.remove_prefix(end + 1);
  }
}

// Returns what is wrong with the values of a sample, or "".
std::string ColumnDamage(std::string_view column, const std::vector<Field>& fields, size_t last_allele,
                         bool has_prefixes) {
  const bool has_prefix = column.starts_with('/') || column.starts_with('|');
  if (has_prefix && !has_prefixes && !fields.empty() && fields[0].key == "GT") {
    return fmt::format(
        "has the phase of its first allele in GT \"{}\", which the header's version does not allow; "
        "write ##fileformat=VCFv4.4",
        column.substr(0, column.find(':')));
  }
  for (size_t f = 0;; ++f) {
    if (f == fields.size()) {
      return fmt::format("has more values than the {} of FORMAT; {}", fields.size(), kDamaged);
    }
    const size_t end = std::min(column.find(':'), column.size());
    const std::string_view value = column.substr(0, end);
    const bool is_valid = fields[f].key == "GT" ? IsGenotype(value, last_allele) : HasValues(value, fields[f].type);
    if (!is_valid) {
      return fmt::format("has \"{}\" in {}; {}", value.substr(0, kCharactersShown), fields[f].key, kDamaged);
    }
    if (end == column.size()) return "";
    column.remove_prefix(end + 1);
  }
}

}  // namespace

std::string SampleColumnDamage(const bcf_hdr_t* header, std::string_view line) {
  std::string_view alts;
  for (int column = 0; column < 8; ++column) {
    const std::string_view text = PopItem(line, '\t');
    if (column == 4) alts = text;
  }
  const size_t last_allele = alts == "." ? 0 : 1 + static_cast<size_t>(std::ranges::count(alts, ','));
  std::vector<Field> fields;
  for (std::string_view format = PopItem(line, '\t'); !format.empty();) {
    const std::string_view key = PopItem(format, ':');
    const int id = bcf_hdr_id2int(header, BCF_DT_ID, std::string(key).c_str());
    if (id < 0 || !bcf_hdr_idinfo_exists(header, BCF_HL_FMT, id)) {
      return fmt::format(
          "has {} in FORMAT, which the header does not declare; add a line ##FORMAT=<ID={},...> "
          "(bcftools annotate -h), or make the file again if it is damaged",
          key.substr(0, kCharactersShown), key.substr(0, kCharactersShown));
    }
    fields.push_back({key, static_cast<int>(bcf_hdr_id2type(header, BCF_HL_FMT, id))});
  }
  const bool has_prefixes = HasGenotypePrefixes(header);
  for (size_t s = 0; !line.empty(); ++s) {
    const std::string damage = ColumnDamage(PopItem(line, '\t'), fields, last_allele, has_prefixes);
    if (damage.empty()) continue;
    const bool is_named = s < static_cast<size_t>(bcf_hdr_nsamples(header));
    return fmt::format("sample {} {}", is_named ? header->samples[s] : std::to_string(s + 1), damage);
  }
  return "";
}

}  // namespace haplospin
