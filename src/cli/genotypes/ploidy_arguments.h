// The options about the ploidy of samples on sex chromosomes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/command_options.h"
#include "genomics/sites/ploidy_regions.h"

namespace haplospin {

class PloidyArguments {
 public:
  void Declare(CommandOptions& options);

  // --par alone, for commands whose data tell the ploidy.
  void DeclareRegions(CommandOptions& options);

  // Call it after parsing. Empty if the genome build is to be taken from the files. Throws InputError for an invalid
  // file.
  std::optional<PloidyRegions> Regions() const;

  // The names of the males of --sex. Throws InputError for an invalid file.
  std::vector<std::string> Males() const;

 private:
  std::string par_ = "auto", sex_;
};

}  // namespace haplospin
