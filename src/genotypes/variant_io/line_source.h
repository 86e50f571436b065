// Genotypes in another format than VCF, read as its lines.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/region.h"

namespace haplospin {

class LineSource {
 public:
  virtual ~LineSource() = default;

  const std::vector<std::string>& samples() const { return samples_; }

  // [samples] where the file has sexes, else empty.
  const std::vector<bool>& is_male() const { return is_male_; }

  // Name and length in bp (0: unknown) of each contig that is declared.
  const std::vector<std::pair<std::string, int64_t>>& contigs() const { return contigs_; }

  // Appends the next variant to `text`, with a newline; false at the end. Throws InputError if the file is damaged.
  virtual bool ReadLine(std::string& text) = 0;

  // Returns the contigs that have variants, if they are known without reading all.
  virtual std::optional<std::vector<std::string>> KnownContigs() { return std::nullopt; }

  // Moves to the first variant of the region's contig from its begin on. Returns false where the source can only be
  // read from its beginning. Throws InputError if the contig has no variant.
  virtual bool Seek(const Region& /*region*/) { return false; }

  // Tells the user about what was read.
  virtual void Tell() const {}

 protected:
  std::vector<std::pair<std::string, int64_t>> contigs_;
  std::vector<std::string> samples_;
  std::vector<bool> is_male_;
};

// Opens the lines of a study that is not one file of genotypes, from their beginning: with what is known of the
// genotypes, or without it, which takes less time. Both are empty for a study that is a file.
struct LineOpener {
  using Function = std::function<std::unique_ptr<LineSource>()>;
  Function genotypes, sites;
};

}  // namespace haplospin
