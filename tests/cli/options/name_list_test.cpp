#include "cli/options/name_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>

#include "core/temporary_folder.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::ThrowsMessage;

TEST(NameList, ReadsLinesOfAnyPlatform) {
  TemporaryFolder folder;
  std::ofstream(folder / "names") << "B\r\n\nA b\n\r\nC";
  EXPECT_THAT(ReadNameList(folder / "names", ""), ElementsAre("B", "A b", "C"));
}

TEST(NameList, MayBeGzipped) {
  TemporaryFolder folder;
  const std::string path = folder / "names.gz";
  const gzFile file = gzopen(path.c_str(), "wb");
  gzputs(file, "B\nA\n");
  gzclose(file);
  EXPECT_THAT(ReadNameList(path, ""), ElementsAre("B", "A"));
}

TEST(NameList, ListsAreSeparatedByCommas) {
  EXPECT_THAT(SplitLists({"GP,HDS", "AP"}), ElementsAre("GP", "HDS", "AP"));
  EXPECT_THAT(SplitLists({"GP,"}), ElementsAre("GP", ""));
  EXPECT_THAT(SplitLists({}), testing::IsEmpty());
  EXPECT_THAT(SplitLists({""}), testing::IsEmpty());
}

TEST(NameList, SaysWhatIsExpected) {
  TemporaryFolder folder;
  EXPECT_THAT([&] { ReadNameList(folder / "names", "give names"); },
              ThrowsMessage<InputError>(EndsWith("names: cannot open: No such file or directory; give names")));
}

}  // namespace
}  // namespace haplospin
