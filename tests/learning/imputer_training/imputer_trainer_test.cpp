#include "learning/imputer_training/imputer_trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/log.h"
#include "core/safetensors.h"
#include "core/temporary_folder.h"
#include "core/threads.h"
#include "genotypes/imputation/models/network/imputer_weights.h"
#include "haplospin/errors.h"
#include "learning/imputer_training/tiny_training.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

class ImputerTrainerTest : public testing::Test {
 protected:
  // The log messages.
  std::string Train(const ImputerTraining& training) const {
    testing::internal::CaptureStderr();
    TrainImputer(training, panels_);
    return testing::internal::GetCapturedStderr();
  }

  std::string Error(const ImputerTraining& training) {
    testing::internal::CaptureStderr();
    std::string message;
    try {
      TrainImputer(training, panels_);
    } catch (const InputError& error) {
      message = error.what();
    }
    log_ = testing::internal::GetCapturedStderr();
    return message;
  }

  ImputerTraining Training(const std::string& name = "weights") const { return TinyTraining(folder_ / name); }

  void ExpectSameWeights(const std::string& a, const std::string& b) const { EXPECT_TRUE(SameWeights(a, b)); }

  bool SameWeights(const std::string& a, const std::string& b) const {
    const auto first = ReadSafetensors(folder_ / a).tensors, second = ReadSafetensors(folder_ / b).tensors;
    EXPECT_EQ(first.size(), second.size());
    for (const auto& [name, tensor] : first) {
      if (tensor.values != second.at(name).values) return false;
    }
    return true;
  }

  const TemporaryFolder folder_;
  const std::vector<TrainingPanel> panels_ = TinyPanels();
  std::string log_;
};

TEST_F(ImputerTrainerTest, SaysWhatItReachedAndKeepsItWithTheWeights) {
  ImputerTraining training = Training();
  training.log_steps = 5;
  training.provenance = {.data = "mosaic", .seed = 9};
  const std::string log = Train(training);
  EXPECT_THAT(log, HasSubstr("step 5: cross-entropy 0."));
  EXPECT_THAT(log, HasSubstr("step 8: cross-entropy 0."));
  const Safetensors file = ReadSafetensors(training.out);
  EXPECT_EQ(file.Metadata("data"), "mosaic");
  EXPECT_EQ(file.Metadata("seed"), "9");
  EXPECT_EQ(file.Metadata("steps"), "8");
  EXPECT_THAT(file.Metadata("figures"), HasSubstr("relative to Li-Stephens)"));
  EXPECT_EQ(LoadImputerWeights(training.out).copy.hidden, 8u);
}

TEST_F(ImputerTrainerTest, TheSameSeedGivesTheSameWeights) {
  Train(Training("first"));
  Train(Training("second"));
  ExpectSameWeights("first", "second");
  ImputerTraining other = Training("other");
  other.seed = 2;
  Train(other);
  EXPECT_FALSE(SameWeights("first", "other"));
}

TEST_F(ImputerTrainerTest, TheRelativeLossGivesOtherWeights) {
  Train(Training("absolute"));
  ImputerTraining relative = Training("relative");
  relative.relative_loss = true;
  Train(relative);
  EXPECT_FALSE(SameWeights("absolute", "relative"));
  relative.out = folder_ / "again";
  Train(relative);
  ExpectSameWeights("relative", "again");
}

TEST_F(ImputerTrainerTest, TheNumberOfThreadsDoesNotMatter) {
  const auto train = [&](int threads, const std::string& name) {
    SetThreads(threads);
    Train(Training(name));
  };
  train(1, "one");
  train(2, "two");
  train(4, "four");
  SetThreads(AvailableThreads());
  ExpectSameWeights("one", "two");
  ExpectSameWeights("one", "four");
}

// Stopped and resumed at any step, whether or not a task is replaced there.
TEST_F(ImputerTrainerTest, AResumedRunIsBitForBitTheWholeOne) {
  Train(Training("whole"));
  ImputerTraining training = Training("resumed");
  training.checkpoint = folder_ / "checkpoint";
  for (const int64_t stop_after : {1, 3, 5}) {
    std::filesystem::remove(training.out);
    training.resume = false;
    training.stop_after = stop_after;
    Train(training);
    EXPECT_FALSE(std::filesystem::exists(training.out));
    training.resume = true;
    training.stop_after = 0;
    Train(training);
    EXPECT_TRUE(SameWeights("whole", "resumed")) << stop_after;
  }
}

// The weights hardly change with a learning rate of nearly 0.
TEST_F(ImputerTrainerTest, StartsFromGivenWeights) {
  Train(Training("first"));
  ImputerTraining training = Training("second");
  training.start = folder_ / "first";
  training.seed = 2;
  training.learning_rate = 1e-9;
  Train(training);
  const ImputerWeights first = LoadImputerWeights(folder_ / "first"), second = LoadImputerWeights(training.out);
  for (size_t k = 0; k < first.copy.weight1.size(); ++k) {
    ASSERT_NEAR(first.copy.weight1[k], second.copy.weight1[k], 1e-6);
  }
  EXPECT_NEAR(first.panel_share, second.panel_share, 1e-6);
  EXPECT_NE(first.panel_share, -7) << "what an untrained network has";
  training.copy_hidden = 16;
  EXPECT_THAT(Error(training), HasSubstr("first: its hidden layers have 8 and 8 units; add --copy-hidden 8"));
}

// Runs write checkpoints at intervals by default.
TEST_F(ImputerTrainerTest, CheckpointsAreWrittenOnTheWay) {
  ImputerTraining training = Training("first");
  training.checkpoint = folder_ / "checkpoint";
  training.checkpoint_steps = 5;
  Train(training);
  EXPECT_TRUE(std::filesystem::exists(training.checkpoint));
  // The last is of the last step: nothing is left to do.
  training.out = folder_ / "second";
  training.resume = true;
  Train(training);
  ExpectSameWeights("first", "second");
}

TEST_F(ImputerTrainerTest, ALossThatIsNotANumberStops) {
  ImputerTraining training = Training();
  training.learning_rate = 1e30;
  training.checkpoint = folder_ / "checkpoint";
  training.checkpoint_steps = 1;
  EXPECT_THAT(Error(training),
              testing::AllOf(HasSubstr("the loss is not finite at step"),
                             HasSubstr("checkpoint has the last finite state"), HasSubstr("lower --learning-rate")));
  EXPECT_FALSE(std::filesystem::exists(training.out));
  // A run can continue from it.
  training.resume = training.allow_changes = true;
  training.learning_rate = 1e-4;
  Train(training);
  for (const auto& [name, tensor] : ReadSafetensors(training.out).tensors) {
    for (const float value : std::get<std::vector<float>>(tensor.values)) ASSERT_TRUE(std::isfinite(value)) << name;
  }
}

TEST_F(ImputerTrainerTest, CheckpointsThatDoNotServe) {
  ImputerTraining training = Training();
  training.resume = true;
  EXPECT_EQ(Error(training), "train: --resume needs --checkpoint");
  training.checkpoint = folder_ / "absent";
  EXPECT_THAT(Error(training), HasSubstr("absent: checkpoint not found; start without --resume"));
  training.resume = false;
  training.checkpoint = folder_ / "checkpoint";
  Train(training);
  training.resume = true;
  training.copy_hidden = 16;
  EXPECT_THAT(Error(training), HasSubstr(training.checkpoint));
  training.copy_hidden = 8;
  std::filesystem::resize_file(training.checkpoint, 1000);
  EXPECT_THAT(Error(training), HasSubstr(training.checkpoint + " is not a complete safetensors file"));
  training.checkpoint.clear();
  training.resume = false;
  training.stop_after = 3;
  EXPECT_EQ(Error(training), "train: --stop-after needs --checkpoint");
}

// An output that cannot be written is reported before the training.
TEST_F(ImputerTrainerTest, OutputsAreTriedBeforeTheWork) {
  ImputerTraining training = TinyTraining(folder_ / "no/such/weights");
  EXPECT_THAT(Error(training), HasSubstr("no/such/weights"));
  EXPECT_EQ(log_, "");
  training = Training();
  training.checkpoint = folder_ / "no/such/checkpoint";
  EXPECT_THAT(Error(training), HasSubstr("no/such/checkpoint"));
  EXPECT_EQ(log_, "");
  EXPECT_EQ(folder_.NumFiles(), 0u);
}

TEST_F(ImputerTrainerTest, DevicesThatAreNotThere) {
  ImputerTraining training = Training();
  training.device = "cuda:99";
  EXPECT_THAT(Error(training), HasSubstr("device 'cuda:99' is not available"));
}

}  // namespace
}  // namespace haplospin
