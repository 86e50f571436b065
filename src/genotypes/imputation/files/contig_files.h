// The files of an option whose contigs are in different files.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace haplospin {

// What stands for a contig in the names of files.
inline constexpr char kContigPlace[] = "{contig}";

bool HasContigPlace(const std::string& path);

// Returns the path with the contig in its places, after "chr" without a "chr" of its own.
std::string WithContig(const std::string& path, const std::string& contig);

// Orders contigs by their numbers, and names that are none after these.
struct ContigOrder {
  bool operator()(std::string_view a, std::string_view b) const;
};

struct ContigFile {
  std::string contig;  // its name in the file or in the name of the file
  std::string path;
  size_t num_contigs = 1;  // of the file
};

class ContigFiles {
 public:
  // Finds the files that `pattern` stands for, as "panel.chr{contig}.hsp". Throws InputError if there is none, the
  // place of the contig is not in the name of the file once, or two files are of one contig.
  static ContigFiles Named(const std::string& option, const std::string& pattern);

  // Takes the files whose contigs list(path) returns. Throws InputError if two of them have the same contig, with the
  // `remedy`.
  using Lister = std::function<std::vector<std::string>(const std::string& path)>;
  static ContigFiles Listed(const std::string& option, const std::vector<std::string>& paths, const Lister& list,
                            const std::string& remedy);

  // The file that has the contig, by whatever name, or null.
  const ContigFile* Find(const std::string& contig) const;

  // In the order of ContigOrder.
  std::vector<std::string> Names() const;

 private:
  explicit ContigFiles(std::string option) : option_(std::move(option)) {}

  void Add(ContigFile file, const std::string& remedy);

  std::string option_;
  std::map<std::string, ContigFile, ContigOrder> files_;  // by canonical name
};

}  // namespace haplospin
