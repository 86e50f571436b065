// Checks that GT, DS and GP of an imputed file agree.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/variant_io/reading/dosage_reader.h"

namespace haplospin {

// Counts the sites and genotypes of one file where they do not.
class FieldChecks {
 public:
  // `path` and `samples`, those of the rows, are for messages.
  FieldChecks(std::string path, std::vector<std::string> samples)
      : path_(std::move(path)), samples_(std::move(samples)) {}

  // Throws InputError if a haploid sample's DS exceeds 1.
  void Add(const DosageRow& row);

  // Warns of what was found.
  void Warn() const;

 private:
  struct Finding {
    size_t count = 0;
    std::string first;

    void Add(const DosageRow& row, size_t found);
  };

  void CheckScale(const DosageRow& row) const;

  const std::string path_;
  const std::vector<std::string> samples_;
  Finding alleles_;     // sites where GT and DS count different alleles
  Finding posteriors_;  // genotypes whose GP have another mean than DS
};

}  // namespace haplospin
