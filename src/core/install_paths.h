// Where the parts of this program are, relative to its library: the same in the build tree and installed.
#pragma once

#include <string>

namespace haplospin {

// share/haplospin/models. Throws InputError where it is not beside the library.
std::string ModelsFolder();

// libhaplospin_torch.so, beside libhaplospin.so; it need not exist.
std::string TorchLibraryPath();

}  // namespace haplospin
