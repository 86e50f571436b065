// Images of equal size from idx files (MNIST's format) and folders of PNG files.
#pragma once

#include <torch/types.h>

#include <string>

namespace haplospin {

// A folder: its *.png in the order of their names, grey or RGB as the first one is. A file: idx, plain or
// gzipped, with unsigned bytes and three dimensions. Returns bytes, [images, height, width, channels]. Throws
// InputError, naming the file, where it cannot be read or is damaged, where there is no image, or where sizes differ.
torch::Tensor ReadImages(const std::string& path);

}  // namespace haplospin
