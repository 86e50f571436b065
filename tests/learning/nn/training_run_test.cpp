#include "learning/nn/training/training_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/log.h"
#include "core/temporary_folder.h"
#include "haplospin/errors.h"
#include "learning/nn/random_state.h"
#include "learning/nn/training/checkpoint.h"

namespace haplospin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A small network with dropout on rows that are drawn at each step; the score is what the test wants, or of the
// weights.
class Regression : public TrainingObjective {
 public:
  Regression() {
    SeedGenerators(3);
    layers_ = torch::nn::Sequential(torch::nn::Linear(3, 8), torch::nn::Tanh(), torch::nn::Dropout(0.2),
                                    torch::nn::Linear(8, 1));
  }

  torch::nn::Module& network() override { return *layers_; }
  nlohmann::json Configuration() const override { return {{"width", width}}; }

  StepLosses AddGradients(const TrainingStep& step) override {
    schedule_steps.push_back(step.schedule_step);
    if (step.number == empty_step) return {.weight = 0, .parts = {0}};
    const torch::Tensor inputs = torch::randn({4, 3});
    torch::Tensor loss = (layers_->forward(inputs) - inputs.sum(1, true)).square().mean();
    if (step.number >= spoiled_from) loss = loss * std::numeric_limits<double>::quiet_NaN();
    loss.backward();
    return {.total = loss.item<double>(), .parts = {loss.item<double>()}};
  }

  std::string LossText(const std::vector<double>& means) const override { return fmt::format("loss {:.4f}", means[0]); }

  double Validate() override {
    EXPECT_FALSE(layers_->is_training());
    EXPECT_FALSE(torch::GradMode::is_enabled());
    validated.push_back(Copy(*layers_));
    return scores.empty() ? layers_->parameters()[0].sum().item<double>() : scores.at(validated.size() - 1);
  }

  static NamedTensors Copy(const torch::nn::Module& module) {
    NamedTensors copy;
    for (const auto& [name, tensor] : ModuleState(module)) copy.emplace(name, tensor.detach().clone());
    return copy;
  }

  int width = 8;
  int64_t spoiled_from = std::numeric_limits<int64_t>::max(), empty_step = -1;
  std::vector<double> scores;
  std::vector<NamedTensors> validated;
  std::vector<int64_t> schedule_steps;

 private:
  torch::nn::Sequential layers_;
};

void ExpectSame(const NamedTensors& a, const NamedTensors& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) EXPECT_TRUE(torch::equal(tensor, b.at(name))) << name;
}

class TrainingRunTest : public testing::Test {
 protected:
  void SetUp() override {
    SetQuiet(true);
    options_.steps = 20;
    options_.learning_rate = 0.02;
    options_.checkpoint_steps = 4;
  }
  void TearDown() override { SetQuiet(false); }

  TrainingResult Run(Regression& objective, const TrainingObserver& observer = {}) {
    DataParallel alone({}, torch::kCPU);
    return RunTraining(options_, recipe_, objective, alone, observer);
  }

  std::string Error(Regression& objective) {
    try {
      Run(objective);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  // Weights of a run that is not interrupted.
  NamedTensors Whole() {
    Regression objective;
    Run(objective);
    return Regression::Copy(objective.network());
  }

  const TemporaryFolder folder_;
  TrainingOptions options_;
  TrainingRecipe recipe_{.schedule = FlatThenAnneal(20, 0.3)};
};

TEST_F(TrainingRunTest, ResumedIsBitForBitTheUninterruptedRun) {
  for (const bool with_lookahead : {false, true}) {
    if (with_lookahead) recipe_.optimizer = {OptimizerKind::kLamb, LookaheadOptions{}};
    options_.validation_steps = with_lookahead ? 3 : 0;
    const NamedTensors whole = Whole();
    for (const int64_t stop_after : {1, 4, 7, 19}) {
      const TrainingOptions uninterrupted = options_;
      options_.checkpoint = folder_ / "checkpoint";
      options_.stop_after = stop_after;
      Regression first;
      const TrainingResult stopped = Run(first);
      EXPECT_FALSE(stopped.is_finished);
      EXPECT_EQ(stopped.steps, stop_after);
      options_.resume = true;
      options_.stop_after = 0;
      Regression second;
      SeedGenerators(99);  // which the checkpoint must replace
      const TrainingResult resumed = Run(second);
      EXPECT_TRUE(resumed.is_finished);
      EXPECT_EQ(resumed.steps, 20);
      ExpectSame(Regression::Copy(second.network()), whole);
      options_ = uninterrupted;
    }
  }
}

// A checkpoint is written once the next loss is known; what that step draws must not be in it.
TEST_F(TrainingRunTest, ACheckpointOnTheWayIsAsGoodAsOneAtTheEnd) {
  options_.validation_steps = 5;
  const NamedTensors whole = Whole();
  options_.checkpoint = folder_ / "checkpoint";
  Regression interrupted;
  interrupted.spoiled_from = 14;
  EXPECT_THAT(Error(interrupted), HasSubstr("of step 12"));
  options_.resume = true;
  Regression resumed;
  EXPECT_EQ(Run(resumed).steps, 20);
  ExpectSame(Regression::Copy(resumed.network()), whole);
}

TEST_F(TrainingRunTest, ResumesAFinishedRunWithNothingToDo) {
  options_.checkpoint = folder_ / "checkpoint";
  Regression first;
  const TrainingResult result = Run(first);
  options_.resume = true;
  Regression second;
  const TrainingResult again = Run(second);
  EXPECT_EQ(second.schedule_steps.size(), 0u);
  EXPECT_EQ(again.losses, result.losses);
  ExpectSame(Regression::Copy(second.network()), Regression::Copy(first.network()));
}

TEST_F(TrainingRunTest, KeepsTheBestWeightsByScore) {
  options_.validation_steps = 4;
  Regression objective;
  objective.scores = {0.1, 0.5, 0.3, 0.5, 0.2};
  const TrainingResult result = Run(objective);
  EXPECT_EQ(result.best.step, 8);
  EXPECT_EQ(result.best.score, 0.5);
  ASSERT_EQ(result.curve.size(), 5u);
  EXPECT_GT(result.curve[2].loss, 0);
  ExpectSame(Regression::Copy(objective.network()), objective.validated[1]);
  EXPECT_FALSE(objective.network().is_training());
}

TEST_F(TrainingRunTest, ValidatesAtTheLastStep) {
  options_.validation_steps = 15;
  Regression objective;
  EXPECT_EQ(Run(objective).curve.back().step, 20);
}

TEST_F(TrainingRunTest, StopsEarlyAndResumesEarlyStopping) {
  options_.validation_steps = 2;
  options_.patience = 3;
  Regression whole;
  whole.scores = {1, 2, 0, 0, 0, 9, 9, 9, 9, 9};
  EXPECT_EQ(Run(whole).steps, 10);

  options_.checkpoint = folder_ / "checkpoint";
  options_.stop_after = 7;
  Regression first;
  first.scores = whole.scores;
  Run(first);
  options_.resume = true;
  options_.stop_after = 0;
  Regression second;
  second.scores = {0, 0, 9, 9};  // those of steps 8 and 10 come next
  const TrainingResult result = Run(second);
  EXPECT_EQ(result.steps, 10);
  EXPECT_EQ(result.best.step, 4);
  EXPECT_EQ(result.curve.size(), 5u);
  ExpectSame(Regression::Copy(second.network()), Regression::Copy(whole.network()));
}

TEST_F(TrainingRunTest, ATimeLimitEndsItAfterAValidation) {
  options_.steps = 1000000000;
  options_.time_limit = 0.02;
  options_.validation_steps = options_.steps;
  Regression objective;
  const TrainingResult result = Run(objective);
  EXPECT_TRUE(result.is_finished);
  EXPECT_LT(result.steps, options_.steps);
  EXPECT_EQ(result.best.step, result.steps);
  // The schedule is where the time is.
  EXPECT_EQ(objective.schedule_steps.front(), 0);
  EXPECT_GE(objective.schedule_steps.back(), result.steps);
  EXPECT_TRUE(std::ranges::is_sorted(objective.schedule_steps));
}

TEST_F(TrainingRunTest, TheTimeBeforeAnInterruptionCounts) {
  options_.time_limit = 1e6;
  options_.checkpoint = folder_ / "checkpoint";
  options_.stop_after = 3;
  Regression first;
  const double used = Run(first).seconds;
  options_.time_limit = used / 2;
  options_.resume = true;
  Regression second;
  EXPECT_EQ(Run(second).steps, 3);
}

TEST_F(TrainingRunTest, ALossThatIsNotFiniteSaysWhatWasKept) {
  Regression objective;
  objective.spoiled_from = 9;
  EXPECT_EQ(Error(objective),
            "train: the loss is not finite at step 10; there is no checkpoint; lower --learning-rate");
  options_.checkpoint = folder_ / "checkpoint";
  Regression with_checkpoint;
  with_checkpoint.spoiled_from = 9;
  EXPECT_THAT(Error(with_checkpoint), AllOf(HasSubstr("not finite at step 10; "), HasSubstr("checkpoint has the last"),
                                            HasSubstr("of step 8"), HasSubstr("--allow-changes")));
}

TEST_F(TrainingRunTest, AWeightThatIsNotFiniteIsNoResult) {
  options_.learning_rate = std::numeric_limits<double>::infinity();
  options_.steps = 1;
  Regression objective;
  EXPECT_THAT(Error(objective), HasSubstr("not finite"));
}

TEST_F(TrainingRunTest, KeepsTheBestWhereTheRecipeSaysSo) {
  recipe_.keeps_best_when_diverged = true;
  options_.validation_steps = 4;
  options_.checkpoint = folder_ / "checkpoint";
  Regression objective;
  objective.scores = {1, 2};
  objective.spoiled_from = 9;
  const TrainingResult result = Run(objective);
  EXPECT_TRUE(result.is_finished);
  EXPECT_TRUE(result.has_diverged);
  EXPECT_EQ(result.best.step, 8);
  ExpectSame(Regression::Copy(objective.network()), objective.validated[1]);
  options_.resume = true;
  Regression resumed;
  EXPECT_TRUE(Run(resumed).has_diverged);
  ExpectSame(Regression::Copy(resumed.network()), objective.validated[1]);
  Regression never_validated;
  never_validated.spoiled_from = 1;
  options_.resume = false;
  EXPECT_THAT(Error(never_validated), HasSubstr("not finite at step 2"));
}

TEST_F(TrainingRunTest, AStepWithoutSamplesLeavesTheWeights) {
  options_.steps = 1;
  Regression objective;
  objective.empty_step = 0;
  const NamedTensors before = Regression::Copy(objective.network());
  EXPECT_TRUE(Run(objective).is_finished);
  ExpectSame(Regression::Copy(objective.network()), before);
}

TEST_F(TrainingRunTest, ResumesNoOtherConfiguration) {
  options_.checkpoint = folder_ / "checkpoint";
  options_.stop_after = 5;
  Regression first;
  Run(first);
  options_.resume = true;
  options_.learning_rate = 0.03;
  Regression other;
  other.width = 9;
  EXPECT_THAT(Error(other), AllOf(HasSubstr("checkpoint: "), HasSubstr("\"width\":8"), HasSubstr("\"width\":9"),
                                  HasSubstr("\"learning_rate\":0.02"), HasSubstr("\"learning_rate\":0.03"),
                                  HasSubstr("--allow-changes")));
  options_.allow_changes = true;
  options_.stop_after = 0;
  EXPECT_EQ(Run(other).steps, 20);
}

TEST_F(TrainingRunTest, RefusesAnUnwritableOutputBeforeAnyStep) {
  for (const bool checkpoint : {false, true}) {
    (checkpoint ? options_.checkpoint : options_.out) = folder_ / "no/such/file";
    Regression objective;
    EXPECT_THAT(Error(objective), HasSubstr("no/such/file"));
    EXPECT_TRUE(objective.schedule_steps.empty());
    options_.out.clear();
  }
  EXPECT_EQ(folder_.NumFiles(), 0u);
}

TEST_F(TrainingRunTest, OptionsThatContradictEachOther) {
  const auto expect = [&](const std::string& message) {
    Regression objective;
    EXPECT_THAT(Error(objective), HasSubstr(message));
    options_ = {};
  };
  options_.resume = true;
  expect("train: --resume needs --checkpoint");
  options_.stop_after = 1;
  expect("train: --stop-after needs --checkpoint");
  options_.allow_changes = true;
  expect("train: --allow-changes needs --resume");
  options_.checkpoint = folder_ / "absent";
  options_.resume = true;
  expect("absent: checkpoint not found; start without --resume");
}

TEST_F(TrainingRunTest, DamagedCheckpoints) {
  options_.checkpoint = folder_ / "checkpoint";
  Regression objective;
  Run(objective);
  options_.resume = true;
  std::unique_ptr<Optimizer> optimizer = MakeOptimizer(objective.network(), {}, 0);
  SaveCheckpoint(options_.checkpoint, objective.network(), *optimizer, {.step = 3});
  EXPECT_THAT(Error(objective), HasSubstr("not a checkpoint of this version"));
  std::filesystem::resize_file(options_.checkpoint, 100);
  EXPECT_THAT(Error(objective), HasSubstr("not a complete safetensors file"));
}

TEST_F(TrainingRunTest, TellsTheObserverEachStep) {
  std::vector<int64_t> steps;
  Regression objective;
  Run(objective, [&](const TrainingResult& so_far) { steps.push_back(so_far.steps); });
  EXPECT_EQ(steps.size(), 20u);
  EXPECT_EQ(steps.back(), 20);
}

}  // namespace
}  // namespace haplospin
