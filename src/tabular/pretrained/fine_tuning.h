// Continues the training of a pretrained network with the rows of one table.
#pragma once

#include "models/in_context/in_context_network.h"
#include "nn/training_run.h"
#include "tabular/tabular_trainer.h"

namespace haplospin {

// Steps, learning rate, validation and patience that suit it.
void SetFineTuningDefaults(TrainingOptions& options);

struct FineTuning {
  InContextNetwork network{nullptr};
  bool is_finished = true;  // false where it ended at stop_after
  double start_loss = 0;    // on the validation rows, of the network as it came
  double best_loss = 0;     // of the result
  int64_t best_step = 0;    // 0: no step made it better, and the network is as it came
};

// In each step a part of the training rows is the context from which one target of others is predicted. The validation
// rows, 1,024 at most, are predicted from the training rows. Trains `network` itself. Throws InputError as
// RunTraining() does.
FineTuning FineTune(const TrainingOptions& options, const InContextNetwork& network, const TrainingTable& data,
                    const TrainingRows& rows, const TrainingObserver& observer);

}  // namespace haplospin
