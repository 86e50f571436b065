// The alleles of the panel, and of the states that are composed of its haplotypes, as words of 32 markers.

namespace haplospin::kernels {

// Sets minor_rows from bits by marker. A warp transposes 32 markers of 32 haplotypes.
extern "C" __global__ void __launch_bounds__(kThreads) TransposeAlleles(const KernelData data, const MarkerBits bits) {
  const WindowData& window = data.window;
  const uint64_t warp = uint64_t{blockIdx.x} * kWarpsOfBlock + WarpOfBlock();
  const uint32_t group = warp % bits.haplotype_words;
  const uint32_t w = bits.first_word + warp / bits.haplotype_words;
  if (w >= bits.first_word + bits.num_words) return;
  const AlleleWord word = window.words[w];
  uint32_t marker_bits = 0;
  if (Lane() < word.count) {
    const uint32_t marker = word.marker + Lane();
    marker_bits = bits.alt[uint64_t{marker - bits.first_marker} * bits.haplotype_words + group];
    if (!window.markers[marker].minor_is_alt) marker_bits = ~marker_bits;
  }
  uint32_t haplotype_bits = 0;
  for (uint32_t k = 0; k < kLanes; ++k) {
    const uint32_t column = __ballot_sync(kAllLanes, marker_bits >> k & 1);
    if (Lane() == k) haplotype_bits = column;
  }
  const uint64_t haplotype = uint64_t{group} * kLanes + Lane();
  if (haplotype < window.num_haplotypes) window.minor_rows[haplotype * window.num_words + w] = haplotype_bits;
}

// Sets state_bits. A thread has one state: it joins the alleles of the haplotypes that the state stands for.
extern "C" __global__ void __launch_bounds__(kThreads) JoinSegments(const KernelData data) {
  const WindowData& window = data.window;
  const StateSet set = data.group.sets[blockIdx.y];
  const uint32_t state = blockIdx.x * kThreads + threadIdx.x;
  if (state >= set.num_states) return;
  const uint32_t* first = data.group.first_segment + set.first_state + state;
  const Segment* segment = data.group.segments + first[0];
  const Segment* last = data.group.segments + first[1] - 1;
  uint32_t* out = data.group.state_bits + set.first_bits + state;
  for (uint32_t word = 0; word < NumWords(window.num_typed); ++word) {
    const uint32_t end = min(window.num_typed, 32 * (word + 1));
    uint32_t alleles = 0;
    for (uint32_t from = 32 * word; from < end;) {
      const uint32_t to = segment < last ? min(end, segment[1].begin) : end;
      const uint32_t up_to = to - 32 * word;
      const uint32_t stretch = (up_to == 32 ? kAllLanes : (1u << up_to) - 1) & (kAllLanes << (from - 32 * word));
      alleles |= window.typed_rows[uint64_t{segment->haplotype} * window.typed_words + word] & stretch;
      if (segment < last && segment[1].begin == to) ++segment;
      from = to;
    }
    out[uint64_t{word} * set.warps * kStatesOfWarp] = alleles;
  }
}

}  // namespace haplospin::kernels
