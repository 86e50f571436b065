// Input and expected output of commands, in the folder golden/.
#pragma once

#include <filesystem>
#include <string>

namespace haplospin {

// Makes golden/ the current folder while it lives, so that messages hold no folder.
class GoldenFolder {
 public:
  GoldenFolder();
  ~GoldenFolder();
  GoldenFolder(const GoldenFolder&) = delete;
  GoldenFolder& operator=(const GoldenFolder&) = delete;

 private:
  const std::filesystem::path previous_;
};

std::string Contents(const std::string& path);

// Expects `text` to be what golden/`name` holds. With HAPLOSPIN_WRITE_GOLDEN in the environment the file is written
// anew instead; look at the difference before you commit it.
void ExpectGolden(const std::string& text, const std::string& name);

}  // namespace haplospin
