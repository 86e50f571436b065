// People: the panel samples among the candidates of a study sample.
#pragma once

namespace haplospin::kernels {

// The index of a panel sample among the people of a study sample.
__device__ __forceinline__ uint32_t FindPerson(const KernelData& data, uint32_t sample, uint32_t haplotype) {
  const uint32_t person = data.window.sample_of[haplotype];
  const uint64_t word = uint64_t{sample} * NumWords(data.window.num_samples) + person / 32;
  return data.group.people_before[word] + __popc(data.group.is_candidate[word] & ((1u << person % 32) - 1));
}

}  // namespace haplospin::kernels
