#include "genotypes/variant_io/alignments/alignment_study.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/letter_case.h"
#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/alignments/alignment_file.h"
#include "genotypes/variant_io/row_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// What programs and users write as a sample where they do not know a name.
bool IsPlaceholder(const std::string& name) {
  constexpr std::string_view kNames[] = {"sample", "sample1", "sample_name", "samplename", "sm",   "unknown", "none",
                                         "na",     "n/a",     "null",        "default",    "test", "name",    "."};
  return std::ranges::find(kNames, ToLower(name)) != std::end(kNames);
}

// Throws InputError if the file, by whatever path, was given before.
class GivenFiles {
 public:
  void Add(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return;  // opening it says why
    const auto [entry, is_new] = paths_.emplace(std::pair(status.st_dev, status.st_ino), path);
    if (is_new) return;
    throw InputError(entry->second == path
                         ? path + ": given twice; give each file once"
                         : fmt::format("{}: given twice, also as {}; give each file once", path, entry->second));
  }

 private:
  std::map<std::pair<dev_t, ino_t>, std::string> paths_;
};

// Returns whether it is the path of an index, which some lists have beside that of the file.
bool IsIndexPath(std::string_view path) {
  return path.ends_with(".bai") || path.ends_with(".csi") || path.ends_with(".crai");
}

// Returns the path and the names of a line: blanks are part of a path before a tab, or if there is such a file.
std::vector<std::string_view> SplitListLine(std::string_view line) {
  std::vector<std::string_view> columns = SplitAtBlanks(line);
  if (columns.size() < 2 || columns[0].starts_with('#')) return columns;
  const char* const first = columns[0].data();
  const auto upto = [first](std::string_view column) {
    return std::string_view(first, static_cast<size_t>(column.data() + column.size() - first));
  };
  const std::string_view whole = upto(columns.back());
  std::error_code error;
  if (std::filesystem::exists(ParseAlignmentPath(whole).path, error)) return {whole};
  const size_t tab = whole.find('\t');
  if (tab == std::string_view::npos) return columns;
  std::vector<std::string_view> rest = SplitAtBlanks(whole.substr(tab));
  rest.insert(rest.begin(), upto(SplitAtBlanks(whole.substr(0, tab)).back()));
  return rest;
}

// Joins files to people.
class PeopleOfFiles {
 public:
  void Add(const AlignmentFile& file, const std::string& given, std::optional<uint64_t> first_reads) {
    const std::vector<std::string>& samples = file.samples();
    if (!given.empty()) {
      AddFile(file, {file.path()}, given, samples.size() == 1 ? samples[0] : "", first_reads, /*is_named=*/true);
      return;
    }
    if (samples.empty()) {
      throw InputError(file.path() +
                       ": its header has no name of a person (@RG with SM); give one beside it in a --target-list");
    }
    if (samples.size() > 1) {
      LogInfo("{}: reads of {} people by their read groups ({}); a name beside it in a --target-list makes one of them",
              file.path(), samples.size(), JoinNames(samples, kSamplesShown));
    }
    for (const std::string& sample : samples) {
      AddFile(file, {file.path(), samples.size() > 1 ? sample : ""}, sample, sample, first_reads, /*is_named=*/false);
    }
  }

  // Says which people are made of several libraries or files because of a name that may not be theirs.
  void Tell() const {
    for (size_t p = 0; p < people_.size(); ++p) TellOfGroups(people_[p], groups_[p]);
  }

  std::vector<AlignedPerson> Take() { return std::move(people_); }

 private:
  void AddFile(const AlignmentFile& file, const PersonFile& part, const std::string& name, const std::string& sample,
               std::optional<uint64_t> first_reads, bool is_named) {
    const auto [entry, is_new] = index_.emplace(name, people_.size());
    if (is_new) {
      people_.push_back({name, {}});
      groups_.push_back({.sample = sample, .is_named = is_named});
    }
    AlignedPerson& person = people_[entry->second];
    Groups& groups = groups_[entry->second];
    if (groups.sample != sample && !(groups.is_named && is_named)) {
      throw InputError(
          fmt::format("{}: would be the second person with the name {}, after {} (their @RG SM are \"{}\" "
                      "and \"{}\"); give them different names in a --target-list",
                      file.path(), name, person.files[0].path, sample, groups.sample));
    }
    person.files.push_back(part);
    groups.libraries.insert(file.libraries().begin(), file.libraries().end());
    if (first_reads) CheckCopy(person, *first_reads);
  }

  struct Groups {
    std::string sample;               // @RG SM of the first file
    std::set<std::string> libraries;  // @RG LB
    bool is_named = false;            // by the user
  };

  // The reads of a copy would count twice.
  void CheckCopy(const AlignedPerson& person, uint64_t first_reads) {
    const auto [entry, is_new] = first_reads_.emplace(std::pair(person.name, first_reads), person.files.back().path);
    if (is_new) return;
    throw InputError(fmt::format("{}: begins with the same reads as {}, and both are of {}; give each file once",
                                 person.files.back().path, entry->second, person.name));
  }

  static void TellOfGroups(const AlignedPerson& person, const Groups& groups) {
    const bool is_placeholder = IsPlaceholder(person.name);
    if (groups.is_named || (groups.libraries.size() < 2 && !(is_placeholder && person.files.size() > 1))) return;
    const std::vector<std::string> libraries(groups.libraries.begin(), groups.libraries.end());
    const std::string text = fmt::format(
        "{}: read as one person, {}, by the @RG SM{}", JoinNames(person.Paths(), kSamplesShown), person.name,
        libraries.size() < 2 ? "" : fmt::format(", from {} libraries ({})", libraries.size(), JoinNames(libraries)));
    if (is_placeholder) {
      LogWarning(
          "{}; if the name stands for several people, write their own (samtools addreplacerg), or name the files "
          "in a --target-list",
          text);
    } else {
      LogInfo("{}", text);
    }
  }

  std::vector<AlignedPerson> people_;
  std::vector<Groups> groups_;                                           // [people]
  std::map<std::pair<std::string, uint64_t>, std::string> first_reads_;  // the file, by its person and first reads
  std::unordered_map<std::string, size_t> index_;
};

}  // namespace

void CheckContigLengths(const std::string& path, const ContigTable& contigs, const std::string& other_path,
                        const ContigTable& others) {
  std::unordered_map<std::string_view, int64_t> lengths;
  for (const auto& [name, length] : others) lengths.emplace(CanonicalContig(name), length);
  for (const auto& [name, length] : contigs) {
    const auto found = lengths.find(CanonicalContig(name));
    if (found == lengths.end() || found->second == length || found->second == 0 || length == 0) continue;
    throw InputError(fmt::format("{}: contig {} has {} bp, but {} in {}: another genome build; align to one reference",
                                 path, name, length, found->second, other_path));
  }
}

std::vector<std::string> AlignedPerson::Paths() const {
  std::vector<std::string> paths;
  for (const PersonFile& file : files) paths.push_back(file.path);
  return paths;
}

std::vector<std::string> AlignmentStudy::Names() const {
  std::vector<std::string> names;
  for (const AlignedPerson& person : people) names.push_back(person.name);
  return names;
}

void AlignmentStudy::KeepPeople(const std::vector<std::string>& chosen, std::vector<std::string>& excluded) {
  const std::unordered_set<std::string> kept(chosen.begin(), chosen.end()), dropped(excluded.begin(), excluded.end());
  const auto is_kept = [&](const AlignedPerson& person) {
    return (kept.empty() || kept.contains(person.name)) && !dropped.contains(person.name);
  };
  if (std::ranges::none_of(people, is_kept)) return;
  for (const AlignedPerson& person : people) {
    if (!is_kept(person)) std::erase(excluded, person.name);
  }
  std::erase_if(people, std::not_fn(is_kept));
}

AlignmentStudy OpenAlignmentStudy(std::span<const AlignmentTarget> targets, const std::string& fasta,
                                  const ReadFilter& filter) {
  AlignmentStudy study{.fasta = fasta, .filter = filter};
  // Checked before HTSlib would write a missing index.
  if (!fasta.empty()) study.reference = std::make_shared<const ReferenceFile>(fasta);
  PeopleOfFiles people;
  std::shared_ptr<const SamContigs> contigs;  // of the first file
  GivenFiles given;
  for (const AlignmentTarget& target : targets) {
    given.Add(target.path);
    if (!target.index.empty()) study.open_files->UseIndex(target.path, target.index);
    const AlignmentPool::Lease file = study.open_files->Open(target.path, fasta);
    people.Add(*file, target.name, file->Check());
    if (study.contigs.empty()) study.contigs = file->contigs();
    const bool is_first = file->shared_contigs() == contigs;
    if (!contigs) contigs = file->shared_contigs();
    if (!is_first) CheckContigLengths(target.path, file->contigs(), targets[0].path, study.contigs);
  }
  if (study.reference) CheckContigLengths(targets[0].path, study.contigs, fasta, study.reference->contigs());
  people.Tell();
  study.people = people.Take();
  return study;
}

bool HasReads(const AlignmentStudy& study, const std::string& contig) {
  return std::ranges::any_of(study.people, [&](const AlignedPerson& person) {
    return std::ranges::any_of(person.files, [&](const PersonFile& part) {
      const AlignmentPool::Lease file = study.open_files->Open(part.path, study.fasta);
      const auto name = file->FindContig(contig);
      return name && file->HasReads(*name);
    });
  });
}

AlignmentTarget ParseAlignmentPath(std::string_view text) {
  constexpr std::string_view kIndex = "##idx##";
  const size_t end = text.find(kIndex);
  if (end == std::string_view::npos) return {std::string(text), ""};
  return {std::string(text.substr(0, end)), "", std::string(text.substr(end + kIndex.size()))};
}

std::vector<AlignmentTarget> ReadAlignmentList(const std::string& path) {
  RowReader rows(path);
  std::vector<AlignmentTarget> targets;
  for (auto line = rows.NextLine(); line; line = rows.NextLine()) {
    const auto row = SplitListLine(*line);
    if (row.empty() || row[0].starts_with('#')) continue;
    if (row.size() > 2) {
      rows.Fail(
          "expected a path and perhaps a name; names have no blanks, and a name after a path with blanks needs a "
          "tab before it");
    }
    targets.push_back(ParseAlignmentPath(row[0]));
    if (row.size() == 2 && !IsIndexPath(row[1])) targets.back().name = row[1];
  }
  if (targets.empty())
    throw InputError(path +
                     ": empty; expected a file per line, of reads (BAM, CRAM, SAM) or of one person (as of 23andMe)");
  return targets;
}

}  // namespace haplospin
