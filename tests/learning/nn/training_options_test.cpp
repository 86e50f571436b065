#include "learning/nn/training_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "haplospin/errors.h"
#include "learning/nn/environment.h"

namespace haplospin {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Variables = std::map<std::string, std::string>;

TEST(ProcessPlace, IsOneProcessByDefault) { EXPECT_EQ(ProcessPlaceFromEnvironment().world_size, 1); }

TEST(ProcessPlace, ReadsTorchrunsVariables) {
  const Environment environment(
      {{"WORLD_SIZE", "8"}, {"RANK", "5"}, {"LOCAL_RANK", "1"}, {"MASTER_ADDR", "node0"}, {"MASTER_PORT", "1234"}});
  const ProcessPlace place = ProcessPlaceFromEnvironment();
  EXPECT_EQ(place.world_size, 8);
  EXPECT_EQ(place.rank, 5);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.address, "node0");
  EXPECT_EQ(place.port, 1234);
}

TEST(ProcessPlace, ReadsSlurmsVariables) {
  const Environment environment({{"SLURM_STEP_ID", "0"},
                                 {"SLURM_NTASKS", "4"},
                                 {"SLURM_PROCID", "3"},
                                 {"SLURM_LOCALID", "1"},
                                 {"SLURM_JOB_ID", "1234567"},
                                 {"SLURM_STEP_NODELIST", "gpu[07-08]"}});
  const ProcessPlace place = ProcessPlaceFromEnvironment();
  EXPECT_EQ(place.world_size, 4);
  EXPECT_EQ(place.rank, 3);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.address, "gpu07");
  EXPECT_EQ(place.port, 15000 + 14567);
  const Environment meeting_point({{"MASTER_ADDR", "node9"}, {"MASTER_PORT", "4000"}});
  EXPECT_EQ(ProcessPlaceFromEnvironment().address, "node9");
  EXPECT_EQ(ProcessPlaceFromEnvironment().port, 4000);
}

// What sbatch sets for its script, which is one process whatever --ntasks is.
TEST(ProcessPlace, ABatchScriptOfSlurmIsOneProcess) {
  const Environment environment({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}, {"SLURM_JOB_ID", "7"}});
  EXPECT_EQ(ProcessPlaceFromEnvironment().world_size, 1);
}

TEST(ProcessPlace, TorchrunWithinSlurmIsTorchrun) {
  const Environment environment(
      {{"WORLD_SIZE", "2"}, {"RANK", "1"}, {"SLURM_STEP_ID", "0"}, {"SLURM_NTASKS", "1"}, {"SLURM_PROCID", "0"}});
  EXPECT_EQ(ProcessPlaceFromEnvironment().world_size, 2);
  EXPECT_EQ(ProcessPlaceFromEnvironment().rank, 1);
}

TEST(ProcessPlace, RejectsContradictions) {
  for (const Variables& variables : {Variables{{"WORLD_SIZE", "2"}},
                                     {{"WORLD_SIZE", "2"}, {"RANK", "2"}},
                                     {{"WORLD_SIZE", "0"}},
                                     {{"WORLD_SIZE", "two"}},
                                     {{"WORLD_SIZE", "2"}, {"RANK", "0"}, {"MASTER_PORT", "70000"}},
                                     {{"SLURM_STEP_ID", "0"}, {"SLURM_NTASKS", "2"}, {"SLURM_PROCID", "2"}}}) {
    const Environment environment(variables);
    EXPECT_THAT([] { ProcessPlaceFromEnvironment(); }, ThrowsMessage<InputError>(HasSubstr("start with torchrun")));
  }
}

TEST(ProcessPlace, FirstHostOfSlurmsLists) {
  EXPECT_EQ(FirstHost("login"), "login");
  EXPECT_EQ(FirstHost("a1,a2"), "a1");
  EXPECT_EQ(FirstHost("node[03-07,12],gpu1"), "node03");
  EXPECT_EQ(FirstHost("n[5,9]"), "n5");
  EXPECT_EQ(FirstHost("rack[1-2]-gpu,x"), "rack1-gpu");
  EXPECT_EQ(FirstHost("n[5"), "n5");
}

}  // namespace
}  // namespace haplospin
