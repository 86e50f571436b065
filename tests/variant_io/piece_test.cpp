#include "variant_io/joining/piece.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

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
