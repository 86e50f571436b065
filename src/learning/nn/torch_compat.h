// Every difference between the supported versions of LibTorch: Debian 12's 1.13, and 2.4 and later.
#pragma once

#include <ATen/autocast_mode.h>
#include <torch/types.h>
#include <torch/version.h>
#if TORCH_VERSION_MAJOR >= 2
#include <torch/csrc/distributed/c10d/Backend.hpp>
#else
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#endif

#include <optional>

#include "haplospin/errors.h"

namespace haplospin::compat {

// The base class of the Gloo and NCCL backends.
#if TORCH_VERSION_MAJOR >= 2
using CollectiveBackend = c10d::Backend;
#else
using CollectiveBackend = c10d::ProcessGroup;
#endif

inline constexpr bool kHasFusedAttention = TORCH_VERSION_MAJOR >= 2;

// LibTorch's fused softmax(scale Q K^T) V; the mask may be undefined. Only where kHasFusedAttention.
inline torch::Tensor FusedAttention([[maybe_unused]] const torch::Tensor& queries,
                                    [[maybe_unused]] const torch::Tensor& keys,
                                    [[maybe_unused]] const torch::Tensor& values,
                                    [[maybe_unused]] const torch::Tensor& mask, [[maybe_unused]] double dropout,
                                    [[maybe_unused]] double scale) {
#if TORCH_VERSION_MAJOR >= 2
  const auto given_mask = mask.defined() ? std::make_optional(mask) : std::nullopt;
  return at::scaled_dot_product_attention(queries, keys, values, given_mask, dropout, /*is_causal=*/false, scale);
#else
  HS_ASSERT(!"this LibTorch has fused attention");
  return {};
#endif
}

inline bool IsAutocastEnabled(torch::DeviceType device) {
#if TORCH_VERSION_MAJOR >= 2
  return at::autocast::is_autocast_enabled(device);
#else
  return device == torch::kCPU ? at::autocast::is_cpu_enabled() : at::autocast::is_enabled();
#endif
}

inline void SetAutocast(torch::DeviceType device, bool enabled, torch::ScalarType type) {
#if TORCH_VERSION_MAJOR >= 2
  at::autocast::set_autocast_enabled(device, enabled);
  at::autocast::set_autocast_dtype(device, type);
#else
  if (device == torch::kCPU) {
    at::autocast::set_cpu_enabled(enabled);
    at::autocast::set_autocast_cpu_dtype(type);
  } else {
    at::autocast::set_enabled(enabled);
    at::autocast::set_autocast_gpu_dtype(type);
  }
#endif
}

inline torch::ScalarType AutocastType(torch::DeviceType device) {
#if TORCH_VERSION_MAJOR >= 2
  return at::autocast::get_autocast_dtype(device);
#else
  return device == torch::kCPU ? at::autocast::get_autocast_cpu_dtype() : at::autocast::get_autocast_gpu_dtype();
#endif
}

}  // namespace haplospin::compat
