// The options of Lookahead, without LibTorch.
#pragma once

namespace haplospin {

struct LookaheadOptions {
  int period = 6;           // k: steps of the inner optimizer between updates of the slow weights
  double slow_rate = 0.5;   // alpha: slow += alpha (fast - slow)
  bool synchronize = true;  // whether the fast weights then start again from the slow ones
};

}  // namespace haplospin
