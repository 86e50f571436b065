// Images of equal size from idx files (MNIST's format) and folders of PNG files.
#pragma once

#include <torch/types.h>

#include <string>

namespace haplospin {

// A folder: its *.png in the order of their names, gray or RGB like the first one. A file: idx, plain or gzipped, with
// unsigned bytes and three dimensions. Returns bytes, [images, height, width, channels]. Throws InputError, naming the
// file, if it cannot be read or is damaged, if there is no image, or if sizes differ.
torch::Tensor ReadImages(const std::string& path);

}  // namespace haplospin
