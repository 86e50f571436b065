#include "genotypes/imputation/backends/gpu/device_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "genotypes/imputation/backends/gpu/device_fixtures.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

TEST(DeviceQueueTest, SaysThatItsMemoryIsTooSmall) {
  const Behavior behavior("bytes=1000");
  Device device(Driver(), 0, "");
  DeviceQueue queue(device);
  DeviceArray<float> values(queue);
  EXPECT_THAT(ErrorOf([&] { values.Reserve(1000); }), HasSubstr("too little memory: 1 MiB more are needed"));
  EXPECT_NE(values.Reserve(100), nullptr);
}

TEST(DeviceQueueTest, SaysThatItFailedInTheRun) {
  Device device(Driver(), 0, "");
  DeviceQueue queue(device);
  const Behavior behavior("cuStreamSynchronize=719");
  EXPECT_THAT(ErrorOf([&] { queue.Synchronize(); }), HasSubstr("emulated GPU: computing failed"));
}

TEST(DeviceQueueTest, CopiesToAndFrom) {
  Device device(Driver(), 0, "");
  DeviceQueue queue(device);
  DeviceArray<int> array(queue);
  const std::vector<int> values{1, 2, 3};
  const int* copied = array.Upload(values);
  HostBuffer<int> back(device);
  back.Resize(3);
  queue.Download(back.data(), copied, sizeof(int) * 3);
  queue.Synchronize();
  EXPECT_THAT(back.span(), testing::ElementsAre(1, 2, 3));
  DeviceArray<int> cleared(queue);
  int* zeros = cleared.Reserve(3);
  queue.Zero(zeros, 3 * sizeof(int));
  queue.Download(back.data(), zeros, sizeof(int) * 3);
  queue.Synchronize();
  EXPECT_THAT(back.span(), testing::ElementsAre(0, 0, 0));
}

}  // namespace
}  // namespace haplospin
