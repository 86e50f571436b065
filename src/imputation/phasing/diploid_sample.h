// A diploid study sample while it is phased.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace haplospin {

struct DiploidSample {
  std::array<std::vector<uint8_t>, 2> alleles;  // [haplotype][typed] 0, 1 or kMissingAllele; the present phase
  std::vector<uint32_t> hets;                   // heterozygous typed markers, ascending

  // Of each heterozygote: whether its phase is to be found, and whether that of the heterozygotes after it is to be
  // found relative to those up to it. Within a set of given phase, neither is.
  std::vector<bool> can_flip;
  std::vector<bool> can_switch_after;
};

// Whether there are several sets of given phase, whose phase with each other is to be found.
bool HasSets(const DiploidSample& sample);

// The same sample without sets: the phase of each heterozygote is to be found.
DiploidSample WithoutSets(const DiploidSample& sample);

// Takes the phase that was found without sets: each set as most of its heterozygotes have it, and other heterozygotes
// relative to the last one of a set before them.
void TakePhase(const DiploidSample& without_sets, DiploidSample& sample);

// Of each heterozygote but the first: whether its ALT allele is on the haplotype of the one before it.
std::vector<bool> CisOf(const DiploidSample& sample);

// Sets the phase; haplotype 0 keeps its allele at the first heterozygote.
void SetCis(const std::vector<bool>& cis, DiploidSample& sample);

}  // namespace haplospin
