// Windows of SPIN's genomic experiments (appendix A.3): array sites and the markers to impute among them, as K-mer
// tokens.
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/stages/window_model.h"
#include "haplospin/haplotype_panel.h"
#include "learning/nn/layers/attributes.h"
#include "learning/nn/layers/masking.h"
#include "learning/token_imputation/token_network_options.h"

namespace haplospin {

inline constexpr uint32_t kNoMarker = UINT32_MAX;

// Panel markers, ascending: typed ones, as many as TokenShape::inputs, and ones to impute, as many as
// TokenShape::targets. kNoMarker stands for missing ones.
struct TokenWindow {
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> targets;
};

// The markers of `range` that are not typed. `typed`: ascending.
std::vector<uint32_t> UntypedMarkers(std::span<const uint32_t> typed, MarkerRange range);

// The window of some targets: its inputs are the typed markers nearest, in bp, to the targets' middle.
TokenWindow WindowAround(const HaplotypePanel& panel, std::span<const uint32_t> typed, std::vector<uint32_t> targets,
                         const TokenShape& shape);

// `count` windows of untyped markers, spread evenly over them from the first to the last; one: in their middle. Where
// there are too few markers for that, windows overlap; where there are fewer than one window's, each has all of them.
std::vector<TokenWindow> SpreadWindows(const HaplotypePanel& panel, std::span<const uint32_t> typed,
                                       std::span<const uint32_t> untyped, const TokenShape& shape, size_t count);

// Consecutive windows that contain all untyped markers; the last one overlaps with the one before it.
std::vector<TokenWindow> TileWindows(const HaplotypePanel& panel, std::span<const uint32_t> typed,
                                     std::span<const uint32_t> untyped, const TokenShape& shape);

// A window's haplotypes as tokens.
struct TokenTable {
  torch::Tensor tokens;  // [n, d] uint8
  torch::Tensor absent;  // [n, d] bool: tokens with an unknown allele

  TokenTable Rows(const torch::Tensor& rows) const;
  // Returns the table in float on the device, with absent tokens masked.
  MaskedTable ToTable(torch::Device device) const;
};

// The tokens of the panel's haplotypes. An input token with a marker that is not in the window is absent; in a target
// token it counts as 0, and a target token without any marker is absent.
TokenTable PanelTokens(const HaplotypePanel& panel, const TokenWindow& window, const TokenShape& shape);

// The tokens of the study's haplotypes: all targets are absent, and input tokens with an allele that is missing or not
// typed.
TokenTable StudyTokens(const HaplotypePanel& panel, const WindowStudy& study, const TokenWindow& window,
                       const TokenShape& shape);

// The columns of a table.
Attributes TokenAttributes(const TokenShape& shape);
torch::Tensor IsTargetColumn(const TokenShape& shape);  // bool [d]

// The probability of allele 1 (ALT, or the minor allele where the shape says so) at each marker of each token, from
// the logits [n, d, 2^k]: [n, d, k].
torch::Tensor AlleleProbabilities(const torch::Tensor& logits, const TokenShape& shape);

// Returns whether a marker's bit in a token is 1 for REF, which is so where the shape counts minor alleles, and REF is
// the minor one.
inline bool BitIsRef(const HaplotypePanel& panel, uint32_t marker, const TokenShape& shape) {
  return shape.minor_alleles && !panel.minor_is_alt(marker);
}

}  // namespace haplospin
