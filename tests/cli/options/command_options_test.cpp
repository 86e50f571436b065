#include "cli/options/command_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/log.h"
#include "core/threads.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A command with one option of every kind.
struct Example {
  Example() {
    options.Group("Input");
    options.Require("panel,p", "FILE", &panel, "phased reference panel");
    options.Add("sites", "FILE", &sites, "lists of sites");
    options.Group("Method");
    options.Add("window", "CM", &window, "length of a window", {1, 1000});
    options.Add("states", "N", &states, "haplotypes to attend to", {1, 500});
    options.AddChoice("output-type", &type, {"v", "z", "b"}, "VCF, VCF.gz or BCF");
    options.AddFlag("gp", &gp, "write genotype probabilities");
    options.AddSeed(&seed);
    options.AddDevice(&device);
  }

  bool Parse(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "impute");
    return options.Parse(arguments);
  }

  std::string panel;
  std::vector<std::string> sites;
  double window = 40;
  int states = 60;
  std::string type = "z";
  bool gp = false;
  uint64_t seed = 1;
  std::string device = "auto";
  CommandOptions options{"impute", "Imputes untyped genotypes.", "haplospin impute --panel p.bcf"};
};

class CommandOptionsTest : public testing::Test {
 protected:
  ~CommandOptionsTest() override { SetQuiet(false); }

  static std::string ErrorOf(const std::vector<std::string>& arguments) {
    try {
      Example().Parse(arguments);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  Example example_;
};

TEST_F(CommandOptionsTest, FillsVariables) {
  ASSERT_TRUE(example_.Parse({"--panel", "p.bcf", "--window", "2.5", "--states=7", "--output-type", "b", "--gp",
                              "--seed", "9", "--device", "cuda:1", "--sites", "a", "--sites=b"}));
  EXPECT_EQ(example_.panel, "p.bcf");
  EXPECT_EQ(example_.window, 2.5);
  EXPECT_EQ(example_.states, 7);
  EXPECT_EQ(example_.type, "b");
  EXPECT_TRUE(example_.gp);
  EXPECT_EQ(example_.seed, 9);
  EXPECT_EQ(example_.device, "cuda:1");
  EXPECT_THAT(example_.sites, testing::ElementsAre("a", "b"));
  EXPECT_TRUE(example_.options.IsGiven("window"));
}

TEST_F(CommandOptionsTest, DefaultsStay) {
  ASSERT_TRUE(example_.Parse({"-p", "p.bcf"}));
  EXPECT_EQ(example_.panel, "p.bcf");
  EXPECT_EQ(example_.window, 40);
  EXPECT_EQ(example_.states, 60);
  EXPECT_EQ(example_.type, "z");
  EXPECT_FALSE(example_.gp);
  EXPECT_EQ(example_.device, "auto");
  EXPECT_FALSE(example_.options.IsGiven("window"));
}

TEST_F(CommandOptionsTest, DashIsAValue) {
  ASSERT_TRUE(example_.Parse({"--panel", "-"}));
  EXPECT_EQ(example_.panel, "-");
}

TEST_F(CommandOptionsTest, SetsThreadsAndQuietness) {
  ASSERT_TRUE(example_.Parse({"--panel=p", "--threads", "3", "--quiet"}));
  EXPECT_EQ(Threads(), 3);
  EXPECT_TRUE(IsQuiet());
}

TEST_F(CommandOptionsTest, UnknownOptionIsNamedWithAGuess) {
  EXPECT_EQ(ErrorOf({"--panel=p", "--windwo", "3"}),
            "impute: unknown option --windwo; did you mean --window? (see haplospin impute --help)");
  EXPECT_THAT(ErrorOf({"--panel=p", "--frobnicate"}), AllOf(HasSubstr("--frobnicate"), Not(HasSubstr("did you mean"))));
  EXPECT_THAT(ErrorOf({"--panel=p", "-x"}), HasSubstr("unknown option -x"));
}

TEST_F(CommandOptionsTest, AbbreviationsAreUnknown) {
  EXPECT_THAT(ErrorOf({"--pane", "p"}), HasSubstr("unknown option --pane; did you mean --panel?"));
}

TEST_F(CommandOptionsTest, MissingOptionIsNamed) { EXPECT_THAT(ErrorOf({}), HasSubstr("--panel is missing")); }

TEST_F(CommandOptionsTest, MissingValueIsNamed) { EXPECT_THAT(ErrorOf({"--panel"}), HasSubstr("--panel")); }

// As of a variable of the shell that is not set.
TEST_F(CommandOptionsTest, EmptyValueIsNamed) {
  EXPECT_THAT(ErrorOf({"--panel", ""}), HasSubstr("--panel is empty; give a value, or omit it"));
  EXPECT_THAT(ErrorOf({"-p", ""}), HasSubstr("--panel is empty"));
}

TEST_F(CommandOptionsTest, RepeatedOptionIsNamed) {
  EXPECT_THAT(ErrorOf({"--panel", "a", "--panel", "b"}), HasSubstr("--panel is given more than once"));
}

TEST_F(CommandOptionsTest, StrayArgumentIsNamed) {
  EXPECT_THAT(ErrorOf({"--panel", "a", "b.bcf"}), HasSubstr("unexpected argument 'b.bcf'"));
}

// As a shell makes them of a pattern.
TEST(CommandOptionsFilesTest, AnOptionTakesSeveralFiles) {
  std::vector<std::string> panels;
  int window = 1;
  CommandOptions options("impute", "Imputes.", "haplospin impute");
  options.Add("ref,r", "FILE", &panels, "panels");
  options.Add("window", "CM", &window, "window");
  ASSERT_TRUE(options.Parse({"impute", "--ref", "a", "b", "--window", "2", "-r", "c", "d", "e"}));
  EXPECT_EQ(panels, (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(window, 2);
}

TEST_F(CommandOptionsTest, BadValuesSayWhatIsExpected) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"--window", "wide"}, "--window is 'wide', but must be a number from 1 to 1000"},
      {{"--window", "0.5"}, "must be a number from 1 to 1000"},
      {{"--window", "1001"}, "must be a number from 1 to 1000"},
      {{"--window", "nan"}, "must be a number from 1 to 1000"},
      {{"--window", "4 "}, "must be a number from 1 to 1000"},
      {{"--states", "2.5"}, "must be a whole number from 1 to 500"},
      {{"--states", "99999999999"}, "must be a whole number from 1 to 500"},
      {{"--seed", "-1"}, "must be a whole number, 0 or more"},
      {{"--threads", "0"}, "must be a whole number from 1 to"},
      {{"--output-type", "x"}, "must be one of v, z, b"},
      {{"--device", "gpu"}, "must be auto, cpu, cuda or cuda:N"},
      {{"--device", "cuda:"}, "must be auto, cpu, cuda or cuda:N"},
      {{"--device", "cuda:-1"}, "must be auto, cpu, cuda or cuda:N"},
      {{"--device", "cuda:1x"}, "must be auto, cpu, cuda or cuda:N"},
  };
  for (const auto& [arguments, expected] : cases) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--panel", "p"});
    EXPECT_THAT(ErrorOf(all), HasSubstr(expected)) << arguments[1];
  }
}

TEST_F(CommandOptionsTest, ErrorsAreOneLineThatNamesTheCommand) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{}, {"--panel"}, {"x"}, {"--y"}, {"--panel="}}) {
    EXPECT_THAT(ErrorOf(arguments), AllOf(StartsWith("impute: "), Not(HasSubstr("\n"))));
  }
}

TEST_F(CommandOptionsTest, HelpShowsEveryOptionAndDefault) {
  testing::internal::CaptureStdout();
  EXPECT_FALSE(example_.Parse({"--help", "--no-such-option"}));
  const std::string help = testing::internal::GetCapturedStdout();
  EXPECT_THAT(help, StartsWith("Imputes untyped genotypes.\n\nUsage: haplospin impute [options]\n"));
  for (const char* text : {"Example: haplospin impute --panel p.bcf\n", "\nInput:\n", "\nMethod:\n", "\nCommon:\n",
                           "  -p, --panel FILE            phased reference panel (required)\n",
                           "length of a window [40]\n", "--output-type v|z|b", "[z]", "--sites FILE",
                           "(may be repeated)", "--gp ", "--seed N", "[1]", "[auto]", "--threads N", "--quiet"}) {
    EXPECT_THAT(help, HasSubstr(text));
  }
}

TEST_F(CommandOptionsTest, HelpShowsADefaultThatFollowsFromOtherOptions) {
  EXPECT_THAT(example_.options.HelpText(), HasSubstr("[60]"));
  example_.options.ShowDefault("states", "of the preset");
  EXPECT_THAT(example_.options.HelpText(), AllOf(HasSubstr("[of the preset]"), Not(HasSubstr("[60]"))));
}

TEST(CommandOptions, SummaryFitsTheWidth) {
  const std::string words =
      "Imputes the untyped genotypes of a study from a phased reference panel or, without one, its missing";
  const CommandOptions options("impute", words + " genotypes.", "haplospin impute");
  EXPECT_THAT(options.HelpText(), StartsWith(words + "\ngenotypes.\n\nUsage: "));
}

TEST_F(CommandOptionsTest, HelpFitsTheWidth) {
  example_.options.Add(
      "long", "TEXT", &example_.type,
      "an explanation that goes on and on, so that it does not fit one line of the help and must be broken, "
      "perhaps more than once, at blanks");
  std::istringstream help(example_.options.HelpText());
  std::string words;
  for (std::string line; std::getline(help, line);) {
    EXPECT_LE(line.size(), 100u) << line;
    words += line.substr(std::min(line.find_first_not_of(' '), line.size())) + " ";
  }
  EXPECT_THAT(words,
              HasSubstr("goes on and on, so that it does not fit one line of the help and must be broken, perhaps"));
}

}  // namespace
}  // namespace haplospin
