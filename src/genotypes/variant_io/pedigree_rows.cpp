#include "genotypes/variant_io/pedigree_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <iterator>

#include "core/letter_case.h"

namespace haplospin {
namespace {

constexpr size_t kMinColumns = 3;  // without a header
constexpr PedigreeColumns kPlinkColumns = {.family = 0, .person = 1, .father = 2, .mother = 3, .sex = 4};
constexpr PedigreeColumns kThreeOfBreeders = {.family = {}, .person = 0, .father = 1, .mother = 2, .sex = {}};

constexpr std::string_view kAroundColumns = " \t\r\"";  // of a file with commas

// In lower case.
constexpr std::string_view kUnknownNames[] = {"-1",   "-9",  "na",      "n/a",  "nan",     "none",
                                              "null", "unk", "unknown", "miss", "missing", "not_known"};

// What headers of PLINK, breeding and other programs call the columns, in lower case and without "_", "#" and the like.
constexpr std::string_view kFatherWords[] = {"sire",  "sireid",     "father",     "fatherid", "dad",      "pat",
                                             "patid", "paternalid", "maleparent", "idsire",   "paternal", "vater",
                                             "pere",  "padre",      "pai",        "vader"};
constexpr std::string_view kMotherWords[] = {"dam",    "damid", "mother",     "motherid",     "mum",   "mom",
                                             "mat",    "matid", "maternalid", "femaleparent", "iddam", "maternal",
                                             "mutter", "mere",  "madre",      "mae",          "moeder"};
constexpr std::string_view kPersonWords[] = {
    "id",        "iid",     "animal", "animalid", "individual",   "ind",      "indiv",    "sample",  "sampleid", "name",
    "offspring", "progeny", "child",  "kid",      "individualid", "idanimal", "genotype", "subject", "subjectid"};
constexpr std::string_view kFamilyWords[] = {"fid", "fam", "famid", "family", "familyid"};
constexpr std::string_view kSexWords[] = {"sex", "gender"};
constexpr std::string_view kMales[] = {"1", "m", "male"}, kFemales[] = {"2", "f", "female"};

std::string LowerAlphanumerics(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) letters += ToLower(c);
  }
  return letters;
}

template <typename Words>
bool IsAmong(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != std::end(words);
}

// Returns the columns of a line, which are separated by commas, semicolons or blanks.
std::vector<std::string_view> SplitPedigreeRow(std::string_view line) {
  for (const char separator : {',', ';'}) {
    if (line.find(separator) == std::string_view::npos) continue;
    std::vector<std::string_view> columns;
    for (size_t begin = 0; begin <= line.size();) {
      const size_t end = std::min(line.find(separator, begin), line.size());
      std::string_view column = line.substr(begin, end - begin);
      const size_t first = std::min(column.find_first_not_of(kAroundColumns), column.size());
      column = column.substr(first, column.find_last_not_of(kAroundColumns) + 1 - first);
      columns.push_back(column);
      begin = end + 1;
    }
    return columns;
  }
  return SplitAtBlanks(line);
}

bool IsBlank(const std::vector<std::string_view>& columns) {
  return std::ranges::all_of(columns, [](std::string_view column) { return column.empty(); });
}

std::optional<bool> ParseSex(std::string_view text) {
  const std::string word = LowerAlphanumerics(text);
  if (IsAmong(kMales, word)) return true;
  return IsAmong(kFemales, word) ? std::optional(false) : std::nullopt;
}

}  // namespace

bool IsUnknownName(std::string_view name) {
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c >= 0x80; };  // or of UTF-8
  if (std::ranges::none_of(name, is_letter) || name.find_first_not_of('0') == std::string_view::npos) return true;
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](char c) { return ToLower(c); });
  return IsAmong(kUnknownNames, lower);
}

std::optional<PedigreeColumns> HeaderColumns(const std::vector<std::string_view>& row) {
  PedigreeColumns columns;
  std::vector<size_t> others;
  for (size_t k = 0; k < row.size(); ++k) {
    const std::string word = LowerAlphanumerics(row[k]);
    std::optional<size_t>* const column = IsAmong(kFatherWords, word)   ? &columns.father
                                          : IsAmong(kMotherWords, word) ? &columns.mother
                                          : IsAmong(kPersonWords, word) ? &columns.person
                                          : IsAmong(kFamilyWords, word) ? &columns.family
                                          : IsAmong(kSexWords, word)    ? &columns.sex
                                                                        : nullptr;
    if (column == nullptr) {
      others.push_back(k);
    } else if (!*column) {
      *column = k;
    }
  }
  if (!columns.father && !columns.mother) return std::nullopt;
  if (columns.person) return columns;
  if (others.size() != 1) return std::nullopt;
  columns.person = others.front();
  return columns;
}

std::optional<PedigreeRow> PedigreeReader::Next() {
  std::vector<std::string_view> row = NextColumns();
  if (is_first_) {
    is_first_ = false;
    if (!NamesPeople(row)) header_ = HeaderColumns(row);
    if (header_) row = NextColumns();
  }
  if (row.empty()) return std::nullopt;
  return Parse(row);
}

bool PedigreeReader::NamesPeople(const std::vector<std::string_view>& row) const {
  const bool has_family = row.size() > kMinColumns && is_person_(row[0], row[1]);
  return has_family || std::ranges::any_of(row, [&](std::string_view name) { return is_person_("", name); });
}

// Returns the columns of the next line that is not empty; none at the end.
std::vector<std::string_view> PedigreeReader::NextColumns() {
  while (const auto line = rows_.NextLine()) {
    std::vector<std::string_view> columns = SplitPedigreeRow(*line);
    if (!IsBlank(columns)) return columns;
  }
  return {};
}

void PedigreeReader::CheckColumns(const std::vector<std::string_view>& row) const {
  if (!header_) {
    if (row.size() >= kMinColumns) return;
    Fail("expected the columns family, sample, father, mother, or three of them: sample, father, mother");
  }
  const size_t last = std::max({header_->person.value_or(0), header_->father.value_or(0), header_->mother.value_or(0)});
  if (row.size() <= last) Fail(fmt::format("{} columns, expected {} as in the header", row.size(), last + 1));
}

PedigreeRow PedigreeReader::Parse(const std::vector<std::string_view>& row) const {
  CheckColumns(row);
  const PedigreeColumns columns = header_ ? *header_ : row.size() > kMinColumns ? kPlinkColumns : kThreeOfBreeders;
  const auto text = [&](const std::optional<size_t>& column) {
    return column && *column < row.size() ? row[*column] : std::string_view();
  };
  const std::string_view family = text(columns.family);
  const auto parent = [&](const std::optional<size_t>& column) {
    return IsUnknown(family, text(column)) ? kUnknownParent : text(column);
  };
  const PedigreeRow parsed{family, text(columns.person), parent(columns.father), parent(columns.mother),
                           ParseSex(text(columns.sex))};
  if (IsUnknown(family, parsed.person)) {
    const bool is_word = !parsed.person.empty() && parsed.person != kUnknownParent;
    Fail(fmt::format("\"{}\" is not the name of an individual{}; {}", parsed.person,
                     is_word ? ", but stands for an unknown one: remove the line" : "", kThreeColumns));
  }
  if (parsed.person == parsed.father || parsed.person == parsed.mother) {
    Fail(fmt::format("{} is its own parent; correct the line", parsed.person));
  }
  return parsed;
}

bool PedigreeReader::IsUnknown(std::string_view family, std::string_view name) const {
  return IsUnknownName(name) && (name.empty() || name == kUnknownParent || !is_person_(family, name));
}

}  // namespace haplospin
