// Makes the input of the next training step in the background while the present step runs.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <utility>

namespace haplospin {

template <typename Input>
class Prefetch {
 public:
  // `make` returns the input of a step. It is called by one thread at a time, but not always by the same one.
  explicit Prefetch(std::function<Input(int64_t step)> make) : make_(std::move(make)) {}

  // Returns the input of a step, and starts to make that of the next one. Throws what `make` throws.
  Input Get(int64_t step) {
    Input input = next_.valid() && next_step_ == step ? next_.get() : MakeNow(step);
    next_step_ = step + 1;
    next_ = std::async(std::launch::async, make_, next_step_);
    return input;
  }

 private:
  Input MakeNow(int64_t step) {
    if (next_.valid()) next_.wait();
    return make_(step);
  }

  const std::function<Input(int64_t step)> make_;
  int64_t next_step_ = 0;
  std::future<Input> next_;  // waits when it is destroyed
};

}  // namespace haplospin
