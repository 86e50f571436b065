#include "genotypes/genomics/sites/ploidy_regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/parse_number.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

struct Chromosome {
  const char* name;
  int64_t grch37, grch38;  // length, bp
};

constexpr Chromosome kChromosomes[] = {
    {"1", 249250621, 248956422},  {"2", 243199373, 242193529},  {"3", 198022430, 198295559},
    {"4", 191154276, 190214555},  {"5", 180915260, 181538259},  {"6", 171115067, 170805979},
    {"7", 159138663, 159345973},  {"8", 146364022, 145138636},  {"9", 141213431, 138394717},
    {"10", 135534747, 133797422}, {"11", 135006516, 135086622}, {"12", 133851895, 133275309},
    {"13", 115169878, 114364328}, {"14", 107349540, 107043718}, {"15", 102531392, 101991189},
    {"16", 90354753, 90338345},   {"17", 81195210, 83257441},   {"18", 78077248, 80373285},
    {"19", 59128983, 58617616},   {"20", 63025520, 64444167},   {"21", 48129895, 46709983},
    {"22", 51304566, 50818468},   {"X", 155270560, 156040895},  {"Y", 59373566, 57227415},
};

// PAR1 ends and PAR2 begins here, bp; beyond them X has nothing else.
struct Build {
  std::array<std::string_view, 3> names;
  int64_t par1_end, par2_begin;
};

constexpr Build kBuilds[] = {{{"GRCh37", "hg19", "b37"}, 2699520, 154931044},
                             {{"GRCh38", "hg38", "b38"}, 2781479, 155701383},
                             {{"T2T-CHM13", "hs1", "chm13"}, 2394410, 153925835}};

bool HasCanonicalName(std::span<const std::string> names) {
  return std::ranges::any_of(names, [](const std::string& name) {
    const std::string_view bare = BareContig(name);
    return bare == "X" || bare == "Y";
  });
}

// PLINK's numbers after 22 are X, Y, the pseudo-autosomal regions, and the mitochondrion.
bool IsNotHuman(const std::pair<std::string, int64_t>& contig) {
  constexpr size_t kPseudoAutosomal = 25, kMitochondrion = 26, kMostOfPlink = 95;
  constexpr int64_t kMitochondrionEnd = 17000, kFirstRegionEnd = 3000000, kSecondRegionBegin = 150000000;  // bp
  const auto& [name, length] = contig;
  const size_t number = ParseNumber<size_t>(BareContig(name)).value_or(0);
  if (number == kPseudoAutosomal) return length > kFirstRegionEnd && length < kSecondRegionBegin;
  if (number == kMitochondrion) return length > kMitochondrionEnd;
  return number > kMitochondrion && number <= kMostOfPlink;
}

}  // namespace

std::string DeclaredBuild(const ContigTable& contigs) {
  size_t declared = 0, grch37 = 0, grch38 = 0;
  for (const auto& [name, length] : contigs) {
    const auto chromosome = std::ranges::find(kChromosomes, CanonicalContig(name), &Chromosome::name);
    if (chromosome == std::end(kChromosomes) || length == 0) continue;
    ++declared;
    grch37 += length == chromosome->grch37;
    grch38 += length == chromosome->grch38;
  }
  if (2 * grch37 > declared) return "GRCh37";
  if (2 * grch38 > declared) return "GRCh38";
  return "";
}

PloidyRegions::PloidyRegions(std::vector<Region> pseudo_autosomal) : regions_(std::move(pseudo_autosomal)) {
  std::ranges::sort(regions_, {}, [](const Region& r) { return std::pair(CanonicalContig(r.contig), r.begin); });
  for (size_t i = 1; i < regions_.size(); ++i) {
    const Region &first = regions_[i - 1], &second = regions_[i];
    if (!SameContig(first.contig, second.contig) || first.end < second.begin) continue;
    throw InputError(fmt::format("pseudo-autosomal regions {}:{}-{} and {}:{}-{} overlap; give one of them",
                                 first.contig, first.begin, first.end, second.contig, second.begin, second.end));
  }
}

PloidyRegions PloidyRegions::ForBuild(std::string_view build) {
  for (const Build& known : kBuilds) {
    if (std::ranges::find(known.names, build) == known.names.end()) continue;
    return PloidyRegions({{"X", 0, known.par1_end}, {"X", known.par2_begin, INT64_MAX}});
  }
  return {};
}

void PloidyRegions::KeepAutosomesOfPanel(std::span<const std::string> names) {
  if (empty() || HasCanonicalName(names)) KeepAutosomes(names);
}

void PloidyRegions::KeepAutosomesOfStudy(std::span<const std::string> names) {
  if (HasCanonicalName(names)) KeepAutosomes(names);
}

void PloidyRegions::KeepAutosomesUnlessHuman(const ContigTable& contigs) {
  if (empty() && std::ranges::any_of(contigs, IsNotHuman)) KeepAllAutosomes();
}

void PloidyRegions::KeepRomanTen(const ContigTable& contigs) {
  const auto has = [&](std::string_view numeral) {
    return std::ranges::any_of(contigs, [&](const auto& contig) { return BareContig(contig.first) == numeral; });
  };
  has_roman_ten_ = has("IX") && has("XI");
}

void PloidyRegions::KeepAutosomes(std::span<const std::string> names) {
  for (const std::string& name : names) {
    const std::string_view bare = BareContig(name);
    if (bare == "23" || bare == "24") autosomes_.emplace_back(bare);
  }
}

std::string_view PloidyRegions::CanonicalName(std::string_view contig) const {
  const std::string_view bare = BareContig(contig);
  if (has_roman_ten_ && bare == "X") return "10";
  if (const auto number = ParseNumber<size_t>(bare); number && num_autosomes_ > 0) {
    return *number == num_autosomes_ + 1 ? "X" : *number == num_autosomes_ + 2 ? "Y" : bare;
  }
  return std::ranges::find(autosomes_, bare) == autosomes_.end() ? CanonicalContig(contig) : bare;
}

// 26 is PLINK's mitochondrion, but an autosome of sheep.
bool PloidyRegions::IsSexOrMitochondrial(std::string_view contig) const {
  constexpr std::array<std::string_view, 9> kNames{"X", "Y", "Z", "W", "XY", "MT", "PAR", "PAR1", "PAR2"};
  return BareContig(contig) != "26" && std::ranges::find(kNames, CanonicalName(contig)) != kNames.end();
}

ContigPart PloidyRegions::PartAt(std::string_view contig, int64_t position) const {
  const std::string_view name = CanonicalName(contig);
  ContigPart part{.males_are_haploid = name == "X" || name == "Y",
                  .females_lack_it = name == "Y",
                  .males_lack_it = name == "W",
                  .is_autosomal = !IsSexOrMitochondrial(contig)};
  for (const Region& region : regions_) {
    if (CanonicalName(region.contig) != name) continue;
    if (region.begin <= position && position <= region.end) {
      return {.begin = region.begin, .end = region.end, .is_pseudo_autosomal = true, .is_autosomal = false};
    }
    if (region.end < position) part.begin = region.end + 1;
    if (position < region.begin) part.end = std::min(part.end, region.begin - 1);
  }
  return part;
}

std::string NameOfPart(const std::string& contig, const ContigPart& part) {
  if (part.IsWhole()) return contig;
  return part.end == INT64_MAX ? fmt::format("{}:{}-", contig, part.begin)
                               : fmt::format("{}:{}-{}", contig, part.begin, part.end);
}

}  // namespace haplospin
