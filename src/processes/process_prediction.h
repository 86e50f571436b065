// Predictions of sets of targets.
#pragma once

#include <cstdint>

#include "core/random.h"
#include "models/neural_process/neural_process.h"

namespace haplospin {

// Calls predictor.Predict() without gradients. Independent targets are predicted in blocks, so that memory depends on
// the context only.
Prediction PredictInBlocks(ProcessPredictor& predictor, const ProcessTasks& tasks);

// Functions drawn at the targets of one task, [count, n, dy]: targets are drawn one after the other in a random order,
// each with those before it added to the context, so that they are consistent although the model predicts only marginal
// distributions (Bruinsma et al., 2023).
torch::Tensor SampleFunctions(ProcessPredictor& predictor, const ProcessTasks& task, int64_t count,
                              RandomStream& random);

}  // namespace haplospin
