#include "genotypes/variant_io/joining/piece.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

std::string ErrorOfFile(const std::string& bytes) {
  const TemporaryFolder folder;
  WriteFile(folder / "piece", bytes);
  return ErrorOf([&] { Piece(folder / "piece").Next(); });
}

TEST(PieceTest, PositionsThatVcfDoesNotAllowAreRefused) {
  constexpr int32_t kPosition = 0x12345678;
  const TemporaryFolder folder;
  WriteVariants(folder / "bcf", VcfText().Add("20", kPosition + 1, "A", "C", "0|1 0|0 1|1"),
                FileForm::kBcfUncompressed);
  const std::string bcf = ReadFile(folder / "bcf");
  std::string valid(sizeof(kPosition), '\0');
  std::memcpy(valid.data(), &kPosition, sizeof(kPosition));
  const size_t at = bcf.find(valid);
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(ErrorOfFile(bcf), "");
  for (const int32_t position : {-2, INT32_MIN, INT32_MAX}) {
    std::string damaged = bcf;
    std::memcpy(&damaged[at], &position, sizeof(position));
    EXPECT_THAT(ErrorOfFile(damaged), HasSubstr("is not a position in bp")) << position;
  }
  const std::string text = VcfText().text();
  EXPECT_THAT(ErrorOfFile(text + "20\t3000000000\t.\tA\tC\t.\t.\t.\tGT\t0|1\t0|0\t1|1\n"),
              HasSubstr("20:3000000000: \"3000000000\" is not a position in bp"));
  for (const char* highest : {"9223372036854775807", "9223372036854775808", "99999999999999999999"}) {
    const std::string error = ErrorOfFile(text + "20\t" + highest + "\t.\tA\tC\t.\t.\t.\tGT\t0|1\t0|0\t1|1\n");
    EXPECT_THAT(error, HasSubstr("20:9223372034707292160"));
  }
}

TEST(SiteOrderTest, SortedFilesAreOne) {
  SiteOrder order;
  order.StartFile("a");
  order.Add("1", 10);
  order.Add("1", 10);  // within a file, positions may repeat
  order.Add("2", 5);
  order.StartFile("empty");
  order.StartFile("b");
  order.Add("2", 6);
  order.Add("3", 1);
  EXPECT_EQ(order.contigs(), (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(order.first_position(), 10);
  EXPECT_EQ(order.last_position(), 10);
  EXPECT_EQ(order.num_records(), 5u);
}

TEST(SiteOrderTest, WhatIsOutOfOrderIsNamed) {
  const auto order_of_two = [](auto&& then) {
    SiteOrder order;
    order.StartFile("a");
    order.Add("1", 10);
    order.Add("2", 20);
    order.StartFile("b");
    return ErrorOf([&] { then(order); });
  };
  EXPECT_THAT(order_of_two([](SiteOrder& order) { order.Add("2", 20); }),
              HasSubstr("b: begins at 2:20, but a ends at 2:20"));
  EXPECT_THAT(order_of_two([](SiteOrder& order) { order.Add("2", 19); }),
              HasSubstr("b: begins at 2:19, but a ends at 2:20"));
  EXPECT_THAT(order_of_two([](SiteOrder& order) { order.Add("1", 30); }),
              HasSubstr("b: 1:30 comes after contig 2, but 1 ended before"));
  EXPECT_THAT(order_of_two([](SiteOrder& order) {
                order.Add("2", 30);
                order.Add("2", 29);
              }),
              HasSubstr("b: 2:29 comes after 2:30; sort"));
}

}  // namespace
}  // namespace haplospin
