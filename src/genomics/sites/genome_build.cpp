#include "genomics/sites/genome_build.h"

#include <algorithm>

#include "genomics/sites/contig_names.h"

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

}  // namespace

std::string BuildOfContigs(std::span<const std::pair<std::string, int64_t>> contigs) {
  size_t declared = 0, grch37 = 0, grch38 = 0;
  for (const auto& [name, length] : contigs) {
    const auto chromosome = std::ranges::find_if(
        kChromosomes, [&name = name](const Chromosome& known) { return SameContig(known.name, name); });
    if (chromosome == std::end(kChromosomes) || length == 0) continue;
    ++declared;
    grch37 += length == chromosome->grch37;
    grch38 += length == chromosome->grch38;
  }
  if (2 * grch37 > declared) return "GRCh37";
  if (2 * grch38 > declared) return "GRCh38";
  return "";
}

}  // namespace haplospin
