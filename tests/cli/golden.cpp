#include "cli/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/paths.h"
#include "core/file_contents.h"

namespace haplospin {
namespace {

const std::string kGoldenFiles = SourceFolder() + "/tests/cli/golden";

}  // namespace

GoldenFolder::GoldenFolder() : previous_(std::filesystem::current_path()) {
  std::filesystem::current_path(kGoldenFiles);
}

GoldenFolder::~GoldenFolder() { std::filesystem::current_path(previous_); }

void ExpectGolden(const std::string& text, const std::string& name) {
  const std::string path = kGoldenFiles + "/" + name;
  if (std::getenv("HAPLOSPIN_WRITE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(text, Contents(path)) << "differs from " << name;
}

}  // namespace haplospin
