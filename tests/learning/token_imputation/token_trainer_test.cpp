#include "learning/token_imputation/token_trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/safetensors.h"
#include "haplospin/errors.h"
#include "learning/token_imputation/token_fixtures.h"
#include "learning/token_imputation/token_network.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

class TableTrainerTest : public testing::Test {
 protected:
  TokenModelFile Train(const TokenTraining& training) const {
    testing::internal::CaptureStderr();
    result_ = TrainTokenNetwork(training, files_.panel, files_.array);
    log_ = testing::internal::GetCapturedStderr();
    return ParseTokenModel(ReadSafetensors(training.out));
  }

  std::string Error(const TokenTraining& training) const {
    testing::internal::CaptureStderr();
    std::string message;
    try {
      TrainTokenNetwork(training, files_.panel, files_.array);
    } catch (const InputError& error) {
      message = error.what();
    }
    testing::internal::GetCapturedStderr();
    EXPECT_FALSE(std::filesystem::exists(training.out));
    return message;
  }

  static void ExpectSameWeights(const TokenModelFile& a, const TokenModelFile& b) {
    ASSERT_EQ(a.weights.size(), b.weights.size());
    for (const auto& [name, tensor] : a.weights) EXPECT_TRUE(tensor.equal(b.weights.at(name))) << name;
  }

  const TableFiles files_;
  mutable TokenTrainingResult result_;
  mutable std::string log_;
};

TEST_F(TableTrainerTest, WritesTheSitesAndTheConfiguration) {
  const TokenTraining training = files_.Training("m.safetensors");
  const TokenModelFile model = Train(training);
  EXPECT_EQ(model.network.shape, training.network.shape);
  ASSERT_TRUE(model.sites);
  EXPECT_EQ(model.sites->contig, "20");
  EXPECT_EQ(model.sites->inputs.size(), 18u);
  EXPECT_EQ(model.sites->targets.size(), 15u);
  for (const Marker& marker : model.sites->inputs) EXPECT_TRUE(files_.array.Contains("20", marker.position));
  for (const Marker& marker : model.sites->targets) EXPECT_FALSE(files_.array.Contains("20", marker.position));
  EXPECT_FALSE(model.inducing_points.defined());
  EXPECT_GT(result_.best_step, 0);
}

TEST_F(TableTrainerTest, AModelOfManyWindowsHasNoSites) {
  TokenTraining training = files_.Training("m.safetensors");
  training.windows = 4;
  const TokenModelFile model = Train(training);
  EXPECT_FALSE(model.sites);
  EXPECT_TRUE(model.network.shape.minor_alleles);
  EXPECT_THAT(log_, HasSubstr("initialized at random"));  // its latent attributes are fewer than the tokens
}

TEST_F(TableTrainerTest, AModelOfManyWindowsChoosesPointsToLookUpWith) {
  TokenTraining training = files_.Training("m.safetensors");
  training.network.inducing_points = training.network.latent_attributes = 0;
  training.learning_rate = 1e-7;  // accuracy without training
  training.windows = 4;
  const TokenModelFile model = Train(training);
  EXPECT_EQ(model.network.inducing_points, 512);
  EXPECT_EQ(model.network.latent_attributes, static_cast<int64_t>(training.network.shape.tokens()));
  EXPECT_GT(result_.validation_r2, 0.5) << log_;
  training.windows = 1;
  EXPECT_EQ(Train(training).network.latent_attributes, 10);
}

TEST_F(TableTrainerTest, LearnsMoreThanTheFrequencies) {
  for (const std::string architecture : {"spin", "npt", "set-transformer"}) {
    TokenTraining training = files_.Training(architecture + ".safetensors", architecture);
    training.steps = 150;
    training.validation_steps = 30;
    training.rows = 0;
    Train(training);
    EXPECT_GT(result_.validation_r2, 0.75) << architecture << "\n" << log_;
  }
}

TEST_F(TableTrainerTest, SameSeedSameWeights) {
  const TokenModelFile one = Train(files_.Training("one.safetensors"));
  ExpectSameWeights(one, Train(files_.Training("two.safetensors")));
  TokenTraining other = files_.Training("other.safetensors");
  other.seed = 2;
  EXPECT_FALSE(Train(other).weights.begin()->second.equal(one.weights.begin()->second));
}

TEST_F(TableTrainerTest, ResumedIsTheSameAsUninterrupted) {
  for (const TokenMasking masking : {TokenMasking::kChunk, TokenMasking::kToken}) {
    for (const int64_t windows : {1, 3}) {
      TokenTraining training = files_.Training("whole.safetensors");
      training.network.dropout = 0.2;
      training.masking = masking;
      training.windows = windows;
      const TokenModelFile whole = Train(training);
      training.out = files_.folder / "resumed.safetensors";
      std::filesystem::remove(training.out);
      training.checkpoint = files_.folder / "checkpoint.safetensors";
      training.stop_after = 7;
      EXPECT_FALSE(TrainTokenNetwork(training, files_.panel, files_.array).finished);
      EXPECT_FALSE(std::filesystem::exists(training.out));
      training.stop_after = 0;
      training.resume = true;
      ExpectSameWeights(Train(training), whole);
    }
  }
}

TEST_F(TableTrainerTest, ResumesNoOtherRun) {
  TokenTraining training = files_.Training("m.safetensors");
  training.resume = true;
  EXPECT_THAT(Error(training), HasSubstr("--resume needs --checkpoint"));
  training.checkpoint = files_.folder / "checkpoint.safetensors";
  EXPECT_THAT(Error(training), HasSubstr("checkpoint not found"));
  training.resume = false;
  training.stop_after = 4;
  TrainTokenNetwork(training, files_.panel, files_.array);
  training.resume = true;
  training.network.shape.kmer = 5;
  const std::string message = Error(training);
  EXPECT_THAT(message, HasSubstr("\"kmer\":3"));
  EXPECT_THAT(message, HasSubstr("\"kmer\":5"));
}

TEST_F(TableTrainerTest, StopsWhereTheLossIsNoNumber) {
  TokenTraining training = files_.Training("m.safetensors");
  training.learning_rate = 1;
  training.clip = 1e6;
  training.steps = 3000;
  training.flat_share = 0.99;
  training.checkpoint = files_.folder / "checkpoint.safetensors";
  training.checkpoint_steps = 1;
  training.validation_steps = 3000;
  const std::string message = Error(training);
  EXPECT_THAT(message, testing::MatchesRegex(".*not finite at step [0-9]+; .*has the last finite state.*"));
  // All of it is finite: a run can be continued from it.
  for (const auto& [name, tensor] : ReadSafetensors(training.checkpoint).tensors) {
    const auto* values = std::get_if<std::vector<float>>(&tensor.values);
    if (values == nullptr || !name.starts_with("model.")) continue;
    for (float value : *values) ASSERT_TRUE(std::isfinite(value)) << name;
  }
}

TEST_F(TableTrainerTest, TakesTheSitesThatThereAre) {
  TokenTraining training = files_.Training("m.safetensors");
  training.network.shape.inputs = 1000;
  training.network.shape.targets = 1000;
  training.steps = 2;
  const TokenModelFile model = Train(training);
  EXPECT_EQ(model.network.shape.inputs, files_.study.typed.size());
  EXPECT_EQ(model.network.shape.targets, files_.panel.num_markers() - files_.study.typed.size());
  EXPECT_THAT(log_, HasSubstr("array sites and"));
  EXPECT_THAT(log_, HasSubstr("fewer than 1000 and 1000; all of them are used"));
}

TEST_F(TableTrainerTest, TakesFewerRowsWhereMemoryIsShort) {
  TokenTraining training = files_.Training("m.safetensors");
  training.steps = 2;
  training.max_bytes = int64_t{1} << 20;
  Train(training);
  EXPECT_THAT(log_, HasSubstr("would not fit into 1 MiB (--memory)"));
}

TEST_F(TableTrainerTest, EncodesForOneWindowOfSpin) {
  TokenTraining training = files_.Training("m.safetensors", "npt");
  training.encode = true;
  EXPECT_THAT(Error(training), HasSubstr("--encode needs --arch spin"));
  training = files_.Training("m.safetensors");
  training.encode = true;
  training.windows = 2;
  EXPECT_THAT(Error(training), HasSubstr("and one window"));
  training.windows = 1;
  EXPECT_EQ(Train(training).inducing_points.sizes(), (std::vector<int64_t>{4, 3, 8}));
}

TEST_F(TableTrainerTest, WritesWhereTheModelComesFrom) {
  TokenTraining training = files_.Training("m.safetensors");
  training.provenance = {.command = "a test", .data = "panel.bcf", .seed = 8};
  const TokenModelFile model = Train(training);
  EXPECT_EQ(model.provenance.data, "panel.bcf");
  EXPECT_EQ(model.provenance.seed, 8u);
  EXPECT_EQ(model.results.at("steps"), "12");
}

TEST_F(TableTrainerTest, RefusesDamagedModels) {
  const TokenTraining training = files_.Training("m.safetensors");
  Train(training);
  const Safetensors good = ReadSafetensors(training.out);
  const auto expect = [&](const std::string& key, const std::string& value, const std::string& message) {
    Safetensors bad = good;
    bad.metadata[key] = value;
    try {
      ParseTokenModel(bad);
      ADD_FAILURE() << key;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(message));
      EXPECT_THAT(error.what(), HasSubstr("m.safetensors"));
    }
  };
  const auto expect_configuration = [&](const char* pointer, const nlohmann::json& value, const std::string& message) {
    nlohmann::json json = nlohmann::json::parse(good.Metadata("configuration"));
    json[nlohmann::json::json_pointer(pointer)] = value;
    expect("configuration", json.dump(), message);
  };
  expect("version", "9", "version 9");
  expect("kind", "tabular", "found a model of the kind 'tabular'");
  expect("configuration", "{", "its configuration is not a JSON object");
  expect("configuration", R"({"network":{"architecture":"spin"}})", "configuration cannot be read");
  expect_configuration("/network/width", 88888888, "sizes are out of bounds");
  expect_configuration("/network/architecture", "hopular", "sizes are out of bounds");
  expect_configuration("/network/width", 4096, "needs at least");
  expect_configuration("/sites", nlohmann::json::array(), "configuration cannot be read");
  expect_configuration("/sites/inputs", nlohmann::json::array(), "lists of sites do not fit");
}

}  // namespace
}  // namespace haplospin
