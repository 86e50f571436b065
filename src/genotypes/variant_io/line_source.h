// A file of genotypes in another format, read as lines of VCF.
#pragma once

#include <string>
#include <vector>

namespace haplospin {

class LineSource {
 public:
  virtual ~LineSource() = default;

  const std::vector<std::string>& samples() const { return samples_; }

  // [samples] where the file has sexes, else empty.
  const std::vector<bool>& is_male() const { return is_male_; }

  // Appends the next variant to `text`, with a newline; false at the end. Throws InputError if the file is damaged.
  virtual bool ReadLine(std::string& text) = 0;

 protected:
  std::vector<std::string> samples_;
  std::vector<bool> is_male_;
};

}  // namespace haplospin
