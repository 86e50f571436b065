#include <torch/version.h>

// What the executable looks up after loading libhaplospin_torch.
extern "C" const char* HaplospinTorchVersion() { return TORCH_VERSION; }
