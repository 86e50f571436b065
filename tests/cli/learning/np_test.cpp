// Neural processes as a user runs them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/run_program.h"
#include "core/file_contents.h"
#include "core/install_paths.h"
#include "core/temporary_folder.h"
#include "learning/tables/csv.h"

#ifdef HAPLOSPIN_HAS_TORCH

namespace haplospin {
namespace {

using testing::Test;

std::vector<std::vector<std::string>> Rows(const std::string& path) {
  CsvReader reader(path, {});
  std::vector<std::vector<std::string>> rows{reader.names()};
  for (std::vector<std::string> row; reader.Next(row);) rows.push_back(row);
  return rows;
}

class Np : public Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  // `points` of a sine over days 100 to 150.
  std::string Sine(int points) {
    std::string text = "day,level\n";
    for (int i = 0; i < points; ++i) {
      const double day = 100 + 50.0 * i / (points - 1);
      text += fmt::format("{},{}\n", day, 20 + 3 * std::sin(day / 5));
    }
    return Write("sine.csv", text);
  }

  // Groups with two inputs and one output.
  std::string Stations() {
    std::string text = "lat,lon,day,temperature\n";
    for (int day = 0; day < 12; ++day) {
      for (int k = 0; k < 9; ++k) text += fmt::format("{},{},{},{}\n", 40 + k % 3, 8 + k / 3, day, day + k % 3 - k / 3);
    }
    return Write("stations.csv", text);
  }

  std::string Train(const std::string& model, std::vector<std::string> more) {
    const std::string out = folder_ / (model + ".safetensors");
    std::vector<std::string> arguments = {
        "np",      "train", "--model", model, "--width", "8", "--heads",        "2", "--layers",        "1",
        "--steps", "3",     "--batch", "2",   "--out",   out, "--kernel-width", "4", "--pseudo-tokens", "3",
        "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return out;
  }

  ProgramResult Predict(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"np", "predict", "--out", folder_ / "p.csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunProgram(arguments);
  }

  // One line on standard error that has all of `parts`, exit code 2, and no output.
  void ExpectRefused(const ProgramResult& result, std::initializer_list<const char*> parts) {
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    for (const char* part : parts) EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "p.csv"));
  }

  TemporaryFolder folder_;
};

TEST_F(Np, TheShippedModelDrawsACurveThroughOnesOwnPoints) {
  const std::string context = Sine(25), plot = folder_ / "p.svg";
  const std::string out = folder_ / "p.csv";
  const ProgramResult result = RunProgram({"te-tnp", "predict", "--context", context, "--x", "day", "--y", "level",
                                           "--out", out, "--plot", plot, "--samples", "2", "--grid", "40"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto rows = Rows(out);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"day", "level_mean", "level_sd", "level_q0.05", "level_q0.5",
                                               "level_q0.95", "level_sample1", "level_sample2"}));
  ASSERT_EQ(rows.size(), 41u);
  double error = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    const double day = std::stod(rows[i][0]), mean = std::stod(rows[i][1]), sd = std::stod(rows[i][2]);
    EXPECT_GT(sd, 0);
    EXPECT_LT(std::stod(rows[i][3]), mean);
    EXPECT_GT(std::stod(rows[i][5]), mean);
    if (day >= 100 && day <= 150) error = std::max(error, std::abs(mean - (20 + 3 * std::sin(day / 5))));
  }
  EXPECT_LT(error, 1.5);  // the sine runs from 17 to 23
  EXPECT_NE(Contents(plot).find("<svg"), std::string::npos);
}

TEST_F(Np, OptionsWithoutEffectAreRefused) {
  const std::string context = Write("c.csv", "x,y\n1,2\n2,3\n3,5\n4,4\n"), targets = Write("t.csv", "x\n2.5\n");
  ExpectRefused(Predict({"--context", context, "--targets", targets, "--grid", "5"}), {"--grid", "--targets"});
  ExpectRefused(Predict({"--context", context, "--test-samples", "7"}), {"--test-samples is for anp, banp, ipnp"});
  ExpectRefused(Predict({"--context", context, "--model", "te-tnp", "--gp-kernel", "periodic"}),
                {"--gp-kernel is for gp, but te-tnp predicts"});
}

TEST_F(Np, ShortFormsNameThemselves) {
  EXPECT_NE(RunProgram({"te-tnp", "predict", "--model", "gp"}).err.find("haplospin te-tnp predict --help"),
            std::string::npos);
  const std::string help = RunProgram({"te-tnp", "predict", "--help"}).out;
  EXPECT_EQ(help.find("Gaussian process is fitted"), std::string::npos) << help;
  EXPECT_NE(help.find("default weights for one or two inputs"), std::string::npos) << help;
}

// The units of the outputs are those of all groups.
TEST_F(Np, AGroupWithoutContextIsPredictedInTheUnitsOfTheTable) {
  std::string text = "g,x,y\n";
  for (int i = 0; i < 10; ++i) text += fmt::format("a,{0},{1}\nb,{0},{2}\n", i, 100 + i % 3, 120 + i % 4);
  const ProgramResult result =
      Predict({"--context", Write("c.csv", text), "--targets", Write("t.csv", "g,x\nz,2\n"), "--group", "g"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("no context for 1 groups, such as 'z'; the prediction there is the prior\n"),
            std::string::npos)
      << result.err;
  EXPECT_NEAR(std::stod(Rows(folder_ / "p.csv")[1][2]), 111, 5);
}

TEST_F(Np, PredictTakesTheGroupsOfTheModel) {
  std::string text = "tree,age,size\n";
  for (int i = 0; i < 24; ++i) text += fmt::format("t{},{},{}\n", i % 4, i, i % 4 * 50 + i);
  const std::string data = Write("d.csv", text);
  const std::string weights =
      Train("tnp", {"--task", "csv", "--data", data, "--x", "age", "--y", "size", "--group", "tree"});
  const auto header = [&](const std::string& targets) {
    const ProgramResult result = Predict({"--weights", weights, "--context", data, "--targets", targets});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Rows(folder_ / "p.csv")[0][0];
  };
  EXPECT_EQ(header(Write("t.csv", "tree,age\nt0,5\nt3,5\n")), "tree");
  EXPECT_EQ(header(Write("u.csv", "age\n5\n")), "age");
}

TEST_F(Np, TheShippedModelDrawsAMap) {
  std::string text = "lat,lon,height\n", at = "lat,lon\n";
  const auto height = [](double lat, double lon) { return 300 + 40 * std::sin(lat - 45) + 25 * std::cos(lon - 7); };
  for (int i = 0; i < 80; ++i) {
    const double lat = 44 + 0.0375 * i, lon = 5 + std::fmod(0.618 * i, 1) * 4;
    text += fmt::format("{},{},{}\n", lat, lon, height(lat, lon));
  }
  for (int i = 0; i < 30; ++i) at += fmt::format("{},{}\n", 44.3 + 0.08 * i, 5.5 + std::fmod(0.37 * i, 1) * 3);
  const ProgramResult result = Predict({"--context", Write("map.csv", text), "--targets", Write("at.csv", at), "--x",
                                        "lat,lon", "--y", "height", "--quantiles", "0.05,0.95", "--model", "te-tnp"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto rows = Rows(folder_ / "p.csv");
  ASSERT_EQ(rows.size(), 31u);
  double squares = 0;
  int inside = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    const double truth = height(std::stod(rows[i][0]), std::stod(rows[i][1]));
    squares += std::pow(std::stod(rows[i][2]) - truth, 2) / 30;
    inside += std::stod(rows[i][4]) < truth && truth < std::stod(rows[i][5]);
  }
  EXPECT_LT(std::sqrt(squares), 15);  // the heights have a standard deviation of about 35
  EXPECT_GE(inside, 24);
}

TEST_F(Np, ThePredictionMovesWithTheUnits) {
  const std::string one = Sine(12);
  std::string text = "day,level\n";
  const auto rows = Rows(one);
  for (size_t i = 1; i < rows.size(); ++i) {
    text += fmt::format("{},{}\n", 24 * std::stod(rows[i][0]) - 7, 1000 + 5 * std::stod(rows[i][1]));
  }
  const std::string other = Write("hours.csv", text);
  const std::vector<std::string> columns = {"--x", "day", "--y", "level", "--grid", "5"};
  const auto predict = [&](const std::string& context) {
    std::vector<std::string> arguments = {"--context", context};
    arguments.insert(arguments.end(), columns.begin(), columns.end());
    const ProgramResult result = Predict(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Rows(folder_ / "p.csv");
  };
  const auto a = predict(one);
  const auto b = predict(other);
  for (size_t i = 1; i < a.size(); ++i) {
    EXPECT_NEAR(24 * std::stod(a[i][0]) - 7, std::stod(b[i][0]), 1e-3);
    EXPECT_NEAR(1000 + 5 * std::stod(a[i][1]), std::stod(b[i][1]), 1e-2);
    EXPECT_NEAR(5 * std::stod(a[i][2]), std::stod(b[i][2]), 1e-2);
  }
}

TEST_F(Np, AnEmptyContextGivesThePrior) {
  const ProgramResult result =
      Predict({"--context", Write("c.csv", "x,y\n"), "--targets", Write("t.csv", "x\n0\n1\n")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("no context; the prediction there is the prior"), std::string::npos) << result.err;
  EXPECT_EQ(Rows(folder_ / "p.csv").size(), 3u);
}

TEST_F(Np, AConstantContextIsAllowedButSaid) {
  const ProgramResult result = Predict({"--context", Write("c.csv", "x,y\n1,5\n2,5\n3,5\n")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("all outputs are equal"), std::string::npos) << result.err;
}

TEST_F(Np, AGaussianProcessIsFittedWithoutWeights) {
  const std::string context = Sine(20);
  const auto predict = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"--context", context, "--x", "day", "--y", "level"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = Predict(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  EXPECT_NE(predict({}).find("a Gaussian process is fitted"), std::string::npos);
  const auto fitted = Rows(folder_ / "p.csv");
  EXPECT_EQ(fitted.size(), 201u);
  EXPECT_EQ(predict({"--model", "gp"}).find("a Gaussian process is fitted"), std::string::npos);
  EXPECT_EQ(Rows(folder_ / "p.csv"), fitted);
  predict({"--model", "te-tnp"});
  EXPECT_NE(Rows(folder_ / "p.csv"), fitted);
}

TEST_F(Np, TablesAreTrainedPredictedAndEvaluatedGroupByGroup) {
  const std::string data = Stations();
  const std::string weights =
      Train("te-tnp", {"--task", "csv", "--data", data, "--x", "lat,lon", "--y", "temperature", "--group", "day"});
  const std::string targets = Write("t.csv", "day,lat,lon\n3,40.5,8.5\n4,41,9\n3,41.5,9.5\n");
  ProgramResult result = Predict(
      {"--weights", weights, "--context", data, "--targets", targets, "--group", "day", "--plot", folder_ / "map.svg"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto rows = Rows(folder_ / "p.csv");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0][0], "day");
  EXPECT_EQ(rows[1][0], "3");
  EXPECT_EQ(rows[2][0], "4");  // in the order of the targets
  EXPECT_EQ(rows[0][3], "temperature_mean");
  EXPECT_NE(Contents(folder_ / "map.svg").find("standard deviation"), std::string::npos);
  const std::string report = folder_ / "r.html", json = folder_ / "r.json";
  result = RunProgram({"np", "evaluate", "--weights", weights, "--task", "csv", "--data", data, "--hold-out", "0.5",
                       "--batches", "2", "--report", report, "--json", json});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("log-likelihood"), std::string::npos);
  EXPECT_NE(Contents(report).find("Calibration"), std::string::npos);
  EXPECT_NE(Contents(json).find("\"standard_error\""), std::string::npos);
  // Of the half that is asked for, the model has seen the most; only the others are tested.
  EXPECT_NE(result.err.find("groups that the model was trained on are left out, such as '"), std::string::npos)
      << result.err;
  result = RunProgram({"np", "evaluate", "--weights", weights, "--task", "csv", "--data", data, "--hold-out", "0"});
  EXPECT_NE(result.err.find("have names of groups that the model was trained on"), std::string::npos) << result.err;
  result = RunProgram({"np", "evaluate", "--weights", weights, "--task", "csv", "--data", data});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err.find("warning"), std::string::npos) << result.err;
}

TEST_F(Np, AnInputThatIsTheOutputIsSaid) {
  const ProgramResult result = Predict({"--context", Sine(20), "--x", "day", "--y", "day"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("input 'day' equals output 'day' in every row"), std::string::npos) << result.err;
}

// Of one group there is no standard error, however many tasks it gives.
TEST_F(Np, OneGroupHasNoStandardError) {
  const ProgramResult result =
      RunProgram({"np", "evaluate", "--task", "csv", "--data", Sine(12), "--x", "day", "--y", "level"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("groups              1\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("(one group: no standard error)"), std::string::npos) << result.out;
}

TEST_F(Np, TheSameSeedGivesTheSameWeightsInterruptedOrNot) {
  const std::string whole = Contents(
      Train("ipnp", {"--task", "gp", "--inducing-points", "3", "--context-points", "1,5", "--targets-per-task", "4"}));
  const std::string checkpoint = folder_ / "c";
  const std::vector<std::string> parts = {"--task",           "gp",      "--inducing-points",  "3",
                                          "--context-points", "1,5",     "--targets-per-task", "4",
                                          "--checkpoint",     checkpoint};
  std::vector<std::string> first = parts, second = parts;
  first.insert(first.end(), {"--stop-after", "1"});
  second.push_back("--resume");
  std::filesystem::remove(folder_ / "ipnp.safetensors");
  EXPECT_FALSE(std::filesystem::exists(Train("ipnp", first)));
  const std::string resumed = Contents(Train("ipnp", second));
  // The metadata names the command, so the tensors, at the end, are compared.
  ASSERT_GT(whole.size(), 4000u);
  EXPECT_EQ(whole.substr(whole.size() - 4000), resumed.substr(resumed.size() - 4000));
}

TEST_F(Np, RefusesColumnsThatAreNoNumbers) {
  ExpectRefused(Predict({"--context", Write("c.csv", "x,y\n1,2\nTuesday,3\n")}),
                {"c.csv", "line 3", "'Tuesday'", "'x'"});
  ExpectRefused(Predict({"--context", Write("d.csv", "day,y\n1,2\n")}), {"d.csv", "no column 'x'", "day, y"});
}

TEST_F(Np, DatesAreInputs) {
  const std::string dates = Write("d.csv", "x,y\n2021-03-01,1\n2021-03-03,3\n2021-03-02T12:00,2\n");
  const std::string days = Write("n.csv", "x,y\n0,1\n2,3\n1.5,2\n");
  const ProgramResult result =
      Predict({"--context", dates, "--targets", Write("t.csv", "x\n2021-03-02\n2021-03-02T06:00\n")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto date_rows = Rows(folder_ / "p.csv");
  EXPECT_EQ(date_rows[1][0], "2021-03-02");
  EXPECT_EQ(date_rows[2][0], "2021-03-02T06:00:00");
  const std::string zoned =
      Write("t.csv", "x\n2021-03-02T00:00:00+02:00\n2021-03-02T06:00:00Z\n2021-03-02T01:00:00-05:00\n");
  ASSERT_EQ(Predict({"--context", dates, "--targets", zoned}).exit_code, 0);
  const auto zoned_rows = Rows(folder_ / "p.csv");
  EXPECT_EQ(zoned_rows[1][0], "2021-03-02T00:00:00+02:00");
  EXPECT_EQ(zoned_rows[2][0], "2021-03-02T06:00:00Z");
  EXPECT_EQ(zoned_rows[3][0], "2021-03-02T01:00:00-05:00");
  EXPECT_EQ(zoned_rows[3][1], zoned_rows[2][1]);  // the same time
  ASSERT_EQ(Predict({"--context", days, "--targets", Write("t.csv", "x\n1\n1.25\n")}).exit_code, 0);
  EXPECT_NEAR(std::stod(Rows(folder_ / "p.csv")[1][1]), std::stod(date_rows[1][1]), 1e-3);
  std::filesystem::remove(folder_ / "p.csv");
  ExpectRefused(Predict({"--context", dates, "--targets", days}), {"holds dates in one of them only"});
  ExpectRefused(Predict({"--context", Write("c.csv", "x,y\n2021-03-01,1\n7,2\n")}), {"line 3", "'7'", "not a date"});
}

TEST_F(Np, RefusesOtherDimensionsThanTheModels) {
  ExpectRefused(Predict({"--model", "te-tnp", "--context", Stations(), "--x", "lat,lon,day", "--y", "temperature",
                         "--targets", Stations()}),
                {"one or two inputs, not for 3", "--model gp"});
  ExpectRefused(Predict({"--model", "te-tnp", "--context", Stations(), "--x", "lat,lon", "--y", "temperature,day",
                         "--targets", Stations()}),
                {"2 inputs and 1 outputs", "2 and 2"});
}

TEST_F(Np, RefusesDamagedAndForeignWeights) {
  const std::string context = Write("c.csv", "x,y\n1,2\n2,3\n");
  const std::string weights = Train("cnp", {"--task", "gp"});
  const std::string bytes = Contents(weights);
  std::ofstream(folder_ / "cut") << bytes.substr(0, bytes.size() / 2);
  ExpectRefused(Predict({"--weights", folder_ / "cut", "--context", context}), {"cut"});
  ExpectRefused(Predict({"--weights", folder_ / "none", "--context", context}), {"none"});
  ExpectRefused(Predict({"--weights", context, "--context", context}), {"c.csv"});
  ExpectRefused(Predict({"--weights", ModelsFolder() + "/imputer.safetensors", "--context", context}),
                {"imputer.safetensors", "found a model of the kind 'imputer'", "expected a neural process model"});
  ExpectRefused(Predict({"--model", "tnp", "--weights", weights, "--context", context}), {"are of cnp, not of tnp"});
  ExpectRefused(Predict({"--model", "tnp", "--context", context}), {"no default weights for tnp"});
}

TEST_F(Np, WarnsWhereAModelThatDoesNotMoveIsAskedBeyondItsRange) {
  const std::string context = Write("c.csv", "x,y\n1,2\n2,3\n3,1\n"), targets = Write("t.csv", "x\n2\n40\n");
  const char* warning = "outside the range";
  ProgramResult result =
      Predict({"--weights", Train("cnp", {"--task", "gp"}), "--context", context, "--targets", targets});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find(warning), std::string::npos) << result.err;
  result = Predict({"--weights", Train("rcnp", {"--task", "gp"}), "--context", context, "--targets", targets});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err.find(warning), std::string::npos) << result.err;
}

TEST_F(Np, RefusesTablesThatTeachNothing) {
  const auto train = [&](const std::string& data) {
    return RunProgram({"np", "train", "--model", "cnp", "--task", "csv", "--data", data, "--group", "g", "--out",
                       folder_ / "p.csv", "--quiet"});
  };
  ExpectRefused(train(Write("a.csv", "g,x,y\na,1,5\na,2,5\n")), {"a.csv", "'y'", "same value"});
  ExpectRefused(train(Write("b.csv", "g,x,y\na,1,5\nb,2,6\n")), {"b.csv", "groups can be used"});
  ExpectRefused(train(Write("c.csv", "g,x,y\na,1,5\na,2,6\nb,1,4\nb,2,2\n")), {"c.csv", "1 group", "learns from many"});
}

TEST_F(Np, RefusesOptionsThatDoNotGoTogether) {
  const std::string out = folder_ / "p.csv";
  ExpectRefused(RunProgram({"np", "train", "--task", "csv", "--out", out}), {"--task csv needs --data"});
  ExpectRefused(RunProgram({"np", "train", "--shift", "1", "--task", "csv", "--data", "x", "--out", out}),
                {"--shift belongs to --task gp"});
  ExpectRefused(RunProgram({"np", "train", "--lengthscale", "4,1", "--out", out}), {"--lengthscale 4,1"});
  ExpectRefused(RunProgram({"np", "train", "--heads", "3", "--out", out}), {"width 128", "3 heads"});
  ExpectRefused(RunProgram({"np", "train", "--quiet", "--resume", "--out", out}), {"--resume needs --checkpoint"});
  ExpectRefused(RunProgram({"np", "evaluate", "--model", "oracle", "--task", "csv", "--data", "none"}), {"none"});
  ExpectRefused(RunProgram({"np", "predit"}), {"unknown command 'predit'", "predict"});
  ExpectRefused(RunProgram({"te-tnp", "train", "--model", "cnp", "--out", out}), {"--model"});
}

}  // namespace
}  // namespace haplospin

#endif
