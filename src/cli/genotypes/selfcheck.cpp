// haplospin selfcheck starts the program haplospin-selfcheck, because what compares and simulates is no part of the
// library.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/options/commands.h"
#include "haplospin/errors.h"

namespace haplospin {

int SelfcheckCommand(const Arguments& arguments) {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string program = (folder / "haplospin-selfcheck").string();
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  throw InputError(fmt::format(
      "selfcheck: {} cannot be started: {}; it is a part of the installation, and `cmake --build --preset release` "
      "builds it",
      program, std::strerror(errno)));
}

}  // namespace haplospin
