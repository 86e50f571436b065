// The imputer's network on the CPU: vectors run over candidates or over markers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "genotypes/imputation/models/copying/match_features.h"
#include "genotypes/imputation/models/network/imputer_weights.h"
#include "genotypes/imputation/models/network/window_alleles.h"

namespace haplospin {

// Weights in the order in which RunMlp() reads them.
struct PackedMlp {
  explicit PackedMlp(const MlpWeights& weights);

  size_t inputs;
  size_t hidden;
  std::vector<float> weight1;  // [hidden / 4, inputs, 4]
  std::vector<float> weight2;  // [hidden / 4, hidden, 4]
  std::vector<float> bias1, bias2, weight3;
  float bias3;
};

inline constexpr size_t kMlpWidth = kMaxCandidates;  // candidates or markers at a time
inline constexpr size_t kMaxHidden = 128;
inline constexpr size_t kMlpTile = 48;  // columns that are computed together, at most

struct MlpScratch {
  alignas(64) float first[kMaxHidden * kMlpTile];  // [hidden, columns of a tile]
  alignas(64) float second[kMaxHidden * kMlpTile];
};

// Sets out[k] = mlp(inputs[:][k]) for columns up to PaddedCount(count).
void RunMlp(const PackedMlp& mlp, const float (*inputs)[kMlpWidth], size_t count, MlpScratch& scratch, float* out);

// Attention of one target over the candidates of one interval.
struct CopyAttention {
  size_t count = 0;  // number of candidates
  alignas(64) float logit[kMaxCandidates];

  // Weights at the left and right end of the interval: softmax of the logits times the candidates' at_left or at_right,
  // normalized.
  alignas(64) float left[kMaxCandidates];
  alignas(64) float right[kMaxCandidates];

  float log_sum;      // log-sum-exp of the logits
  float log_squares;  // log of the sum of squared weights in the middle of the interval
};

// Computes the attention. On entry `logit` holds the copy network's outputs for `count` candidates. Slots from there to
// PaddedCount() get no weight.
void FinishAttention(const CopyFeatures& features, float forward, float backward, size_t count,
                     CopyAttention& attention);

// The attention on the candidates without [0] and with [1] the minor allele, at a place in the interval (MarkerPlace).
struct SplitAttention {
  float weight[2];   // sum of the weights
  uint32_t best[2];  // candidate with the largest logit
};
void Split(const CopyAttention& attention, float place, const CandidateMask& carriers, SplitAttention& split);

// Sets p[k] = sigmoid(logit[k] + correction[k]) for kMlpWidth markers.
void Sigmoid(const float* logit, const float* correction, float* p);

}  // namespace haplospin
