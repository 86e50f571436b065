#include "learning/nn/training/prefetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

namespace haplospin {
namespace {

TEST(PrefetchTest, GivesTheInputOfEachStep) {
  std::vector<int64_t> made;
  {
    Prefetch<int64_t> prefetch([&](int64_t step) {
      made.push_back(step);
      return 10 * step;
    });
    for (const int64_t step : {0, 1, 2, 7, 8}) EXPECT_EQ(prefetch.Get(step), 10 * step);
  }
  EXPECT_THAT(made, testing::ElementsAre(0, 1, 2, 3, 7, 8, 9));  // one ahead, and again after a resume
}

TEST(PrefetchTest, MakesTheNextOneInTheBackground) {
  std::thread::id maker;
  {
    Prefetch<int> prefetch([&](int64_t step) {
      if (step == 1) maker = std::this_thread::get_id();
      return 0;
    });
    prefetch.Get(0);
  }
  EXPECT_NE(maker, std::thread::id());
  EXPECT_NE(maker, std::this_thread::get_id());
}

TEST(PrefetchTest, ErrorsArriveWithTheirStep) {
  Prefetch<int> prefetch([](int64_t step) -> int {
    if (step == 1) throw std::runtime_error("no tasks");
    return 0;
  });
  EXPECT_EQ(prefetch.Get(0), 0);
  EXPECT_THROW(prefetch.Get(1), std::runtime_error);
}

}  // namespace
}  // namespace haplospin
