#include "core/provenance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>

#include "core/temporary_folder.h"
#include "haplospin/errors.h"
#include "haplospin/version.h"

namespace haplospin {
namespace {

class ProvenanceTest : public testing::Test {
 protected:
  ProvenanceTest() {
    if (const char* given = std::getenv(kName)) before_ = given;
  }
  ~ProvenanceTest() override { before_ ? setenv(kName, before_->c_str(), 1) : unsetenv(kName); }

  static std::string DateAt(const char* epoch) {
    setenv(kName, epoch, 1);
    return MakeProvenance({}, "", 0).date;
  }

  static constexpr char kName[] = "SOURCE_DATE_EPOCH";
  std::optional<std::string> before_;
};

TEST_F(ProvenanceTest, SaysWhatRan) {
  const Provenance provenance = MakeProvenance({"train", "--seed", "5"}, "panel.bcf", 5);
  EXPECT_EQ(provenance.haplospin, kVersion);
  EXPECT_EQ(provenance.command, "haplospin train --seed 5");
  EXPECT_EQ(provenance.data, "panel.bcf");
  EXPECT_EQ(provenance.seed, 5u);
  EXPECT_THAT(provenance.date, testing::MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]"));
}

// A name with a line end would break the header that it is written to.
TEST_F(ProvenanceTest, TheCommandIsOneLine) {
  EXPECT_EQ(CommandLineText({"impute", "--ref=a,b.bcf", "-O", "z"}), "haplospin impute --ref=a,b.bcf -O z");
  EXPECT_EQ(CommandLineText({"a b", "", "x\"y", "it's"}), "haplospin 'a b' '' 'x\"y' $'it\\x27s'");
  EXPECT_EQ(CommandLineText({"-o", "x\ny\tz"}), "haplospin -o $'x\\x0ay\\x09z'");
}

TEST_F(ProvenanceTest, TheDayIsInUtc) {
  EXPECT_EQ(DateAt("0"), "1970-01-01");
  EXPECT_EQ(DateAt("951782400"), "2000-02-29");
  EXPECT_EQ(DateAt("951868799"), "2000-02-29");
  EXPECT_EQ(DateAt("951868800"), "2000-03-01");
}

TEST_F(ProvenanceTest, ADayThatIsNone) {
  for (const char* epoch : {"", "yesterday", "-1", "1e9", "99999999999999"}) {
    EXPECT_THROW(DateAt(epoch), InputError) << epoch;
  }
}

// FIPS 180-2, appendix B.
TEST(ContentHash, StandardExamples) {
  const TemporaryFolder folder;
  const auto hash = [&](const std::string& bytes) {
    std::ofstream(folder / "file", std::ios::binary) << bytes;
    return Sha256OfFile(folder / "file");
  };
  EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256OfText("abc"), hash("abc"));
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// The same content has the same fingerprint under any name; another size, beginning or end has another one.
TEST(ContentHash, FingerprintsOfFiles) {
  const TemporaryFolder folder;
  const auto fingerprint = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return FingerprintOfFile(folder / name);
  };
  for (const size_t size : {size_t{0}, size_t{1}, size_t{1} << 20, (size_t{3} << 20) + 7}) {
    const std::string bytes(size, 'a');
    const std::string expected = fingerprint("a", bytes);
    EXPECT_EQ(fingerprint("b", bytes), expected);
    EXPECT_NE(fingerprint("c", bytes + "a"), expected);
    if (size == 0) continue;
    EXPECT_NE(fingerprint("c", "b" + bytes.substr(1)), expected);
    EXPECT_NE(fingerprint("c", bytes.substr(1) + "b"), expected);
  }
  EXPECT_THROW(FingerprintOfFile(folder / "none"), InputError);
}

TEST(ContentHash, MissingFileAndFolderAreErrors) {
  const TemporaryFolder folder;
  EXPECT_THROW(Sha256OfFile(folder / "none"), InputError);
  EXPECT_THROW(Sha256OfFile(folder.path().string()), InputError);
}

}  // namespace
}  // namespace haplospin
