// Image completion (Ashman et al., 2024, section 4.2 and appendix F.2): from some pixels to all others.
#pragma once

#include "processes/task_source.h"

namespace haplospin {

struct ImageTaskOptions {
  int64_t downsample = 1;               // means over squares of so many pixels
  bool translate = true;                // onto a canvas of twice the size, by up to half an image each way
  RealRange context = {0.01, 1.0 / 3};  // share of the pixels
  int64_t max_targets = 0;              // of a task; 0: all other pixels
};

// Inputs are the pixel's row and column about the canvas's middle, in units in which the canvas's longer side is 6;
// outputs are brightnesses from 0 to 1, one for each channel.
class ImageTasks : public TaskSource {
 public:
  // images: bytes [count, height, width, channels]. Throws InputError if the options do not match the images.
  ImageTasks(const torch::Tensor& images, const ImageTaskOptions& options);
  int64_t dx() const override { return 2; }
  int64_t dy() const override { return images_.size(3); }
  std::vector<ProcessTasks> Draw(int64_t count, RandomStream& random) const override;

  // Distance between neighboring pixels, in the units of the inputs.
  double spacing() const;

  // Of the canvas, in pixels.
  int64_t height() const { return images_.size(1) * (options_.translate ? 2 : 1); }
  int64_t width() const { return images_.size(2) * (options_.translate ? 2 : 1); }

 private:
  torch::Tensor images_;  // float [count, height, width, channels]
  torch::Tensor grid_;    // [height width, 2] of the canvas
  ImageTaskOptions options_;
};

}  // namespace haplospin
