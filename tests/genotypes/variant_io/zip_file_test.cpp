#include "genotypes/variant_io/zip_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"
#include "genotypes/variant_io/zip_bytes.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

class ZipFileTest : public testing::Test {
 protected:
  std::string Write(const std::string& bytes) const {
    WriteFile(folder_ / "a.zip", bytes);
    return folder_ / "a.zip";
  }

  std::string ErrorOfReading(const std::string& bytes) const {
    const std::string path = Write(bytes);
    return ErrorOf([&] { ReadZippedFile(path, size_t{1} << 20); });
  }

  const TemporaryFolder folder_;
};

TEST_F(ZipFileTest, TheOneFileIsRead) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i * 7919 % 10'007) + '\n';
  for (const bool is_deflated : {true, false}) {
    const std::string path = Write(ZipBytes({{"a.txt", text}}, is_deflated));
    EXPECT_TRUE(IsZip(path));
    EXPECT_EQ(ReadZippedFile(path, text.size() + 1), text);
    EXPECT_EQ(ReadZippedFile(path, 1000), text.substr(0, 1000));
  }
}

TEST_F(ZipFileTest, WhatSystemsPutBesideItDoesNotCount) {
  const std::string path = Write(ZipBytes(
      {{"a/", ""}, {"__MACOSX/a/._a.csv", "x"}, {"a/.DS_Store", "x"}, {"a/terms.pdf", "x"}, {"a/a.csv", "y"}}));
  EXPECT_EQ(ReadZippedFile(path, 10), "y");
}

TEST_F(ZipFileTest, OtherArchivesAreRefused) {
  EXPECT_THAT(ErrorOfReading(ZipBytes({{"a.txt", "x"}, {"b.txt", "y"}})), HasSubstr("several files in place of one"));
  EXPECT_THAT(ErrorOfReading(ZipBytes({})), HasSubstr("no file in place of one"));
  std::string locked = ZipBytes({{"a.txt", "x"}});
  locked[locked.find("PK\x01\x02") + 8] = 1;
  EXPECT_THAT(ErrorOfReading(locked), HasSubstr("has a password"));
}

// A few bytes may not become gigabytes, whatever size the archive says.
TEST_F(ZipFileTest, NoMoreIsReadThanAskedFor) {
  const std::string path = Write(ZipBytes({{"a.txt", std::string(size_t{1} << 24, 'A')}}));
  EXPECT_EQ(ReadZippedFile(path, 5000).size(), 5000);
}

TEST_F(ZipFileTest, DamageIsFound) {
  const std::string text(3000, 'x');
  for (const bool is_deflated : {true, false}) {
    const std::string whole = ZipBytes({{"a.txt", text + "end"}}, is_deflated);
    for (size_t size = 4; size < whole.size(); size += 7) {
      EXPECT_THAT(ErrorOfReading(whole.substr(0, size)), HasSubstr("truncated or damaged")) << size;
    }
    for (size_t at = 0; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0x55);
      const std::string path = Write(changed);
      ErrorOf([&] { ReadZippedFile(path, size_t{1} << 20); });  // an InputError, or a part that does not matter
    }
  }
  for (const bool is_deflated : {true, false}) {
    std::string changed = ZipBytes({{"a.txt", text}}, is_deflated);
    changed[40] = static_cast<char>(changed[40] ^ 1);
    EXPECT_THAT(ErrorOfReading(changed), HasSubstr("truncated or damaged"));
  }
}

}  // namespace
}  // namespace haplospin
