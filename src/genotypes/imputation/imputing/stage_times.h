// Counters of the time of each stage of an imputation; they are off unless selfcheck asks for them.
#pragma once

#include "core/time_counter.h"

namespace haplospin {

struct StageTimes {
  TimeCounter states;      // choosing the states of the targets
  TimeCounter recursions;  // finding the candidates of the targets
  TimeCounter alleles;     // computing features, networks and the probability of each allele
};

inline StageTimes stage_times;

}  // namespace haplospin
