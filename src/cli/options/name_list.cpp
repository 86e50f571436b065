#include "cli/options/name_list.h"

#include <fstream>

#include "haplospin/errors.h"

namespace haplospin {

std::vector<std::string> ReadNameList(const std::string& path, const std::string& expectation) {
  std::ifstream file(path);
  if (!file.is_open()) throw InputError(path + ": cannot open; " + expectation);
  std::vector<std::string> names;
  for (std::string name; std::getline(file, name);) {
    if (name.ends_with('\r')) name.pop_back();
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

}  // namespace haplospin
