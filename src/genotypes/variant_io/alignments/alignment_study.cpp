#include "genotypes/variant_io/alignments/alignment_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/alignments/alignment_file.h"
#include "genotypes/variant_io/alignments/reference_file.h"
#include "genotypes/variant_io/row_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// The name of the person by the read groups of a file.
std::string ReadGroupSample(const AlignmentFile& file, const std::string& given) {
  if (file.samples().size() > 1) {
    throw InputError(fmt::format("{}: has reads of {} people ({}); split it by read group (samtools split)",
                                 file.path(), file.samples().size(), JoinNames(file.samples(), kSamplesShown)));
  }
  if (file.samples().empty() && given.empty()) {
    throw InputError(file.path() +
                     ": its header has no name of a person (@RG with SM); give one beside it in a --target-list");
  }
  return file.samples().empty() ? "" : file.samples()[0];
}

// Joins files to people.
class PeopleList {
 public:
  void Add(const AlignmentFile& file, const std::string& given) {
    const std::string sample = ReadGroupSample(file, given);
    const std::string& name = given.empty() ? sample : given;
    const auto [entry, is_new] = index_.emplace(name, people_.size());
    if (is_new) {
      people_.push_back({name, {}});
      samples_.push_back(sample);
    } else if (samples_[entry->second] != sample) {
      throw InputError(
          fmt::format("{}: would be the second person with the name {}, after {} (their @RG SM are \"{}\" "
                      "and \"{}\"); give them different names in a --target-list",
                      file.path(), name, people_[entry->second].files[0], sample, samples_[entry->second]));
    }
    people_[entry->second].files.push_back(file.path());
  }

  std::vector<AlignedPerson> Take() { return std::move(people_); }

 private:
  std::vector<AlignedPerson> people_;
  std::vector<std::string> samples_;  // [people] @RG SM
  std::unordered_map<std::string, size_t> index_;
};

}  // namespace

void CheckContigLengths(const std::string& path, const ContigLengths& contigs, const std::string& other_path,
                        const ContigLengths& others) {
  std::unordered_map<std::string_view, int64_t> lengths;
  for (const auto& [name, length] : others) lengths.emplace(CanonicalContig(name), length);
  for (const auto& [name, length] : contigs) {
    const auto found = lengths.find(CanonicalContig(name));
    if (found == lengths.end() || found->second == length || found->second == 0 || length == 0) continue;
    throw InputError(fmt::format("{}: contig {} has {} bp, but {} in {}: another genome build; align to one reference",
                                 path, name, length, found->second, other_path));
  }
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
  std::optional<ReferenceFile> reference;  // checked before HTSlib would write a missing index
  if (!fasta.empty()) reference.emplace(fasta);
  PeopleList people;
  std::unordered_set<std::string> paths;
  for (const AlignmentTarget& target : targets) {
    if (!paths.insert(target.path).second) throw InputError(target.path + ": given twice; give each file once");
    AlignmentFile file(target.path, fasta);
    file.Check();
    people.Add(file, target.name);
    if (study.contigs.empty()) study.contigs = file.contigs();
    CheckContigLengths(target.path, file.contigs(), targets[0].path, study.contigs);
  }
  if (reference) CheckContigLengths(targets[0].path, study.contigs, fasta, reference->contigs());
  study.people = people.Take();
  return study;
}

bool HasReads(const AlignmentStudy& study, const std::string& contig) {
  return std::ranges::any_of(study.people, [&](const AlignedPerson& person) {
    return std::ranges::any_of(person.files, [&](const std::string& path) {
      AlignmentFile file(path, study.fasta);
      const auto name = FindContig(NamesOfContigs(file.contigs()), contig);
      return name && file.HasReads(*name);
    });
  });
}

std::vector<AlignmentTarget> ReadAlignmentList(const std::string& path) {
  RowReader rows(path);
  std::vector<AlignmentTarget> targets;
  for (auto row = rows.NextRow(); !row.empty(); row = rows.NextRow()) {
    if (row[0].starts_with('#')) continue;
    if (row.size() > 2) rows.Fail("expected a path and perhaps a name; names have no blanks");
    targets.push_back({std::string(row[0]), row.size() == 2 ? std::string(row[1]) : ""});
  }
  if (targets.empty()) throw InputError(path + ": empty; expected a BAM, CRAM or SAM file per line");
  return targets;
}

}  // namespace haplospin
