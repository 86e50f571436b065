// Studies without phase, with phase sets and with families, for the tests of `haplospin phase` and `impute`.
#pragma once

#include <string>
#include <vector>

#include "cli/impute_files.h"

namespace haplospin {

// Without phase: "0/1" for "1|0".
std::string Sorted(std::string genotype);

bool IsHeterozygous(const std::string& genotype);

// "1|0" for "0|1".
std::string Exchanged(const std::string& genotype);

class PhaseFiles : public ImputeFiles {
 protected:
  // [typed][samples] the genotypes of the study, phased.
  using Genotypes = std::vector<std::vector<std::string>>;
  Genotypes Truth() const;

  // The study with these genotypes, written to a file; its path. `format` is that of the genotypes.
  std::string WriteStudy(const Genotypes& genotypes, const std::string& format = "GT",
                         const std::string& name = "given.vcf") const;

  // The output of `haplospin phase`, and what it printed.
  struct Phased {
    std::string text, messages;
    Genotypes genotypes;  // GT
  };
  Phased Phase(const std::string& study, std::vector<std::string> options = {}) const;

  // Expects exit code 2 of `haplospin phase`, no output, and `message`.
  void ExpectPhaseError(const std::string& study, const std::vector<std::string>& options,
                        const std::string& message) const;
};

}  // namespace haplospin
