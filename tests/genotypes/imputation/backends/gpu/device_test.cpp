#include "genotypes/imputation/backends/gpu/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "genotypes/imputation/backends/gpu/device_fixtures.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

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

}  // namespace
}  // namespace haplospin
