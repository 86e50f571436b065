#include "core/content_hash.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/temporary_folder.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// FIPS 180-2, appendix B.
TEST(ContentHash, StandardExamples) {
  EXPECT_EQ(Sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(ContentHash, OfAFileIsThatOfItsBytes) {
  const TemporaryFolder folder;
  const std::string bytes(700'000, '\x80');
  std::ofstream(folder / "file", std::ios::binary) << bytes;
  EXPECT_EQ(Sha256OfFile(folder / "file"), Sha256(bytes));
}

TEST(ContentHash, MissingFileAndFolderAreErrors) {
  const TemporaryFolder folder;
  EXPECT_THROW(Sha256OfFile(folder / "none"), InputError);
  EXPECT_THROW(Sha256OfFile(folder.path().string()), InputError);
}

}  // namespace
}  // namespace haplospin
