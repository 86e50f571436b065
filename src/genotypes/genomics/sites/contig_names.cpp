#include "genotypes/genomics/sites/contig_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/letter_case.h"

namespace haplospin {
namespace {

// "01" to "09", and "0X", "0Y" and "0M": names of two characters, of UK Biobank and of plink2 --output-chr 0M.
bool HasLeadingZero(std::string_view bare) {
  return bare.size() == 2 && bare[0] == '0' && std::string_view("123456789XYM").find(bare[1]) != std::string_view::npos;
}

constexpr std::string_view kHuman[] = {"1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",  "10", "11", "12", "13",
                                       "14", "15", "16", "17", "18", "19", "20", "21", "22", "X",  "Y",  "MT"};

// A run of accession numbers of NCBI, from the first on for chromosomes `begin`, `begin` + step, ... of kHuman.
struct Accessions {
  std::string_view prefix;
  int first, last, begin, step;
};

// GRCh37 and GRCh38 differ in the version after the number, and T2T-CHM13 has numbers of its own, from 1 up in RefSeq
// and down in GenBank.
constexpr Accessions kAccessions[] = {{"NC_0000", 1, 24, 0, 1},  {"NC_0129", 20, 20, 24, 1}, {"NC_0609", 25, 48, 0, 1},
                                      {"CM000", 663, 686, 0, 1}, {"CP0682", 55, 77, 22, -1}, {"CP0865", 69, 69, 23, 1},
                                      {"CP0682", 54, 54, 24, 1}};

// Returns the chromosome of man that has an accession number such as NC_000020.11, or nothing.
std::optional<std::string_view> ChromosomeOfAccession(std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  for (const Accessions& run : kAccessions) {
    const std::string_view digits = name.substr(0, dot).substr(std::min(run.prefix.size(), dot));
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const size_t length = run.prefix == "CM000" ? 3 : 2;
    if (!name.starts_with(run.prefix) || digits.size() != length || error != std::errc() ||
        end != digits.data() + digits.size() || number < run.first || number > run.last) {
      continue;
    }
    return kHuman[run.begin + run.step * (number - run.first)];
  }
  return std::nullopt;
}

}  // namespace

std::string_view BareContig(std::string_view name) {
  constexpr std::string_view kPrefix = "chr";
  const bool has_prefix =
      std::ranges::equal(name.substr(0, kPrefix.size()), kPrefix, {}, [](char c) { return ToLower(c); });
  if (name.size() > kPrefix.size() && has_prefix) name.remove_prefix(kPrefix.size());
  return HasLeadingZero(name) ? name.substr(1) : name;
}

std::string_view CanonicalContig(std::string_view name) {
  if (const auto chromosome = ChromosomeOfAccession(name)) return *chromosome;
  const std::string_view bare = BareContig(name);
  if (bare == "23") return "X";
  if (bare == "24") return "Y";
  if (bare == "M" || name == "26") return "MT";
  return bare;
}

size_t HaploidParent(std::string_view contig) {
  const std::string_view name = CanonicalContig(contig);
  return name == "Y" || name == "Z" ? 0 : 1;
}

std::optional<std::string> FindContig(std::span<const std::string> names, std::string_view contig) {
  auto found = std::ranges::find(names, contig);
  if (found == names.end()) {
    found = std::ranges::find(names, BareContig(contig), [](const std::string& n) { return BareContig(n); });
  }
  if (found == names.end()) found = std::ranges::find_if(names, [&](const auto& n) { return SameContig(n, contig); });
  return found == names.end() ? std::nullopt : std::optional(*found);
}

bool ContigMatch::operator()(std::string_view name) const {
  return is_own_name_ ? BareContig(name) == BareContig(contig_) : SameContig(name, contig_);
}

std::vector<std::string> NamesOfContigs(const ContigTable& contigs) {
  std::vector<std::string> names;
  names.reserve(contigs.size());
  for (const auto& [name, length] : contigs) names.push_back(name);
  return names;
}

std::string_view MergePar(std::string_view name) {
  const std::string_view bare = BareContig(name);
  return bare == "PAR1" || bare == "PAR2" ? "X" : name;
}

std::string RemedyForPlinkXY(std::span<const std::string> names) {
  const auto is_par = [](const std::string& name) { return MergePar(name) != name; };
  const auto found = std::ranges::find_if(names, [&](const std::string& name) {
    const std::string_view bare = BareContig(name);
    return bare == "25" || bare == "XY" || is_par(name);
  });
  if (found == names.end()) return "";
  return fmt::format(
      "; contig {} is PLINK's name of the pseudo-autosomal regions of X: merge it into X ({} --make-bed)", *found,
      is_par(*found) ? "plink2 --merge-par" : "plink --merge-x");
}

bool IsContigName(std::string_view name) {
  return !name.empty() && name.front() != '[' && std::ranges::none_of(name, [](unsigned char c) {
    return c <= ' ' || c == 0x7f || c == ',' || c == '"' || c == '<' || c == '>';
  });
}

bool SameContig(std::string_view a, std::string_view b) { return CanonicalContig(a) == CanonicalContig(b); }

std::string JoinNames(std::span<const std::string> names, size_t limit) {
  if (names.empty()) return "none";
  std::string joined;
  for (size_t i = 0; i < std::min(limit, names.size()); ++i) joined += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > limit) joined += fmt::format(" and {} more", names.size() - limit);
  return joined;
}

}  // namespace haplospin
