// The averages over the versions of a sample's phase (imputation/backends/phase_average.h), as the steps of
// ProbabilityTable.

namespace haplospin::kernels {

// PackProbability() of genomics/quantized_probability.h.
__device__ __forceinline__ uint16_t Packed(float probability) {
  return static_cast<uint16_t>(fminf(fmaxf(probability, 0), 1) * kPackedProbabilityOne + 0.5f);
}

// The sample of a row of the output, by binary search.
__device__ __forceinline__ Sample SampleOfRow(const GroupData& group, uint32_t row) {
  uint32_t low = 0, high = group.num_samples;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (group.samples[middle].first_row <= row) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return group.samples[low];
}

// Sums value(target) over the versions of a sample that have a weight in an interval, for one of its haplotypes.
template <typename Value>
__device__ __forceinline__ float SumOverVersions(const KernelData& data, const Sample& sample, uint32_t haplotype,
                                                 uint32_t interval, Value value) {
  const GroupData& group = data.group;
  float sum = 0;
  for (uint32_t first = 0; first < sample.num_targets; first += sample.ploidy) {
    const uint32_t version = group.targets[sample.first_target + first].version;
    float weight = 1;
    uint32_t h = haplotype;
    if (version != kNone) {
      const uint64_t at = uint64_t{version} * (data.window.num_typed + 1) + interval;
      weight = group.version_weight[at];
      if (group.version_swapped[at]) h = 1 - h;
    }
    if (weight > 0) sum = fmaf(weight, value(sample.first_target + first + h), sum);
  }
  return sum;
}

// A thread has a marker, or a left-out typed marker, of a row.
extern "C" __global__ void __launch_bounds__(kThreads) AverageVersions(const KernelData data) {
  const WindowData& window = data.window;
  const GroupData& group = data.group;
  const uint32_t row = blockIdx.y;
  const uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  const Sample sample = SampleOfRow(group, row);
  const uint32_t haplotype = row - sample.first_row;
  if (i < window.num_markers) {
    const Marker marker = window.markers[i];
    const uint32_t given =
        marker.typed == kNone ? kMissing : group.output_alleles[uint64_t{row} * window.num_typed + marker.typed];
    float alt = given;
    if (given == kMissing) {
      alt = SumOverVersions(data, sample, haplotype, marker.interval,
                            [&](uint32_t target) { return group.minor[uint64_t{target} * window.num_markers + i]; });
      if (!marker.minor_is_alt) alt = 1 - alt;
    }
    group.alt_rows[uint64_t{row} * window.num_markers + i] = Packed(alt);
  } else if (i - window.num_markers < group.num_left_out) {
    const uint32_t k = i - window.num_markers, j = group.left_out_typed[k];
    const float alt = SumOverVersions(data, sample, haplotype, j, [&](uint32_t target) {
      return group.left_out[uint64_t{target} * window.num_typed + j];
    });
    group.left_out_rows[uint64_t{row} * group.num_left_out + k] = Packed(alt);
  }
}

}  // namespace haplospin::kernels
