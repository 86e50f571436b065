// Training with two processes of haplospin, as torchrun and srun start them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "cli/paths.h"
#include "cli/run_program.h"
#include "core/random.h"
#include "core/safetensors.h"
#include "core/temporary_folder.h"
#include "learning/nn/free_port.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

using Words = std::vector<std::string>;

class TrainProcessesTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string err = Together(Np("probe"))[0].err;
    if (err.find("built without") != std::string::npos) GTEST_SKIP() << err;
  }

  // Two processes; in the order of their ranks.
  static std::array<ProgramResult, 2> Together(const Words& arguments, bool with_slurm = false) {
    const std::string port = std::to_string(FreePort());
    std::array<ProgramResult, 2> results;
    const auto run = [&](int rank) {
      const std::string number = std::to_string(rank);
      results[static_cast<size_t>(rank)] =
          RunProgram(arguments, "",
                     with_slurm ? std::map<std::string, std::string>{{"SLURM_STEP_ID", "0"},
                                                                     {"SLURM_NTASKS", "2"},
                                                                     {"SLURM_PROCID", number},
                                                                     {"SLURM_LOCALID", number},
                                                                     {"SLURM_STEP_NODELIST", "127.0.0.1"},
                                                                     {"MASTER_PORT", port}}
                                : std::map<std::string, std::string>{{"WORLD_SIZE", "2"},
                                                                     {"RANK", number},
                                                                     {"LOCAL_RANK", number},
                                                                     {"MASTER_ADDR", "127.0.0.1"},
                                                                     {"MASTER_PORT", port}});
    };
    std::thread other(run, 1);
    run(0);
    other.join();
    return results;
  }

  void ExpectTrained(const Words& arguments, bool with_slurm = false) const {
    const auto results = Together(arguments, with_slurm);
    for (const ProgramResult& result : results) ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(results[0].err, HasSubstr("2 processes train together"));
    EXPECT_EQ(results[1].err, "");
  }

  void ExpectTrainedAlone(const Words& arguments) const {
    const ProgramResult result = RunProgram(arguments);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }

  // The largest difference of two files' weights.
  double Difference(const std::string& a, const std::string& b) const {
    const auto first = ReadSafetensors(folder_ / a).tensors, second = ReadSafetensors(folder_ / b).tensors;
    EXPECT_EQ(first.size(), second.size());
    double largest = 0;
    for (const auto& [name, tensor] : first) {
      const auto* values = std::get_if<std::vector<float>>(&tensor.values);
      if (values == nullptr) continue;
      const auto& others = std::get<std::vector<float>>(second.at(name).values);
      for (size_t i = 0; i < values->size(); ++i) largest = std::max(largest, std::abs(1.0 * (*values)[i] - others[i]));
    }
    return largest;
  }

  Words Np(const std::string& out) const {
    return {"np", "train",   "--model", "cnp",       "--width", "8",     "--steps",
            "5",  "--batch", "6",       "--threads", "1",       "--out", folder_ / out};
  }

  Words Imputer(const std::string& out) const {
    const std::string data = TestDataFolder();
    return {"train",
            "--data",
            "panel=" + data + "/panel.bcf,map=" + data + "/map.txt",
            "--steps",
            "4",
            "--tasks",
            "1",
            "--samples-per-step",
            "4",
            "--stretches",
            "1",
            "--threads",
            "1",
            "--out",
            folder_ / out};
  }

  Words Tabular(const std::string& out, const Words& more = {}) const {
    const std::string table = folder_ / "table.csv";
    if (!std::filesystem::exists(table)) {
      std::ofstream file(table);
      file << "x,color,y\n";
      RandomStream random(5);
      for (int row = 0; row < 60; ++row) {
        const double x = random.Normal();
        file << x << (random.Bernoulli(0.5) ? ",red," : ",blue,") << (x > 0 ? "yes\n" : "no\n");
      }
    }
    Words words = {"npt",
                   "train",
                   "--data",
                   table,
                   "--target",
                   "y",
                   "--width",
                   "8",
                   "--depth",
                   "2",
                   "--heads",
                   "2",
                   "--ensemble",
                   "2",
                   "--steps",
                   "8",
                   "--validation-steps",
                   "4",
                   "--batch-rows",
                   "16",
                   "--threads",
                   "1",
                   "--out",
                   folder_ / out};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  const TemporaryFolder folder_;
};

// The tasks of a step are shared: only the order of sums differs.
TEST_F(TrainProcessesTest, TwoTrainANeuralProcessAsOneDoes) {
  ExpectTrainedAlone(Np("alone"));
  ExpectTrained(Np("together"));
  EXPECT_LT(Difference("alone", "together"), 1e-4);
  Words other = Np("other");
  other.insert(other.end(), {"--seed", "2"});
  ExpectTrainedAlone(other);
  EXPECT_GT(Difference("alone", "other"), 1e-2);
}

TEST_F(TrainProcessesTest, TwoTrainTheImputerAsOneDoes) {
  ExpectTrainedAlone(Imputer("alone"));
  ExpectTrained(Imputer("together"));
  // The last layers start at zero, so that the first gradients of the others are tiny, and Adam divides by their size:
  // the order of sums makes a difference of up to a tenth of the largest learning rate.
  EXPECT_LT(Difference("alone", "together"), 2e-3);
  Words other = Imputer("other");
  other.insert(other.end(), {"--seed", "2"});
  ExpectTrainedAlone(other);
  EXPECT_GT(Difference("alone", "other"), 2e-2);
}

TEST_F(TrainProcessesTest, SlurmsVariablesAreEnough) {
  ExpectTrained(Np("torchrun"));
  ExpectTrained(Np("srun"), /*with_slurm=*/true);
  EXPECT_EQ(Difference("torchrun", "srun"), 0);
}

// Each process draws rows of its own; both find their streams again.
TEST_F(TrainProcessesTest, TwoResumeAsTheyWouldHaveGoneOn) {
  ExpectTrained(Tabular("whole"));
  const std::string checkpoint = folder_ / "checkpoint";
  for (const char* stop_after : {"3", "11"}) {
    ExpectTrained(Tabular("resumed", {"--checkpoint", checkpoint, "--stop-after", stop_after}));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "resumed"));
    ExpectTrained(Tabular("resumed", {"--checkpoint", checkpoint, "--resume"}));
    EXPECT_EQ(Difference("whole", "resumed"), 0);
    std::filesystem::remove(folder_ / "resumed");
  }
  // One process is another run.
  const ProgramResult alone = RunProgram(Tabular("alone", {"--checkpoint", checkpoint, "--resume"}));
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("\"processes\":2"));
  ExpectTrainedAlone(Tabular("alone"));
  EXPECT_GT(Difference("whole", "alone"), 0);
}

TEST_F(TrainProcessesTest, MoreProcessesThanTasks) {
  Words arguments = Np("out");
  *(std::ranges::find(arguments, "--batch") + 1) = "1";
  for (const ProgramResult& result : Together(arguments)) {
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("2 processes cannot share the 1 tasks of a step; give a larger --batch"));
  }
}

}  // namespace
}  // namespace haplospin
