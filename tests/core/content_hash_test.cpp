#include "core/content_hash.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/temporary_folder.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// FIPS 180-2, appendix B.
TEST(ContentHash, StandardExamples) {
  const TemporaryFolder folder;
  const auto hash = [&](const std::string& bytes) {
    std::ofstream(folder / "file", std::ios::binary) << bytes;
    return Sha256OfFile(folder / "file");
  };
  EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(ContentHash, MissingFileAndFolderAreErrors) {
  const TemporaryFolder folder;
  EXPECT_THROW(Sha256OfFile(folder / "none"), InputError);
  EXPECT_THROW(Sha256OfFile(folder.path().string()), InputError);
}

}  // namespace
}  // namespace haplospin
