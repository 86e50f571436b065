#include "core/letter_case.h"

#include <gtest/gtest.h>

#include <cctype>

namespace haplospin {
namespace {

TEST(LetterCase, ChangesTheLettersOfAsciiAlone) {
  for (int byte = 0; byte < 256; ++byte) {
    const auto c = static_cast<char>(byte);
    EXPECT_EQ(ToLower(c), static_cast<char>(byte < 128 ? std::tolower(byte) : byte)) << byte;
    EXPECT_EQ(ToUpper(c), static_cast<char>(byte < 128 ? std::toupper(byte) : byte)) << byte;
  }
  EXPECT_EQ(ToLower("Chr1_aZ"), "chr1_az");
  EXPECT_EQ(ToUpper("acGTn-"), "ACGTN-");
}

}  // namespace
}  // namespace haplospin
