#include "cli/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace haplospin {

GoldenFolder::GoldenFolder() : previous_(std::filesystem::current_path()) {
  std::filesystem::current_path(HAPLOSPIN_GOLDEN);
}

GoldenFolder::~GoldenFolder() { std::filesystem::current_path(previous_); }

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void ExpectGolden(const std::string& text, const std::string& name) {
  const std::string path = std::string(HAPLOSPIN_GOLDEN) + "/" + name;
  if (std::getenv("HAPLOSPIN_WRITE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(text, Contents(path)) << "differs from " << name;
}

}  // namespace haplospin
