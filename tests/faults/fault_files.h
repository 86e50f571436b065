// Commands that write files, on a part of test-data.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/temporary_folder.h"

namespace haplospin {

struct FaultCommand {
  std::string name;
  std::vector<std::string> arguments;  // outputs are in the folder given to Commands()
};

// Panel, study and truth with 300 kb of test-data, in a folder of their own.
class FaultInputs {
 public:
  FaultInputs();

  // Every command that writes genotypes, with its outputs in `folder`.
  std::vector<FaultCommand> Commands(const std::string& folder) const;

  // Imputes three contigs, with panels studies and outputs that are named by contig.
  FaultCommand GenomeCommand(const std::string& folder) const;

  // Imputes or phases one contig in several windows.
  FaultCommand ContigCommand(const std::string& folder) const;
  FaultCommand PhaseContigCommand(const std::string& folder) const;

  const std::string& panel() const { return panel_; }  // BCF
  const std::string& study() const { return study_; }  // VCF.gz
  const std::string& truth() const { return truth_; }  // BCF

 private:
  const TemporaryFolder folder_;
  const std::string panel_, study_, truth_;
};

// The files of a folder, with their bytes.
std::map<std::string, std::string> FilesIn(const std::string& folder);

// Whether it is the name of a file that is being written.
bool IsTemporary(const std::string& name);

}  // namespace haplospin
