#include "genotypes/imputation/backends/gpu/host_states.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>

#include "haplospin/errors.h"

namespace haplospin {

void HostStates::Set(std::span<const Choose> choose, size_t num_typed) {
  std::vector<ChosenStates> chosen(choose.size());
  tbb::parallel_for(size_t{0}, choose.size(), [&](size_t k) {
    CopyingStates& states = workspaces_.local();
    choose[k](states);
    ChosenStates& set = chosen[k];
    set.num_copied = states.num_copied();
    for (size_t state = 0; state < states.size(); ++state) {
      set.first_segment.push_back(static_cast<uint32_t>(set.segments.size()));
      for (const StateSegment& segment : states.segments(state)) {
        set.segments.push_back({segment.begin, segment.haplotype});
      }
    }
    set.first_segment.push_back(static_cast<uint32_t>(set.segments.size()));
  });
  SetSets(chosen, num_typed);
}

void HostStates::SetSets(std::span<const ChosenStates> chosen, size_t num_typed) {
  const size_t blocks = kernels::NumWords(static_cast<uint32_t>(num_typed));
  sets.Resize(chosen.size());
  size_t num_states = 0, num_segments = 0;
  num_words = 0;
  most_states = 0;
  std::vector<size_t> first_of_set;
  for (size_t k = 0; k < chosen.size(); ++k) {
    const auto count = static_cast<uint32_t>(chosen[k].first_segment.size() - 1);
    const uint32_t warps = (count + kernels::kStatesOfWarp - 1) / kernels::kStatesOfWarp;
    HS_ASSERT(warps <= kernels::kMaxWarps);
    sets[k] = {.first_bits = num_words,
               .first_state = static_cast<uint32_t>(num_states),
               .num_states = count,
               .num_copied = static_cast<uint32_t>(chosen[k].num_copied),
               .warps = warps};
    first_of_set.push_back(num_segments);
    num_states += count + 1;
    num_segments += chosen[k].segments.size();
    num_words += blocks * warps * kernels::kStatesOfWarp;
    most_states = std::max(most_states, count);
  }
  first_segment.Resize(num_states);
  segments.Resize(num_segments);
  tbb::parallel_for(size_t{0}, chosen.size(), [&](size_t k) {
    const auto offset = static_cast<uint32_t>(first_of_set[k]);
    std::ranges::transform(chosen[k].first_segment, first_segment.data() + sets[k].first_state,
                           [&](uint32_t first) { return first + offset; });
    std::ranges::copy(chosen[k].segments, segments.data() + offset);
  });
}

void HostStates::SetOrder(size_t num_targets, const std::function<size_t(size_t)>& set_of_target) {
  order.Resize(num_targets);
  size_t next = 0;
  for (uint32_t warps = 1; warps <= kernels::kMaxWarps; ++warps) {
    for (size_t t = 0; t < num_targets; ++t) {
      if (sets[set_of_target(t)].warps == warps) order[next++] = static_cast<uint32_t>(t);
    }
    warp_ends[warps - 1] = next;
  }
}

}  // namespace haplospin
