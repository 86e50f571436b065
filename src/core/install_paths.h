// Paths of the installed parts of the program, relative to its library; the same in the build tree.
#pragma once

#include <string>

namespace haplospin {

// share/haplospin/models. Throws InputError if it is not next to the library.
std::string ModelsFolder();

// libhaplospin_torch.so, next to libhaplospin.so; it need not exist.
std::string TorchLibraryPath();

}  // namespace haplospin
