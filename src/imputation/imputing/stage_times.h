// Where the time of an imputation goes: counters that are off unless they are asked for (core/time_counter.h).
#pragma once

#include "core/time_counter.h"

namespace haplospin {

struct StageTimes {
  TimeCounter states;      // choosing the states of the targets
  TimeCounter recursions;  // finding the candidates of the targets
  TimeCounter alleles;     // from the candidates to the probability of each allele, with the networks
};

inline StageTimes stage_times;

}  // namespace haplospin
