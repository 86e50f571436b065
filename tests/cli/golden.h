// Input and expected output of commands, in the folder golden/.
#pragma once

#include <filesystem>
#include <string>

namespace haplospin {

// Makes golden/ the current folder for its lifetime, so that messages contain no folder.
class GoldenFolder {
 public:
  GoldenFolder();
  ~GoldenFolder();
  GoldenFolder(const GoldenFolder&) = delete;
  GoldenFolder& operator=(const GoldenFolder&) = delete;

 private:
  const std::filesystem::path previous_;
};

// Expects `text` to be equal to golden/`name`. With HAPLOSPIN_WRITE_GOLDEN in the environment the file is written
// instead; check the difference before you commit it.
void ExpectGolden(const std::string& text, const std::string& name);

}  // namespace haplospin
