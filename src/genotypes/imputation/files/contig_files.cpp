#include "genotypes/imputation/files/contig_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/parse_number.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr std::string_view kPlace = kContigPlace;

}  // namespace

bool HasContigPlace(const std::string& path) { return path.find(kPlace) != std::string::npos; }

std::string WithContig(const std::string& path, const std::string& contig) {
  std::string filled = path;
  for (size_t at = 0; (at = filled.find(kPlace, at)) != std::string::npos;) {
    const std::string_view bare = BareContig(contig);
    const bool has_prefix = bare.size() < contig.size() && contig[0] != '0';
    const std::string_view name =
        has_prefix && filled.substr(0, at).ends_with("chr") ? std::string_view(contig).substr(3) : contig;
    filled.replace(at, kPlace.size(), name);
    at += name.size();
  }
  return filled;
}

bool ContigOrder::operator()(std::string_view a, std::string_view b) const {
  const auto key = [](std::string_view name) {
    const auto number = ParseNumber<uint32_t>(CanonicalContig(name));
    return std::tuple(!number, number.value_or(0), CanonicalContig(name));
  };
  return key(a) < key(b);
}

ContigFiles ContigFiles::Named(const std::string& option, const std::string& pattern) {
  const std::filesystem::path path(pattern);
  const std::string name = path.filename();
  const size_t place = name.find(kPlace);
  if (HasContigPlace(path.parent_path()) || place == std::string::npos || name.find(kPlace, place + 1) != name.npos) {
    throw InputError(fmt::format("--{} {}: {} must be in the name of the file, once", option, pattern, kPlace));
  }
  const std::string before = name.substr(0, place), after = name.substr(place + kPlace.size());
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  ContigFiles files(fmt::format("--{} {}", option, pattern));
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string file = entry.path().filename();
    if (file.size() <= before.size() + after.size() || !file.starts_with(before) || !file.ends_with(after)) continue;
    const std::string contig = file.substr(before.size(), file.size() - before.size() - after.size());
    files.Add({contig, pattern.substr(0, pattern.size() - name.size()) + file}, "keep one of the files");
  }
  if (files.files_.empty()) throw InputError(fmt::format("{}: no file has such a name", files.option_));
  return files;
}

ContigFiles ContigFiles::Listed(const std::string& option, const std::vector<std::string>& paths, const Lister& list,
                                const std::string& remedy) {
  ContigFiles files("--" + option);
  for (const std::string& path : paths) {
    if (HasContigPlace(path)) {
      throw InputError(fmt::format("--{} {}: give a name with {}, or several files, not both", option, path, kPlace));
    }
    const std::vector<std::string> contigs = list(path);
    for (const std::string& contig : contigs) files.Add({contig, path, contigs.size()}, remedy);
  }
  return files;
}

const ContigFile* ContigFiles::Find(const std::string& contig) const {
  const auto found = files_.find(std::string(CanonicalContig(contig)));
  return found == files_.end() ? nullptr : &found->second;
}

std::vector<std::string> ContigFiles::Names() const {
  std::vector<std::string> names;
  for (const auto& [canonical, file] : files_) names.push_back(file.contig);
  return names;
}

void ContigFiles::Add(ContigFile file, const std::string& remedy) {
  const std::string path = file.path;
  const auto [other, is_new] = files_.emplace(CanonicalContig(file.contig), std::move(file));
  if (is_new) return;
  throw InputError(
      fmt::format("{}: {} and {} are both contig {}; {}", option_, other->second.path, path, other->first, remedy));
}

}  // namespace haplospin
