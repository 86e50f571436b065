// What is known of a study before its genotypes are read: its contigs, and where its first sites are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "genotypes/genomics/sites/contig_table.h"
#include "genotypes/variant_io/reading/record_stream.h"
#include "genotypes/variant_io/reading/study_reader.h"

namespace haplospin {

// The first records of a contig, up to StudyFile::kFirstSites.
struct FirstSites {
  size_t sites = 0;
  int64_t first = 0, last = 0;  // positions, bp
};

// A file of genotypes, or the reads of people. Its sites are read as often as they have to be, and its genotypes not at
// all; what has been found is kept.
class StudyFile {
 public:
  static constexpr size_t kFirstSites = 2000;

  // Reads nothing. `options` tell how records are opened; what they choose of samples and markers has no effect.
  StudyFile(std::string path, const StudyOptions& options) : path_(std::move(path)), open_(options.open) {}

  const std::string& path() const { return path_; }

  // Returns whether it can be read here and then by a run: not standard input or a pipe. All other functions throw
  // InputError if it cannot, or as RecordSource does.
  bool CanBeReadTwice() const;

  // Returns whether the header declares all contigs, as that of aligned reads does.
  bool has_all_contigs() const { return open_ != nullptr; }

  const RecordHeader& header() { return Sites().header(); }

  // See RecordSource.
  ContigTable KnownContigs() { return Sites().source().KnownContigs(); }
  std::optional<std::vector<std::string>> IndexedContigs() { return Sites().source().IndexedContigs(); }

  // Returns the contigs of the records, as the index has them or, without one, in their order in the file, the sites of
  // which are read for them once.
  std::vector<std::string> Contigs();

  // Returns where the first sites of a contig are. Without an index, contigs are asked for in the order of the file,
  // unless Contigs() has been.
  FirstSites FindFirstSites(const std::string& contig);

 private:
  RecordStream OpenSites() const;
  RecordStream& Sites();
  FirstSites ReadFirstSites(RecordStream& sites) const;
  void ReadContigs();

  const std::string path_;
  const RecordOpener open_;
  std::optional<RecordStream> sites_;
  std::vector<std::string> contigs_;  // in the order in which they were read to their end
  std::unordered_map<std::string, FirstSites> first_sites_;
};

}  // namespace haplospin
