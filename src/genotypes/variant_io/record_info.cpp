#include "genotypes/variant_io/record_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "core/parse_number.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/vcf_columns.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// Fields of structural variants, as VCF reserves them and 1000 Genomes has them, and of repeats, as VCF 4.5, HipSTR,
// GangSTR, ExpansionHunter, adVNTR and EnsembleTR have them.
constexpr std::string_view kFields[] = {
    "SVTYPE",  "SVCLAIM", "IMPRECISE", "PRECISE", "CHR2",  "CIPOS", "CIEND", "CILEN",  "HOMLEN",  "HOMSEQ",    "MEINFO",
    "METRANS", "TSD",     "MSTART",    "MEND",    "MLEN",  "CN",    "PARID", "MATEID", "EVENT",   "EVENTTYPE", "RN",
    "RUS",     "RUL",     "RUC",       "RB",      "CIRUC", "CIRB",  "RU",    "REF",    "RL",      "RC",        "PERIOD",
    "START",   "BPDIFFS", "MOTIF",     "MOTIFS",  "STRUC", "VARID", "REPID", "VID",    "METHODS", "TRTYPE"};

std::pair<std::string_view, std::string_view> KeyAndValues(std::string_view item) {
  const size_t equals = std::min(item.find('='), item.size());
  return {item.substr(0, equals), item.substr(std::min(equals + 1, item.size()))};
}

// The value of a key in a structured header line; quoted ones come after those that are asked for.
std::string_view HeaderValue(std::string_view line, std::string_view key) {
  const size_t at = line.find(key);
  return at == std::string_view::npos
             ? ""
             : line.substr(at + key.size(), line.find_first_of(",>", at + key.size()) - at - key.size());
}

void AppendSeparated(std::string_view item, char separator, std::string& list) {
  if (!list.empty()) list += separator;
  list += item;
}

std::vector<std::string_view> Split(std::string_view values) {
  std::vector<std::string_view> items;
  while (!values.empty()) items.push_back(PopItem(values, ','));
  return items;
}

// The values of one ALT, or nothing if there are none.
std::optional<std::string> ValuesOfAlt(char number, std::string_view values, size_t alt) {
  const std::vector<std::string_view> items = Split(values);
  if ((number != 'A' && number != 'R') || items.size() == 1) return std::string(values);
  const size_t own = number == 'A' ? alt : alt + 1;
  if (own >= items.size()) return std::nullopt;
  return number == 'A' ? std::string(items[own]) : std::string(items[0]) + ',' + std::string(items[own]);
}

std::optional<std::string_view> FindValues(std::string_view info, std::string_view key) {
  while (!info.empty()) {
    const auto [name, values] = KeyAndValues(PopItem(info, ';'));
    if (name == key) return values;
  }
  return std::nullopt;
}

// The item of a record whose ALTs have these ones.
std::string JoinedItem(std::string_view key, char number, std::span<const std::string_view> alts) {
  std::string joined;
  for (const std::string_view info : alts) {
    const auto own = FindValues(info, key);
    if (own && joined.empty() && number != 'A') joined = number == 'R' ? own->substr(0, own->find(',')) : *own;
  }
  for (const std::string_view info : alts) {
    const auto own = FindValues(info, key);
    if (number == 'A') AppendSeparated(own.value_or("."), ',', joined);
    if (number == 'R') AppendSeparated(own ? own->substr(own->find(',') + 1) : ".", ',', joined);
  }
  return joined.empty() ? std::string(key) : fmt::format("{}={}", key, joined);
}

template <typename Number>
std::vector<Number> Numbers(std::string_view values, Number missing) {
  std::vector<Number> numbers;
  for (const std::string_view item : Split(values)) numbers.push_back(ParseNumber<Number>(item).value_or(missing));
  return numbers;
}

// Whether HTSlib reads the line as a declaration. It also reads one that is cut.
bool IsDeclaration(std::string_view line) {
  const bool is_line = std::ranges::none_of(line, [](unsigned char c) { return c < ' ' && c != '\t'; });
  const BcfHeaderHandle header(bcf_hdr_init("r"));
  return is_line && line.ends_with('>') && bcf_hdr_append(header.get(), std::string(line).c_str()) == 0;
}

// Gives a field the type that has the values of another declaration, too.
void WidenType(std::string_view id, std::string_view type, std::vector<std::string>& lines) {
  const auto line = std::ranges::find_if(lines, [id](std::string_view declared) {
    return declared.starts_with("##INFO=<") && HeaderValue(declared, "<ID=") == id;
  });
  const std::string_view own = HeaderValue(*line, ",Type=");
  if (own.empty() || type.empty() || own == "Flag" || type == "Flag") return;
  const auto is_number = [](std::string_view name) { return name == "Integer" || name == "Float"; };
  const std::string_view wider = is_number(own) && is_number(type) ? "Float" : "String";
  if (own == type || own == wider) return;
  line->replace(static_cast<size_t>(own.data() - line->data()), own.size(), wider);
}

}  // namespace

void DescribedInfo::AddLine(std::string_view line) {
  line = line.substr(0, line.find_last_not_of("\r\n") + 1);
  const std::string_view id = HeaderValue(line, "<ID=");
  if (line.starts_with("##ALT=<") && !id.empty()) {
    if (std::ranges::find(ids_, id) != ids_.end() || !IsDeclaration(line)) return;
    ids_.emplace_back(id);
  } else if (line.starts_with("##INFO=<") && std::ranges::find(kFields, id) != std::end(kFields)) {
    const std::string_view number = HeaderValue(line, ",Number=");
    if (number.empty() || !IsDeclaration(line)) return;
    if (!numbers_.emplace(id, number[0]).second) return WidenType(id, HeaderValue(line, ",Type="), lines_);
  } else {
    return;
  }
  lines_.emplace_back(line);
}

void DescribedInfo::Add(const DescribedInfo& other) {
  for (const std::string& line : other.lines_) AddLine(line);
}

void DescribedInfo::Add(const bcf_hdr_t* header) {
  for (int i = 0; i < header->nhrec; ++i) {
    KString text;
    if (bcf_hrec_format(header->hrec[i], &text.text) == 0) AddLine({text.text.s, text.text.l});
  }
}

void DescribedInfo::AppendItem(std::string_view item, int64_t position, std::string& items) const {
  const auto [key, values] = KeyAndValues(item);
  if (!numbers_.contains(key) || values == "." || (key == "END" && InfoNumber(item, key) < position)) return;
  AppendSeparated(item, ';', items);
}

std::string DescribedInfo::Select(std::string_view info, int64_t position) const {
  std::string items;
  while (!info.empty()) AppendItem(PopItem(info, ';'), position, items);
  return items;
}

std::string DescribedInfo::Select(const bcf_hdr_t* header, const bcf1_t& record) const {
  std::string items;
  for (uint32_t i = 0; i < record.n_info; ++i) {
    const bcf_info_t& info = record.d.info[i];
    const std::string_view key = bcf_hdr_int2id(header, BCF_DT_ID, info.key);
    if (info.vptr == nullptr || !numbers_.contains(key)) continue;
    KString text;
    kputsn(key.data(), key.size(), &text.text);
    if (info.len > 0) {
      kputc('=', &text.text);
      bcf_fmt_array(&text.text, info.len, info.type, info.vptr);
    }
    AppendItem({text.text.s, text.text.l}, record.pos + 1, items);
  }
  return items;
}

std::string DescribedInfo::AltPart(std::string_view info, size_t alt) const {
  std::string items;
  while (!info.empty()) {
    const std::string_view item = PopItem(info, ';');
    const auto [key, values] = KeyAndValues(item);
    if (values.empty()) {
      AppendSeparated(item, ';', items);
      continue;
    }
    const auto own = ValuesOfAlt(NumberOf(key), values, alt);
    const bool is_no_length = key == "SVLEN" && own && InfoNumber("SVLEN=" + *own, "SVLEN") == 0;
    if (own && own != "." && !is_no_length) AppendSeparated(std::string(key) + '=' + *own, ';', items);
  }
  return items;
}

std::string DescribedInfo::Join(std::span<const std::string_view> alts) const {
  std::vector<std::string_view> keys;
  for (std::string_view info : alts) {
    while (!info.empty()) {
      const std::string_view key = KeyAndValues(PopItem(info, ';')).first;
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
  }
  std::string items;
  for (const std::string_view key : keys) AppendSeparated(JoinedItem(key, NumberOf(key), alts), ';', items);
  return items;
}

bool DescribedInfo::DeclaresAll(std::string_view info) const {
  while (!info.empty()) {
    if (!numbers_.contains(KeyAndValues(PopItem(info, ';')).first)) return false;
  }
  return true;
}

char DescribedInfo::NumberOf(std::string_view key) const {
  const auto found = numbers_.find(key);
  return found == numbers_.end() ? '1' : found->second;
}

bool DescribesRepeat(std::string_view info) {
  constexpr std::string_view kUnits[] = {"RU", "RUS", "PERIOD", "MOTIF", "MOTIFS"};
  return std::ranges::any_of(kUnits, [&](std::string_view key) { return FindValues(info, key).has_value(); });
}

void UpdateInfo(std::string_view info, const bcf_hdr_t* header, bcf1_t* record) {
  while (!info.empty()) {
    const auto [name, list] = KeyAndValues(PopItem(info, ';'));
    const std::string key(name), values(list);
    const int id = bcf_hdr_id2int(header, BCF_DT_ID, key.c_str());
    HS_ASSERT(id >= 0 && bcf_hdr_idinfo_exists(header, BCF_HL_INFO, id));
    const int type = bcf_hdr_id2type(header, BCF_HL_INFO, id);
    if (type == BCF_HT_INT) {
      const auto numbers = Numbers<int32_t>(values, bcf_int32_missing);
      HS_CHECK(bcf_update_info_int32(header, record, key.c_str(), numbers.data(), static_cast<int>(numbers.size())) ==
               0);
    } else if (type == BCF_HT_REAL) {
      float missing;
      bcf_float_set_missing(missing);
      const auto numbers = Numbers<float>(values, missing);
      HS_CHECK(bcf_update_info_float(header, record, key.c_str(), numbers.data(), static_cast<int>(numbers.size())) ==
               0);
    } else if (type == BCF_HT_FLAG) {
      HS_CHECK(bcf_update_info_flag(header, record, key.c_str(), nullptr, 1) == 0);
    } else {
      HS_CHECK(bcf_update_info_string(header, record, key.c_str(), values.c_str()) == 0);
    }
  }
}

}  // namespace haplospin
