#include "cli/options/name_list.h"

#include <algorithm>
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

std::vector<std::string> ReadSampleNames(const std::string& path) {
  std::vector<std::string> names = ReadNameList(path, "expected a file of sample names");
  if (names.empty()) throw InputError(path + ": empty; expected a sample name per line");
  return names;
}

std::vector<std::string> SplitLists(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    for (size_t begin = 0; begin <= list.size();) {
      const size_t end = std::min(list.find(',', begin), list.size());
      names.push_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return names;
}

}  // namespace haplospin
