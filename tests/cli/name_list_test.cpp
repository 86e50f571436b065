#include "cli/options/name_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(NameList, ListsAreSeparatedByCommas) {
  EXPECT_THAT(SplitLists({"GP,HDS", "AP"}), ElementsAre("GP", "HDS", "AP"));
  EXPECT_THAT(SplitLists({"GP,"}), ElementsAre("GP", ""));
  EXPECT_THAT(SplitLists({}), testing::IsEmpty());
}

TEST(NameList, SaysWhatIsExpected) {
  TemporaryFolder folder;
  EXPECT_THAT([&] { ReadNameList(folder / "names", "give names"); },
              ThrowsMessage<InputError>(EndsWith("names: cannot open; give names")));
}

}  // namespace
}  // namespace haplospin
