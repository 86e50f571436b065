// Imputes one person from a panel that is in memory only: no file is read but the weights.
#include <cstdio>

#include "core/install_paths.h"
#include "imputation/window_imputer.h"

int main() {
  // Six diploid reference samples at nine sites, in two groups: the first three samples have ALT at odd sites.
  haplospin::SampleTable donors{{"R1", "R2", "R3", "R4", "R5", "R6"}, {0, 2, 4, 6, 8, 10, 12}};
  haplospin::HaplotypePanel panel("chr20", donors);
  for (int m = 0; m < 9; ++m) {
    const uint64_t carriers = m % 2 == 1 ? 0b000000111111 : 0b111111000000;  // bit h is haplotype h
    panel.Append({.position = 1000 * (m + 1), .id = ".", .ref = "A", .alt = "G"}, &carriers);
  }

  // One person, typed at sites 1, 3, 5 and 7: the first haplotype is like the first group, the second like the other.
  haplospin::SampleTable person{{"S1"}, {0, 2}};
  const std::vector<uint8_t> typed = {1, 0};
  const haplospin::WindowStudy study{&person, {1, 3, 5, 7}, {&typed, &typed, &typed, &typed}};

  const auto weights = haplospin::LoadImputerWeights(haplospin::ModelsFolder() + "/imputer.safetensors");
  const auto dosages =
      haplospin::ImputeWindow(panel, haplospin::GeneticMap::Uniform(), study, 0, panel.num_markers(), weights, {});
  for (size_t m = 0; m < panel.num_markers(); m += 2) {
    std::printf("%s:%ld\t%.2f\t%.2f\n", panel.contig().c_str(), static_cast<long>(panel.marker(m).position),
                dosages.row(0)[m] / 65535.0, dosages.row(1)[m] / 65535.0);
  }
}
