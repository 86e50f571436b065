// Accuracy of imputed dosages, estimated from the dosages alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace haplospin {

// DR2: the squared correlation between the true ALT allele of a haplotype and its estimated probability p, expected if
// the probabilities are right: Var(p) / Var(true allele) = (mean(p^2) - mean(p)^2) / (mean(p) (1 - mean(p))), over
// haplotypes. 0 where the denominator is 0, or there is no haplotype. (Beagle's DR2, Browning and Browning 2009, AJHG
// 84:210, appendix 1, for phased probabilities.)
double EstimatedDosageR2(std::span<const float> haplotype_probabilities);

// ER2: the squared correlation of a typed marker's alleles with the ALT probabilities that they are imputed as when
// left out one by one, over the haplotypes whose allele is not missing. Nothing where either does not vary. (Minimac's
// ER2.)
std::optional<double> EmpiricalR2(std::span<const float> left_out_probabilities, std::span<const uint8_t> alleles);

}  // namespace haplospin
