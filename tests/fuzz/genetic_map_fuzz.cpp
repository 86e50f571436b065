// A genetic map.
#include <algorithm>
#include <array>
#include <cmath>

#include "fuzz/fuzz_input.h"
#include "genotypes/variant_io/genetic_map_file.h"

using namespace haplospin;

void FuzzOne(std::string_view bytes) {
  const std::string path = WriteFuzzFile("map", bytes);
  AcceptInputErrors([&] {
    const GeneticMap map = LoadGeneticMap(path, "20");
    double last = map.Centimorgans(0);
    std::array<int64_t, 4> positions = {1, map.first_position(), map.last_position(), INT32_MAX};
    std::ranges::sort(positions);  // a map may begin at 0
    for (const int64_t position : positions) {
      const double centimorgans = map.Centimorgans(position);
      HS_ASSERT(std::isfinite(centimorgans) && (position < map.first_position() || centimorgans >= last));
      last = centimorgans;
    }
  });
}
