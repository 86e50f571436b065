#include "core/file_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/temporary_folder.h"

namespace haplospin {
namespace {

TEST(FileLockTest, OnlyOneHasIt) {
  const TemporaryFolder folder;
  const auto open_folder = [&] { return open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); };
  const int first = open_folder(), second = open_folder();
  EXPECT_TRUE(LockFile(first, folder.path()));
  EXPECT_FALSE(LockFile(second, folder.path()));
  close(first);
  EXPECT_TRUE(LockFile(second, folder.path()));
  close(second);
}

}  // namespace
}  // namespace haplospin
