#include "genotypes/variant_io/personal_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "core/letter_case.h"
#include "core/parse_number.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/zip_file.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 28;  // ten times what an array gives
constexpr size_t kHeadBytes = size_t{1} << 14;

constexpr size_t kNone = SIZE_MAX;  // no such column
constexpr int64_t kNoPosition = kMaxPosition + 1;

// Positions of SNPs that most arrays have, in the three builds.
struct KnownMarker {
  std::string_view id;
  std::array<int64_t, 3> positions;
};
constexpr std::array<const char*, 3> kBuilds = {"GRCh36", "GRCh37", "GRCh38"};
constexpr KnownMarker kKnownMarkers[] = {
    {"rs3094315", {742429, 752566, 817186}},       {"rs11928389", {50908372, 50927009, 50889578}},
    {"rs964481", {27566744, 27656823, 27638706}},  {"rs2341354", {908436, 918573, 983193}},
    {"rs3850290", {22315141, 23245301, 22776092}}, {"rs1329546", {135302086, 135474420, 136392261}}};

// X has nothing pseudo-autosomal between these positions, in any build.
constexpr int64_t kXBegin = 2'800'000, kXEnd = 154'500'000;
constexpr size_t kMinCalls = 20;                                          // two letters each on X, or lines of Y
constexpr double kMaleHeterozygotes = 0.03, kFemaleHeterozygotes = 0.06;  // share of the genotypes on X
constexpr double kMaleCalls = 0.6, kFemaleCalls = 0.3;                    // share of the lines of Y
constexpr double kMaxUnreadable = 0.05;                                   // share of the lines

// Returns the first bytes of what is in the file.
std::string ReadBytes(const std::string& path, size_t max_bytes) {
  if (IsZip(path)) return ReadZippedFile(path, max_bytes);
  SilenceHtslib();
  const BgzfHandle file(bgzf_open(path.c_str(), "r"));
  if (!file) throw InputError(OpenFailure(path));
  std::string text;
  for (ssize_t count = 1; count > 0 && text.size() < max_bytes;) {
    constexpr size_t kChunk = size_t{1} << 20;
    const size_t before = text.size();
    text.resize(before + std::min(kChunk, max_bytes - before));
    count = bgzf_read(file.get(), text.data() + before, text.size() - before);
    if (count < 0) throw InputError(path + ": truncated or damaged; download or copy the file again");
    text.resize(before + static_cast<size_t>(count));
  }
  return text;
}

// Does the same without the mark by which editors say that a text is UTF-8.
std::string ReadContent(const std::string& path, size_t max_bytes) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::string text = ReadBytes(path, max_bytes);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

std::string_view PopLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view Strip(std::string_view text) {
  constexpr std::string_view kAround = " \t\"'";
  const size_t begin = text.find_first_not_of(kAround);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kAround) - begin + 1);
}

// The columns of a line, without quotes. Blanks separate them where there is neither a tab nor a comma.
std::vector<std::string_view> SplitPersonalRow(std::string_view line) {
  const char delimiter = line.find('\t') != std::string_view::npos  ? '\t'
                         : line.find(',') != std::string_view::npos ? ','
                                                                    : ' ';
  std::vector<std::string_view> columns;
  for (;;) {
    const size_t end = std::min(line.find(delimiter), line.size());
    if (delimiter != ' ' || end > 0) columns.push_back(Strip(line.substr(0, end)));
    if (end == line.size()) return columns;
    line.remove_prefix(end + 1);
  }
}

// Where the columns are.
struct Layout {
  size_t id = 0, contig = 1, position = 2, first = 3;
  size_t second = kNone;  // the other allele, where each has a column

  size_t Last() const { return std::max({id, contig, position, first, second == kNone ? 0 : second}); }
};

// Returns the layout that the names of columns tell, if they are such names.
std::optional<Layout> ParseColumnNames(std::string_view line) {
  while (line.starts_with('#') || line.starts_with(' ')) line.remove_prefix(1);
  const std::vector<std::string_view> columns = SplitPersonalRow(line);
  const auto find = [&](std::initializer_list<std::string_view> names) {
    const auto found = std::ranges::find_if(
        columns, [&](std::string_view column) { return std::ranges::find(names, ToLower(column)) != names.end(); });
    return found == columns.end() ? kNone : static_cast<size_t>(found - columns.begin());
  };
  Layout layout{.id = find({"rsid", "rs id", "snp", "snpid", "snp id", "snp name", "name", "marker", "id"}),
                .contig = find({"chromosome", "chrom", "chr"}),
                .position = find({"position", "pos", "bp"}),
                .first = find({"genotype", "result", "alleles", "call"})};
  if (layout.first == kNone) {
    layout.first = find({"allele1", "allele 1", "allele_1", "allele1_forward"});
    layout.second = find({"allele2", "allele 2", "allele_2", "allele2_forward"});
    if (layout.second == kNone) return std::nullopt;
  }
  if (std::max({layout.id, layout.contig, layout.position, layout.first}) == kNone) return std::nullopt;
  return layout;
}

// A genotype of a line: letters, nothing where it was not called, or kUnreadable.
struct Letters {
  char first = 0, second = 0;
  bool is_unreadable = false;
};

Letters ParseLetters(std::string_view first, std::string_view second) {
  std::string letters;
  for (const std::string_view text : {first, second}) {
    for (const char c : text) {
      if (c != '/' && c != '|' && c != ' ') letters += ToUpper(c);
    }
  }
  if (letters.find_first_not_of("-0.?N_") == std::string::npos) return {};
  const bool are_bases = letters.find_first_not_of("ACGT") == std::string::npos;
  const bool are_codes = letters.find_first_not_of("ID") == std::string::npos;
  if (letters.size() <= 2 && (are_bases || are_codes)) return {letters[0], letters.size() == 2 ? letters[1] : '\0'};
  const bool is_half_missing = letters.size() == 2 && letters.find_first_of("-0.?N_") != std::string::npos;
  return {.is_unreadable = !is_half_missing};
}

std::string_view HumanContig(std::string_view name) {
  const std::string_view bare = BareContig(name);
  if (bare == "25" || bare == "XY" || bare == "PAR") return "X";
  return CanonicalContig(MergePar(name));
}

// Returns whether a line without names of columns has an ID, a human chromosome, a position and a genotype.
bool IsPersonalLine(std::string_view line) {
  const std::vector<std::string_view> columns = SplitPersonalRow(line);
  if (columns.size() < 4 || columns.size() > 5 || columns[0].empty()) return false;
  const std::string_view contig = HumanContig(columns[1]);
  const auto number = ParseNumber<int>(contig);
  const bool is_human = (number && *number >= 1 && *number <= 22) || contig == "X" || contig == "Y" || contig == "MT";
  const std::string_view second = columns.size() == 5 ? columns[4] : "";
  return is_human && ParseNumber<int64_t>(columns[2]).value_or(-1) > 0 && columns[3].size() <= 3 &&
         !columns[3].empty() && second.size() <= 1 && !ParseLetters(columns[3], second).is_unreadable;
}

std::string NameOfFile(const std::string& path) {
  std::string name = std::filesystem::path(path).filename();
  for (const char* ending : {".gz", ".zip", ".txt", ".csv", ".tsv"}) {
    if (name.ends_with(ending) && name.size() > std::string_view(ending).size()) {
      name.resize(name.size() - std::string_view(ending).size());
    }
  }
  std::ranges::replace_if(
      name, [](unsigned char c) { return c <= ' ' || c == 0x7f; }, '_');
  return name;
}

// Returns the build that comments name, or "".
std::string BuildOfComments(const std::string& comments) {
  const std::string lower = ToLower(comments);
  constexpr std::array<std::array<std::string_view, 5>, 3> kNames = {
      {{"build 36", "build36", "grch36", "ncbi36", "hg18"},
       {"build 37", "build37", "grch37", "37.1", "hg19"},
       {"build 38", "build38", "grch38", "38.1", "hg38"}}};
  std::string build;
  for (size_t b = 0; b < kBuilds.size(); ++b) {
    const bool is_named =
        std::ranges::any_of(kNames[b], [&](std::string_view name) { return lower.find(name) != std::string::npos; });
    if (!is_named) continue;
    if (!build.empty()) return "";  // a comment on both
    build = kBuilds[b];
  }
  return build;
}

class PersonalParser {
 public:
  PersonalParser(const std::string& path, const std::string& name) {
    file_.path = path;
    file_.name = name.empty() ? NameOfFile(path) : name;
  }

  PersonalFile Parse(std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = PopLine(text);
      ++number_;
      if (line.starts_with('#')) {
        AddComment(line);
      } else if (line.find_first_not_of(" \t,") != std::string_view::npos) {
        AddLine(line);
      }
    }
    return Finish();
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const {
    throw InputError(fmt::format("{}: line {}: {}", file_.path, number_, what));
  }

  void AddComment(std::string_view line) {
    if (file_.lines == 0) comments_ += std::string(line) + '\n';
    if (const auto layout = ParseColumnNames(line)) layout_ = *layout;
  }

  void AddLine(std::string_view line) {
    const std::vector<std::string_view> columns = SplitPersonalRow(line);
    const size_t place = layout_.value_or(Layout()).position;
    const std::string_view text = place < columns.size() ? columns[place] : "";
    const int64_t position = ParseNumber<int64_t>(text).value_or(kNoPosition);
    if (position == kNoPosition) {
      if (const auto names = ParseColumnNames(line)) {
        layout_ = names;  // where files were joined, perhaps again, and others
        return;
      }
    }
    if (!layout_) layout_ = Layout{.second = columns.size() == 5 ? 4 : kNone};
    if (columns.size() <= layout_->Last()) {
      Fail(fmt::format("has {} columns in place of {}; the file is truncated, or correct the line", columns.size(),
                       layout_->Last() + 1));
    }
    if (position > kMaxPosition) Fail(fmt::format("the position \"{}\" is not a number of bp", text));
    ++file_.lines;
    AddCall(columns, position);
  }

  void AddCall(const std::vector<std::string_view>& columns, int64_t position) {
    const std::string_view contig = HumanContig(columns[layout_->contig]);
    NoteBuild(columns[layout_->id], position);
    const Letters letters =
        ParseLetters(columns[layout_->first], layout_->second == kNone ? "" : columns[layout_->second]);
    y_lines_ += contig == "Y" && position > 0;
    const bool is_lone = letters.first != 0 && letters.second == 0 && contig != "X" && contig != "Y" && contig != "MT";
    if (contig == "0" || contig.empty() || position <= 0) {
      ++file_.unplaced;
    } else if (letters.is_unreadable || is_lone) {
      if (file_.unreadable++ == 0) first_unreadable_ = number_;
    } else if (letters.first == 0) {
      ++file_.no_calls;
    } else {
      file_.calls[std::string(contig)].push_back({position, letters.first, letters.second});
    }
  }

  void NoteBuild(std::string_view id, int64_t position) {
    for (const KnownMarker& marker : kKnownMarkers) {
      if (id != marker.id) continue;
      for (size_t b = 0; b < kBuilds.size(); ++b) known_[b] += marker.positions[b] == position ? 1 : 0;
    }
  }

  PersonalFile Finish() {
    if (static_cast<double>(file_.unreadable) > kMaxUnreadable * static_cast<double>(file_.lines)) {
      number_ = first_unreadable_;
      Fail(
          fmt::format("has another genotype than two letters of ACGT, or I and D, as have {} more lines; give the file "
                      "as it was downloaded",
                      file_.unreadable - 1));
    }
    for (auto& [contig, calls] : file_.calls) SortCalls(calls);
    if (file_.NumCalls() == 0) throw InputError(file_.path + ": has no genotypes; give the file as it was downloaded");
    file_.service = PersonalService(comments_);
    const auto most = std::ranges::max_element(known_);
    file_.build = *most > 0 ? kBuilds[static_cast<size_t>(most - known_.begin())] : BuildOfComments(comments_);
    file_.sex = FindSex();
    if (file_.sex == Sex::kFemale) file_.calls.erase("Y");  // what is called there is of X
    return std::move(file_);
  }

  // Equal genotypes of a position are one, and different ones none.
  void SortCalls(std::vector<PersonalCall>& calls) {
    for (PersonalCall& call : calls) {
      if (call.second != 0 && call.second < call.first) std::swap(call.first, call.second);
    }
    const auto place = [](const PersonalCall& call) { return std::pair(call.position, call.IsCoded()); };
    std::ranges::stable_sort(calls, {}, place);
    std::vector<PersonalCall> kept;
    for (size_t i = 0, next = 0; i < calls.size(); i = next) {
      bool is_contradicted = false;
      for (next = i + 1; next < calls.size() && place(calls[next]) == place(calls[i]); ++next) {
        is_contradicted = is_contradicted || calls[next] != calls[i];
      }
      if (!is_contradicted) kept.push_back(calls[i]);
      file_.contradicted += is_contradicted ? next - i : 0;
    }
    calls = std::move(kept);
  }

  Sex FindSex() const {
    size_t pairs = 0, heterozygous = 0, lone = 0;
    if (const auto x = file_.calls.find("X"); x != file_.calls.end()) {
      for (const PersonalCall& call : x->second) {
        if (call.position < kXBegin || call.position > kXEnd) continue;
        ++(call.second == 0 ? lone : pairs);
        heterozygous += call.second != 0 && call.first != call.second ? 1 : 0;
      }
    }
    if (lone > pairs) return Sex::kMale;  // no service writes genotypes of two alleles so
    if (pairs >= kMinCalls) return SexByShare(heterozygous, pairs, kMaleHeterozygotes, kFemaleHeterozygotes);
    const auto y = file_.calls.find("Y");
    if (y_lines_ < kMinCalls) return Sex::kUnknown;
    const size_t missing = y_lines_ - std::min(y_lines_, y == file_.calls.end() ? 0 : y->second.size());
    return SexByShare(missing, y_lines_, 1 - kMaleCalls, 1 - kFemaleCalls);
  }

  static Sex SexByShare(size_t count, size_t all, double male, double female) {
    const double share = static_cast<double>(count) / static_cast<double>(all);
    return share <= male ? Sex::kMale : share >= female ? Sex::kFemale : Sex::kUnknown;
  }

  PersonalFile file_;
  std::optional<Layout> layout_;
  std::string comments_;
  size_t number_ = 0;  // of the line
  size_t first_unreadable_ = 0;
  size_t y_lines_ = 0;
  std::array<size_t, 3> known_{};  // [builds] known markers at their positions
};

bool HasPersonalLines(std::string_view head) {
  if (head.starts_with("##fileformat=VCF")) return false;
  while (!head.empty()) {
    const std::string_view line = PopLine(head);
    if (ParseColumnNames(line)) return true;
    if (!line.empty() && !line.starts_with('#')) return IsPersonalLine(line);
  }
  return false;
}

}  // namespace

size_t PersonalFile::NumCalls() const {
  size_t count = 0;
  for (const auto& [contig, own] : calls) count += own.size();
  return count;
}

bool IsPersonalFile(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  try {
    return HasPersonalLines(ReadContent(path, kHeadBytes));
  } catch (const InputError&) {
    return false;  // who reads it as another file says what is wrong
  }
}

std::string PersonalService(const std::string& head) {
  for (const char* name : {"AncestryDNA", "23andMe", "MyHeritage", "FamilyTreeDNA", "Living DNA", "tellmeGen"}) {
    if (ToLower(head).find(ToLower(name)) != std::string::npos) return name;
  }
  return "";
}

PersonalFile ReadPersonalFile(const std::string& path, const std::string& name) {
  const std::string text = ReadContent(path, kMaxBytes + 1);
  if (text.size() > kMaxBytes) {
    throw InputError(fmt::format("{}: has more than {} MiB, and so not the genotypes of one person's array; give VCF",
                                 path, kMaxBytes >> 20));
  }
  return PersonalParser(path, name).Parse(text);
}

}  // namespace haplospin
