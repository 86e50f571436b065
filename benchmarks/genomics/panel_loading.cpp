// Time to load a panel from each of two files, in pairs of runs: panel_loading FIRST SECOND PAIRS THREADS. Prints a
// JSON line per pair: wall and processor seconds of each.
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "core/threads.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {
namespace {

struct Cost {
  double wall, processor;  // s
  size_t markers;
};

Cost Load(const std::string& path) {
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  const auto reader = OpenPanel(path);
  size_t markers = 0;
  while (reader->NextContig()) {
    MutablePanel panel = reader->StartContig();
    reader->ReadUntil(INT64_MAX, panel);
    markers += panel.num_markers();
  }
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
          static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC, markers};
}

int Run(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: panel_loading FIRST SECOND PAIRS THREADS\n");
    return 2;
  }
  const int pairs = std::atoi(argv[3]), threads = std::atoi(argv[4]);
  SetThreads(threads);
  for (int pair = 0; pair < pairs; ++pair) {
    const Cost first = Load(argv[1]), second = Load(argv[2]);
    fmt::print(
        "{{\"benchmark\": \"panel loading\", \"threads\": {}, \"markers\": {}, \"first_wall\": {:.4f}, \"first_cpu\": "
        "{:.4f}, \"second_wall\": {:.4f}, \"second_cpu\": {:.4f}, \"ratio_wall\": {:.2f}, \"ratio_cpu\": {:.2f}}}\n",
        threads, first.markers, first.wall, first.processor, second.wall, second.processor, first.wall / second.wall,
        first.processor / second.processor);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace haplospin

int main(int argc, char** argv) { return haplospin::Run(argc, argv); }
