// All kernels of the imputer, as NVRTC compiles them for GPUs and the tests for the CPU. One warp is one haplotype, or
// a part of its states; there are no sums whose order depends on timing, so that two runs give the same bytes.

// What the kernels share:
#include "kernel_data.h"
#include "warp.cuh"
// Further parts of it, which use these two:
#include "forward_backward.cuh"
#include "network.cuh"
#include "people.cuh"
// The kernels:
#include "alleles.cu"
#include "attention.cu"
#include "averages.cu"
#include "candidates.cu"
#include "panel_rows.cu"
#include "phase_errors.cu"
#include "sample_shares.cu"
