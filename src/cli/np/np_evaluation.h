// How good a neural process is on tasks.
#pragma once

#include <cstdint>

#include "cli/np/np_predictor.h"
#include "processes/process_prediction.h"
#include "processes/task_source.h"

namespace haplospin {

// The prediction of one task, for the report.
struct EvaluatedTask {
  ProcessTasks tasks;
  Prediction prediction;
};

struct NpEvaluation {
  ProcessEvaluation figures;
  EvaluatedTask example;  // the first
  double seconds = 0;     // of predicting
};

// Predicts `batches` batches of `batch` tasks each. The figures are in the units of a user's table, if it is one.
NpEvaluation EvaluatePredictor(const ChosenPredictor& chosen, const TaskSource& source, int64_t batches, int64_t batch,
                               uint64_t seed);

}  // namespace haplospin
