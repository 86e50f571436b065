// Paths of the installed parts of the program, relative to its library; the same in the build tree.
#pragma once

#include <string>

namespace haplospin {

// share/haplospin/models. Throws InputError if it is not next to the library.
std::string ModelsFolder();

// libhaplospin_torch.so, next to libhaplospin.so; it need not exist.
std::string TorchLibraryPath();

// The folder of the torch package of the same Python environment, if the program was installed by pip; it need not
// exist. Otherwise empty.
std::string TorchPackageFolder();

}  // namespace haplospin
