#include "genotypes/genomics/hla/hla_genes.h"

#include <array>
#include <string_view>

#include "genotypes/genomics/sites/contig_names.h"

namespace haplospin {
namespace {

struct Build {
  std::string_view name, ucsc;
  int64_t length;  // of chromosome 6, bp
};

constexpr std::array<Build, 4> kBuilds{{{"GRCh36", "hg18", 170899992},
                                        {"GRCh37", "hg19", 171115067},
                                        {"GRCh38", "hg38", 170805979},
                                        {"T2T-CHM13", "hs1", 172126628}}};
constexpr size_t kBuildsWithGenes = 3;

struct Gene {
  const char* name;
  std::array<std::array<int64_t, 2>, kBuildsWithGenes> range;  // first and last position in each build, bp
};

constexpr Gene kGenes[] = {
    {"A", {{{30018310, 30021633}, {29910247, 29913661}, {29942470, 29945884}}}},
    {"C", {{{31344508, 31347834}, {31236526, 31239913}, {31268749, 31272136}}}},
    {"B", {{{31429628, 31432914}, {31321649, 31324989}, {31353872, 31357212}}}},
    {"DRB5", {{{32593129, 32605984}, {32485151, 32498006}, {32517374, 32530229}}}},
    {"DRB1", {{{32654527, 32665559}, {32546546, 32557613}, {32578769, 32589836}}}},
    {"DQA1", {{{32713161, 32719407}, {32605169, 32612152}, {32637396, 32654774}}}},
    {"DQB1", {{{32735635, 32742444}, {32627241, 32634466}, {32659464, 32666689}}}},
    {"DPA1", {{{33140772, 33149527}, {33032346, 33048555}, {33064569, 33080778}}}},
    {"DPB1", {{{33151738, 33162954}, {33043703, 33057473}, {33075926, 33089696}}}},
};

}  // namespace

HlaGenes HlaGenesOfBuild(std::string_view build) {
  HlaGenes genes;
  for (size_t b = 0; b < kBuildsWithGenes; ++b) {
    if (build != kBuilds[b].name && build != kBuilds[b].ucsc) continue;
    for (const Gene& gene : kGenes) genes.emplace(gene.name, (gene.range[b][0] + gene.range[b][1]) / 2);
  }
  return genes;
}

std::string HlaBuild(const ContigTable& contigs) {
  for (const auto& [name, length] : contigs) {
    if (!SameContig(name, kHlaContig)) continue;
    for (const Build& build : kBuilds) {
      if (build.length == length) return std::string(build.name);
    }
  }
  return "";
}

}  // namespace haplospin
