// The imputer's network in LibTorch: used for training, and the reference for the vector kernels.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/container/functional.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include "genotypes/imputation/models/network/imputer_weights.h"
#include "learning/imputer_training/episode.h"

namespace haplospin {

// NetworkInputs as tensors. I intervals, V markers, S candidates, F copy features, P panel features.
struct NetworkTensors {
  torch::Tensor features;         // [I, S, F]
  torch::Tensor at_left;          // [I, S] of CopyCandidates; anything in slots that hold none
  torch::Tensor at_right;         // [I, S]
  torch::Tensor panel_features;   // [I, P]
  torch::Tensor used;             // [I, S] bool: slots that hold a candidate
  torch::Tensor interval;         // [V]
  torch::Tensor carriers;         // [V, S] bool
  torch::Tensor marker_features;  // [V, kNumMarkerFeatures]

  NetworkTensors() = default;
  NetworkTensors(const NetworkInputs& inputs, torch::Device device);
};

struct EpisodeTensors : NetworkTensors {
  torch::Tensor truth, weight;                                                // [V]
  torch::Tensor plain_frequency, plain_candidate, plain_truth, plain_weight;  // [W]

  EpisodeTensors(const EpisodeBatch& batch, torch::Device device);
};

struct ImputerNetworkImpl : torch::nn::Module {
  ImputerNetworkImpl(int64_t copy_hidden, int64_t allele_hidden);

  // Probabilities of the minor allele at the markers where candidates differ [V], and where they agree [W].
  torch::Tensor Forward(const NetworkTensors& inputs);
  torch::Tensor Plain(const EpisodeTensors& episodes);

  torch::Tensor copying;      // [2] weights of the log forward and backward probabilities
  torch::Tensor panel_share;  // [1] logit
  torch::nn::Sequential copy, allele;
};
TORCH_MODULE(ImputerNetwork);

// Minor allele probabilities of the Li-Stephens model alone, over the same candidates: [V].
torch::Tensor CopyingProbabilities(const NetworkTensors& inputs);

ImputerWeights ToWeights(const ImputerNetwork& network);

}  // namespace haplospin
