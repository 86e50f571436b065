#include "imputation/gpu/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

// The behavior of the emulated GPU (emulated_driver.cpp) while the object exists.
class Behavior {
 public:
  explicit Behavior(const std::string& settings) { setenv("HAPLOSPIN_EMULATED_GPU", settings.c_str(), 1); }
  ~Behavior() { unsetenv("HAPLOSPIN_EMULATED_GPU"); }
};

CudaDriver Driver() { return OpenCudaDriver(HAPLOSPIN_EMULATED_DRIVER); }

// Returns the message of the InputError, or "" if there is none.
template <typename Function>
std::string ErrorOf(const Function& function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string ErrorOfOpening(const std::string& settings, int index = 0) {
  const Behavior behavior(settings);
  return ErrorOf([&] { Device(Driver(), index, ""); });
}

TEST(DeviceTest, IsOpened) {
  const Device device(Driver(), 0, "");
  EXPECT_EQ(device.name(), "emulated GPU");
  EXPECT_GT(device.FreeBytes(), 0u);
}

TEST(DeviceTest, SaysWhyThereIsNone) {
  EXPECT_THAT(ErrorOf([] { OpenCudaDriver("libcuda-none.so.1"); }), HasSubstr("no NVIDIA driver (libcuda-none.so.1"));
  EXPECT_THAT(ErrorOf([] { OpenCudaDriver("libz.so.1"); }), HasSubstr("(libz.so.1) has no cuInit"));
  EXPECT_THAT(ErrorOfOpening("cuInit=100"), HasSubstr("finds no GPU"));
  EXPECT_THAT(ErrorOfOpening("cuInit=999"), HasSubstr("starting the driver failed: an emulated error (error 999"));
  EXPECT_THAT(ErrorOfOpening("count=2", 2), HasSubstr("there is no GPU 2: the NVIDIA driver finds 2"));
  EXPECT_EQ(ErrorOfOpening("count=2", 1), "");
  EXPECT_THAT(ErrorOfOpening("capability=5"), HasSubstr("compute capability 5; 6 or higher"));
  EXPECT_THAT(ErrorOfOpening("cuModuleLoadData=222"), HasSubstr("driver is too old for the kernels"));
  EXPECT_THAT(ErrorOfOpening("cuDevicePrimaryCtxRetain=2"), HasSubstr("making a context failed"));
}

TEST(DeviceTest, SaysThatItsMemoryIsTooSmall) {
  const Behavior behavior("bytes=1000");
  Device device(Driver(), 0, "");
  DeviceArrays arrays(device);
  float* values = nullptr;
  EXPECT_THAT(ErrorOf([&] { arrays.Reserve(values, 1000); }), HasSubstr("too little memory: 1 MiB more are needed"));
  arrays.Reserve(values, 100);
  EXPECT_NE(values, nullptr);
}

TEST(DeviceTest, SaysThatItFailedInTheRun) {
  Device device(Driver(), 0, "");
  const Behavior behavior("cuStreamSynchronize=719");
  EXPECT_THAT(ErrorOf([&] { device.Synchronize(); }), HasSubstr("emulated GPU: computing failed"));
}

TEST(DeviceTest, CopiesToAndFrom) {
  Device device(Driver(), 0, "");
  DeviceArrays arrays(device);
  const std::vector<int> values{1, 2, 3};
  const int* copied = nullptr;
  arrays.Upload(copied, values);
  HostBuffer<int> back(device);
  back.Resize(3);
  device.Download(back.data(), copied, sizeof(int) * 3);
  device.Synchronize();
  EXPECT_THAT(back.span(), testing::ElementsAre(1, 2, 3));
  int* zeros = nullptr;
  arrays.Reserve(zeros, 3);
  device.Zero(zeros, 3 * sizeof(int));
  device.Download(back.data(), zeros, sizeof(int) * 3);
  device.Synchronize();
  EXPECT_THAT(back.span(), testing::ElementsAre(0, 0, 0));
}

}  // namespace
}  // namespace haplospin
