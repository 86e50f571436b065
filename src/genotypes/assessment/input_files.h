// An input of an evaluation: a file, or one for each contig.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/variant_io/reading/dosage_reader.h"

namespace haplospin {

struct InputFiles {
  struct File {
    std::string contig;  // "" for one file of all contigs
    std::string path;
  };

  std::string name;  // for messages: the path, or what the paths have in common
  std::vector<File> files;

  InputFiles(std::string path) : name(path), files{{"", std::move(path)}} {}  // NOLINT(google-explicit-constructor)
  InputFiles(std::string pattern, std::vector<File> contig_files)
      : name(std::move(pattern)), files(std::move(contig_files)) {}
};

// Reads the files one after the other as if they were one; has the functions of DosageReader. Throws InputError if a
// file lacks a sample of the first.
class DosageFiles {
 public:
  explicit DosageFiles(InputFiles input);
  DosageFiles(DosageReader reader);  // NOLINT(google-explicit-constructor)

  const std::string& path() const { return input_.name; }
  const std::vector<std::string>& sample_names() const { return reader_->sample_names(); }
  void UseSamples(const std::vector<std::string>& names);
  void KeepWithoutAlt();
  const std::vector<std::pair<std::string, int64_t>>& header_contigs() const { return reader_->header_contigs(); }
  std::string HeaderValue(const std::string& key) const { return reader_->HeaderValue(key); }
  bool Next(DosageRow& row);
  size_t num_without_alt() const { return num_without_alt_ + reader_->num_without_alt(); }

 private:
  void Open(const std::string& path);

  InputFiles input_;
  std::optional<DosageReader> reader_;
  size_t next_ = 1;  // file
  std::optional<std::vector<std::string>> samples_;
  bool keeps_without_alt_ = false;
  size_t num_without_alt_ = 0;  // in the files before
};

}  // namespace haplospin
