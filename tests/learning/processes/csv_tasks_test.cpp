#include "learning/processes/csv_tasks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <fstream>
#include <set>

#include "core/temporary_folder.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

const PointColumns kColumns{{"t"}, {"v"}, "site"};

std::string Message(const auto& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string WriteFile(const TemporaryFolder& folder, const std::string& text) {
  std::ofstream(folder / "a.csv") << text;
  return folder / "a.csv";
}

TEST(ReadPoints, SortsRowsIntoGroups) {
  const TemporaryFolder folder;
  const std::string path = WriteFile(folder, "site,v,other,t\nb,1,x,10\na,2,x,20\nb,3,x,30\nb,NA,x,40\n");
  const PointTable table = ReadPoints(path, kColumns);
  EXPECT_EQ(table.groups, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(table.rows, (std::vector<std::vector<size_t>>{{0, 2}, {1}}));
  EXPECT_EQ(table.x, (std::vector<double>{10, 20, 30}));
  EXPECT_EQ(table.y, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(table.left_out, 1u);
  const PointTable one = ReadPoints(path, {{"t", "v"}, {}, ""});
  EXPECT_EQ(one.groups.size(), 1u);
  EXPECT_EQ(one.dy, 0u);
}

TEST(ReadPoints, DecimalCommas) {
  const TemporaryFolder folder;
  const PointTable table = ReadPoints(WriteFile(folder, "t;v\n0,25;1.234,5\n2;0,247\n"), {{"t"}, {"v"}, ""});
  EXPECT_EQ(table.x, (std::vector<double>{0.25, 2}));
  EXPECT_EQ(table.y, (std::vector<double>{1234.5, 0.247}));
}

TEST(ReadPoints, NamesWhatIsWrong) {
  const TemporaryFolder folder;
  std::string path = WriteFile(folder, "site,v,t\na,1,10\na,2,Monday\n");
  std::string message = Message([&] { ReadPoints(path, kColumns); });
  EXPECT_NE(message.find("line 3"), std::string::npos) << message;
  EXPECT_NE(message.find("'Monday' in column 't'"), std::string::npos) << message;
  message = Message([&] { ReadPoints(path, {{"lat"}, {"v"}, ""}); });
  EXPECT_NE(message.find("no column 'lat'; its columns are site, v, t"), std::string::npos) << message;
  path = WriteFile(folder, "site,v,t\n");
  EXPECT_NE(Message([&] { ReadPoints(path, kColumns); }), "");
  EXPECT_EQ(ReadPoints(path, kColumns, true).num_rows(), 0u);
  path = WriteFile(folder, "");
  message = Message([&] { ReadPoints(path, kColumns, true); });
  EXPECT_NE(message.find("empty; expected a table"), std::string::npos) << message;
}

std::string ManyGroups(int groups, int rows) {
  std::string text = "site,t,v\n";
  for (int g = 0; g < groups; ++g) {
    for (int r = 0; r < rows; ++r) text += fmt::format("g{},{},{}\n", g, r, 100 * g + r);
  }
  return text;
}

TEST(CsvTasks, EachIsOneGroup) {
  const TemporaryFolder folder;
  const PointTable table = ReadPoints(WriteFile(folder, ManyGroups(5, 12)), kColumns);
  const CsvTasks tasks(table, kColumns, {.context = {0.25, 0.5}});
  RandomStream random(1);
  for (const ProcessTasks& task : tasks.Draw(20, random)) {
    const int64_t m = task.context_x.size(1);
    EXPECT_TRUE(m >= 3 && m <= 6) << m;
    EXPECT_EQ(m + task.target_x.size(1), 12);
    const torch::Tensor y = torch::cat({task.context_y, task.target_y}, 1);
    const torch::Tensor values = tasks.scaling().Unscale({y, torch::ones_like(y)}).mean;
    EXPECT_LT((values.max() - values.min()).item<double>(), 12);  // of one group
  }
}

TEST(CsvTasks, HeldOutGroupsAreNotTrainedOn) {
  const TemporaryFolder folder;
  const PointTable table = ReadPoints(WriteFile(folder, ManyGroups(200, 2)), kColumns);
  const auto count = [&](GroupPart part, double share) {
    return CsvTasks(table, kColumns, {.hold_out = share, .part = part}).num_groups();
  };
  EXPECT_EQ(count(GroupPart::kTraining, 0.3), 140u);
  EXPECT_EQ(count(GroupPart::kHeldOut, 0.3), 60u);
  EXPECT_EQ(count(GroupPart::kHeldOut, 1e-9), 1u);
  const CsvTasks trained(table, kColumns, {.hold_out = 0.3, .part = GroupPart::kTraining});
  const CsvTasks held_out(table, kColumns, {.hold_out = 0.3, .part = GroupPart::kHeldOut});
  std::set<double> trained_values;
  RandomStream random(1);
  const auto values = [](const ProcessTasks& task, auto visit) {
    const torch::Tensor y = torch::cat({task.context_y, task.target_y}, 1).flatten();
    for (int64_t i = 0; i < y.size(0); ++i) visit(y[i].item<double>());
  };
  for (const auto& task : trained.Draw(300, random)) values(task, [&](double y) { trained_values.insert(y); });
  for (const auto& task : held_out.Draw(300, random)) {
    values(task, [&](double y) { EXPECT_FALSE(trained_values.contains(y)); });
  }
  EXPECT_EQ(count(GroupPart::kAll, 0.3), 200u);
}

TEST(CsvTasks, GroupsThatWereSeenAreLeftOut) {
  const TemporaryFolder folder;
  const PointTable table = ReadPoints(WriteFile(folder, ManyGroups(10, 3)), kColumns);
  const CsvTasks trained(table, kColumns, {.hold_out = 0.2, .part = GroupPart::kTraining});
  const std::set<std::string> seen(trained.group_names().begin(), trained.group_names().end());
  EXPECT_EQ(seen.size(), 8u);
  const CsvTasks rest(table, kColumns, {.left_out = seen}),
      half(table, kColumns, {.hold_out = 0.5, .part = GroupPart::kHeldOut, .left_out = seen});
  EXPECT_EQ(rest.num_groups(), 2u);
  EXPECT_EQ(half.group_names(), rest.group_names());
  for (const std::string& name : rest.group_names()) EXPECT_FALSE(seen.contains(name));
}

TEST(CsvTasks, RefuseWhatCannotBeLearned) {
  const TemporaryFolder folder;
  const PointTable constant = ReadPoints(WriteFile(folder, "site,t,v\na,1,5\na,2,5\nb,3,5\nb,4,5\n"), kColumns);
  std::string message = Message([&] { CsvTasks(constant, kColumns, {}); });
  EXPECT_NE(message.find("column 'v' has the same value"), std::string::npos) << message;
  const PointTable single = ReadPoints(WriteFile(folder, "site,t,v\na,1,5\nb,2,6\nc,3,7\n"), kColumns);
  message = Message([&] { CsvTasks(single, kColumns, {}); });
  EXPECT_NE(message.find("groups can be used"), std::string::npos) << message;
}

TEST(DataScaling, GoesThereAndBack) {
  torch::manual_seed(2);
  const torch::Tensor cx = 100 + 30 * torch::rand({9, 2}, torch::kFloat64);
  const torch::Tensor cy = -5 + 2 * torch::randn({9, 1}, torch::kFloat64);
  const DataScaling scaling = ScaleContext(cx, cy, cx);
  EXPECT_NEAR(scaling.ScaleX(cx).abs().max().item<double>(), 2, 1e-5);
  EXPECT_NEAR(scaling.ScaleY(cy).mean().item<double>(), 0, 1e-5);
  EXPECT_NEAR(scaling.ScaleY(cy).square().mean().item<double>(), 1, 1e-4);
  const torch::Tensor scaled = scaling.ScaleY(cy);
  const Prediction back = scaling.Unscale({scaled, torch::ones_like(scaled)});
  EXPECT_TRUE(torch::allclose(back.mean, cy, 1e-5, 1e-5));
  EXPECT_NEAR(std::log(back.sd[0].item<double>()), std::log(scaling.y_scale[0]), 1e-9);
}

TEST(DataScaling, OfContextsThatDoNotVary) {
  const torch::Tensor none = torch::empty({0, 1}, torch::kFloat64), one = torch::full({1, 1}, 7.0, torch::kFloat64);
  const torch::Tensor targets = torch::tensor({{0.0}, {40.0}}, torch::kFloat64);
  EXPECT_EQ(ScaleContext(none, none, targets).x_scale[0], 10);  // the targets' range to [-2, 2]
  EXPECT_EQ(ScaleContext(one, one, targets).x_scale[0], 10);
  EXPECT_EQ(ScaleContext(one, one, targets).y_scale[0], 1);
  EXPECT_EQ(ScaleContext(one, one, one).x_scale[0], 1);
  const DataScaling all_scaling{{1}, {2}, {3}, {4}};  // for contexts of one or two points
  EXPECT_EQ(ScaleContext(one, one, targets, &all_scaling).y_scale[0], 4);
  const torch::Tensor three = torch::tensor({{0.0}, {1.0}, {2.0}}, torch::kFloat64);
  EXPECT_LT(ScaleContext(three, three, three, &all_scaling).y_scale[0], 1);
}

}  // namespace
}  // namespace haplospin
