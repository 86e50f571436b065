// A genetic map.
#include <cmath>

#include "fuzz/fuzz_input.h"
#include "variant_io/genetic_map_file.h"

using namespace haplospin;

void FuzzOne(std::string_view bytes) {
  const std::string path = WriteFuzzFile("map", bytes);
  AcceptInputErrors([&] {
    const GeneticMap map = LoadGeneticMap(path, "20");
    double last = map.Centimorgans(0);
    for (const int64_t position : {int64_t{1}, map.first_position(), map.last_position(), int64_t{INT32_MAX}}) {
      const double centimorgans = map.Centimorgans(position);
      HS_ASSERT(std::isfinite(centimorgans) && (position < map.first_position() || centimorgans >= last));
      last = centimorgans;
    }
  });
}
