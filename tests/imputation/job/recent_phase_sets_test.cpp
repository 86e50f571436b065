#include "imputation/job/recent_phase_sets.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

using Order = RecentPhaseSets::Order;

TEST(RecentPhaseSetsTest, InterruptedSets) {
  RecentPhaseSets sets(2);
  EXPECT_FALSE(sets.HasAny(0));
  EXPECT_FALSE(sets.Visit(0, 7));
  EXPECT_TRUE(sets.HasAny(0));
  EXPECT_FALSE(sets.HasAny(1));
  EXPECT_FALSE(sets.Visit(0, 7));
  EXPECT_FALSE(sets.Visit(0, 0));
  EXPECT_FALSE(sets.Visit(1, 0));
  EXPECT_TRUE(sets.Visit(0, 7));
  EXPECT_FALSE(sets.Visit(0, 7));
  EXPECT_TRUE(sets.Visit(0, 0));
}

TEST(RecentPhaseSetsTest, OrdersAreThoseOfSets) {
  RecentPhaseSets sets(1);
  sets.Visit(0, 1);
  EXPECT_EQ(sets.order(0), Order::kUnknown);
  sets.SetOrder(0, Order::kExchanged);
  sets.Visit(0, 2);
  EXPECT_EQ(sets.order(0), Order::kUnknown);
  sets.Visit(0, 1);
  EXPECT_EQ(sets.order(0), Order::kExchanged);
  for (uint32_t set = 10; set < 30; ++set) sets.Visit(0, set);  // long ago
  sets.Visit(0, 1);
  EXPECT_EQ(sets.order(0), Order::kUnknown);
}

TEST(RecentPhaseSetsTest, LearnsWhatIsKnown) {
  RecentPhaseSets sets(1), other(1);
  sets.Visit(0, 1);
  sets.SetOrder(0, Order::kAsGiven);
  sets.Visit(0, 2);
  other.Visit(0, 1);
  other.Visit(0, 2);
  other.SetOrder(0, Order::kExchanged);
  other.Visit(0, 3);
  other.SetOrder(0, Order::kExchanged);
  sets.Learn(other);
  EXPECT_EQ(sets.order(0), Order::kExchanged);
  sets.Visit(0, 1);
  EXPECT_EQ(sets.order(0), Order::kAsGiven);
  EXPECT_FALSE(sets.Visit(0, 3));
  EXPECT_EQ(sets.order(0), Order::kUnknown);
}

}  // namespace
}  // namespace haplospin
