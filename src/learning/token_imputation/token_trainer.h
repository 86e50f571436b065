// Trains SPIN, NPT or the Set Transformer on a panel masked to an array: one window, or one model for many.
#pragma once

#include <cstdint>
#include <string>

#include "core/provenance.h"
#include "genotypes/genomics/sites/site_list.h"
#include "haplospin/haplotype_panel.h"
#include "learning/nn/training_options.h"
#include "learning/token_imputation/token_network_options.h"

namespace haplospin {

enum class TokenMasking {
  kChunk,  // masks all targets of some rows: the query; the other rows are the context
  kToken,  // masks some targets of every row, as in BERT and NPT
};

struct TokenTraining : TrainingOptions {
  TokenTraining() {
    learning_rate = 5e-3;
    log_steps = 50;
    validation_steps = 50;
    checkpoint_steps = 100;
  }

  // Numbers of inputs and targets are reduced where the panel has fewer. 0 inducing points or latent attributes: a
  // number that suits the number of windows.
  TokenNetworkOptions network;
  int64_t windows = 1;  // 1: a model of one window; more: one model for all (CIPNP, section 4.3)
  TokenMasking masking = TokenMasking::kChunk;
  double target_mask = 0.3;        // share of the rows (kChunk) or targets (kToken) in the loss
  double attribute_mask = 0.1;     // share of the inputs hidden and in the loss: of the query's rows, or of all
  double tradeoff = 0.5;           // lambda of section 3.4 at the first step; it falls to 0 at the last
  int64_t rows = 1024;             // haplotypes in a step of a process, fewer where `max_bytes` allows no more; 0: all
  double flat_share = 0.5;         // share of the steps before the learning rate falls to 0 along a cosine
  double clip = 1.0;               // largest gradient value, as in NPT
  double validation_share = 0.05;  // share of the samples, which training does not see, not even as context
  bool encode = false;             // store the inducing points of the panel: SPIN with one window
  int64_t max_bytes = int64_t{4} << 30;
  bool mixed_precision = false;
  Provenance provenance;  // written to the model file
};

struct TokenTrainingResult {
  int64_t best_step = 0;  // the step of the best weights, which were written
  double validation_r2 = 0;
  bool finished = false;  // false where it ended at stop_after, and in processes that do not write the model
};

// Markers of `array` are inputs, the panel's others targets. Writes the model with the best weights by pooled R2 to
// `training.out`. Each process draws haplotypes of its own for a step, so that it has `rows` times as many as there are
// processes. Throws InputError where the panel has no marker of either kind; the rest is as of RunTraining()
// (nn/training/training_run.h).
TokenTrainingResult TrainTokenNetwork(const TokenTraining& training, const HaplotypePanel& panel,
                                      const SiteList& array);

}  // namespace haplospin
