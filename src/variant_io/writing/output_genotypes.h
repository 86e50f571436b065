// The values written for one record: rounded probabilities, called genotypes, and INFO fields.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "genomics/quantized_probability.h"
#include "variant_io/writing/dosage_writer.h"

namespace haplospin {

inline constexpr uint32_t kProbabilityOne = 10000;  // stands for a probability of 1: four decimals
inline constexpr uint16_t kNoProbability = UINT16_MAX;

// Every field of a record is made from the same rounded probabilities, so that DS is the sum of HDS, and GT its
// arg-max.
struct OutputGenotypes {
  std::vector<uint16_t> probability;  // [haplotypes] ALT probability; kNoProbability where nothing is known
  std::vector<uint8_t> allele;        // [haplotypes] 0, 1, kMissingAllele
  std::optional<double> alt_frequency;
  std::optional<double> dr2;
  std::optional<double> er2;

  // Overwrites all values with those of a record.
  void Assign(const DosageRecord& record);

 private:
  std::vector<float> exact_;
};

// P(no ALT), P(one ALT), P(two ALT) of two haplotypes, in units of 1 / kProbabilityOne; they sum to kProbabilityOne.
struct GenotypeProbabilities {
  uint32_t p[3];
};
inline GenotypeProbabilities CombineHaplotypes(uint32_t first, uint32_t second) {
  const auto product = [](uint32_t a, uint32_t b) { return (a * b + kProbabilityOne / 2) / kProbabilityOne; };
  const uint32_t none = product(kProbabilityOne - first, kProbabilityOne - second);
  const uint32_t two = product(first, second);
  return {{none, kProbabilityOne - none - two, two}};
}

}  // namespace haplospin
