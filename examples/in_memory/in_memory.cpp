// Imputes one person from a panel that is in memory only: no file is read but the weights.
#include <haplospin/impute.h>

#include <cstdio>
#include <vector>

int main() {
  // Six diploid reference samples at nine sites, in two groups: the first three samples have ALT at odd sites.
  const std::vector<uint8_t> odd{1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0}, even{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  haplospin::HaplotypePanelBuilder builder("chr20",
                                           haplospin::SampleTable::Diploid({"R1", "R2", "R3", "R4", "R5", "R6"}));
  for (int m = 0; m < 9; ++m) {
    builder.AddMarker({.position = 1000 * (m + 1), .id = ".", .ref = "A", .alt = "G"}, m % 2 == 1 ? odd : even);
  }
  const haplospin::HaplotypePanel panel = builder.Build();

  // One person, typed at four sites: the first haplotype is like the first group, the second like the other.
  haplospin::StudyGenotypes study{.contig = "chr20", .samples = haplospin::SampleTable::Diploid({"S1"})};
  for (int m : {1, 3, 5, 7}) {
    study.markers.push_back({panel.marker(m), {.alleles = {1, 0}}});
  }

  const haplospin::ImputedDosages imputed = haplospin::Impute(panel, study);
  for (size_t m = 0; m < imputed.num_markers(); m += 2) {
    std::printf("%s:%ld\t%.2f\t%.2f\n", panel.contig().c_str(), static_cast<long>(panel.marker(m).position),
                imputed.probability(0, m), imputed.probability(1, m));
  }
}
