#include "genotypes/variant_io/fam_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/letter_case.h"
#include "core/log.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/pedigree_rows.h"
#include "genotypes/variant_io/row_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kFamily = 0, kSample = 1, kSex = 4;  // columns

class SampleIndex {
 public:
  explicit SampleIndex(std::span<const std::string> samples) {
    for (size_t s = 0; s < samples.size(); ++s) index_.emplace(samples[s], s);
  }

  std::optional<size_t> Find(std::string_view family, std::string_view name) const {
    auto found = index_.find(std::string(name));
    if (found == index_.end()) found = index_.find(fmt::format("{}_{}", family, name));
    return found == index_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::unordered_map<std::string, size_t> index_;
};

std::string FullName(std::string_view family, std::string_view person) {
  return family.empty() ? std::string(person) : fmt::format("{} {}", family, person);
}

// The numbers of all people of a pedigree: those of samples first.
class PeopleIndex {
 public:
  PeopleIndex(std::span<const std::string> samples, std::span<const std::string> others)
      : names_(samples), other_names_(others), samples_(samples), others_(others), num_people_(samples.size()) {}

  std::optional<size_t> FindSample(std::string_view family, std::string_view name) const {
    return name == kUnknownParent ? std::nullopt : samples_.Find(family, name);
  }

  std::optional<size_t> FindOther(std::string_view family, std::string_view name) const {
    return name == kUnknownParent || samples_.Find(family, name) ? std::nullopt : others_.Find(family, name);
  }

  // Returns the name of a sample, or one with the family. Families with the same sample share it.
  std::string UniqueName(std::string_view family, std::string_view name) const {
    if (const std::optional<size_t> sample = FindSample(family, name)) return names_[*sample];
    if (const std::optional<size_t> other = FindOther(family, name)) return other_names_[*other];
    return FullName(family, name);
  }

  // Returns nullopt for an unknown parent.
  std::optional<size_t> Number(std::string_view family, std::string_view name) {
    if (name == kUnknownParent) return std::nullopt;
    if (const std::optional<size_t> sample = samples_.Find(family, name)) return sample;
    const auto [found, is_new] = absent_.emplace(UniqueName(family, name), num_people_);
    if (is_new) {
      ++num_people_;
      const bool is_new_name = absent_names_.emplace(name).second;
      names_of_absent_.push_back(is_new_name ? std::string(name) : fmt::format("{}_{}", family, name));
    }
    const std::optional<size_t> other = FindOther(family, name);
    if (is_new && other) absent_others_.push_back({found->second, *other});
    return found->second;
  }

  // Returns those of the people who are among the others.
  std::vector<Pedigree::Other> FindOthers(std::span<const Trio> descent) const {
    std::vector<bool> is_named(names_.size());
    for (const Trio& trio : descent) {
      for (const std::optional<size_t>& person : {std::optional(trio.child), trio.father, trio.mother}) {
        if (person && *person < is_named.size()) is_named[*person] = true;
      }
    }
    std::vector<Pedigree::Other> found;
    for (size_t s = 0; s < names_.size(); ++s) {
      const std::optional<size_t> other = is_named[s] ? others_.Find("", names_[s]) : std::nullopt;
      if (other) found.push_back({s, *other});
    }
    std::ranges::copy(absent_others_, std::back_inserter(found));
    return found;
  }

  size_t num_people() const { return num_people_; }
  const std::vector<std::string>& names_of_absent() const { return names_of_absent_; }

 private:
  const std::span<const std::string> names_, other_names_;
  const SampleIndex samples_, others_;
  std::unordered_map<std::string, size_t> absent_;  // from the samples
  std::vector<Pedigree::Other> absent_others_;
  std::vector<std::string> names_of_absent_;  // in the order of their numbers
  std::unordered_set<std::string> absent_names_;
  size_t num_people_;
};

// The parents of the people of a pedigree, by their names.
class Ancestry {
 public:
  // `people` must outlive the object.
  explicit Ancestry(const PeopleIndex& people) : people_(people) {}

  // Returns false if the person has been added before.
  bool Add(const PedigreeRow& row) {
    std::vector<std::string>& parents = parents_[people_.UniqueName(row.family, row.person)];
    if (!names_.insert(FullName(row.family, row.person)).second) return false;
    for (const std::string_view parent : {row.father, row.mother}) {
      if (parent != kUnknownParent) parents.push_back(people_.UniqueName(row.family, parent));
    }
    return true;
  }

  size_t size() const { return names_.size(); }

  // Returns people of whom each is a child of the next, and the last is the first; empty if nobody is his own ancestor.
  std::vector<std::string> FindLoop() const {
    const std::unordered_set<std::string> left = PeopleWithLoopsAbove();
    if (left.empty()) return {};
    std::vector<std::string> path{*std::ranges::min_element(left)};
    for (;;) {
      const std::vector<std::string>& parents = parents_.at(path.back());
      const auto parent = std::ranges::find_if(parents, [&](const auto& name) { return left.contains(name); });
      const auto before = std::ranges::find(path, *parent);
      const bool is_loop = before != path.end();
      if (is_loop) path.erase(path.begin(), before);
      path.push_back(*parent);
      if (is_loop) return path;
    }
  }

 private:
  // Returns the people who are left when those without parents among the rest are taken away again and again.
  std::unordered_set<std::string> PeopleWithLoopsAbove() const {
    std::unordered_map<std::string, size_t> num_parents;
    std::unordered_map<std::string, std::vector<std::string>> children;
    std::vector<std::string> without_parents;
    for (const auto& [name, parents] : parents_) {
      for (const std::string& parent : parents) {
        if (!parents_.contains(parent)) continue;
        ++num_parents[name];
        children[parent].push_back(name);
      }
      if (!num_parents.contains(name)) without_parents.push_back(name);
    }
    while (!without_parents.empty()) {
      const std::string parent = without_parents.back();
      without_parents.pop_back();
      for (const std::string& child : children[parent]) {
        if (--num_parents[child] == 0) without_parents.push_back(child);
      }
    }
    std::unordered_set<std::string> left;
    for (const auto& [name, count] : num_parents) {
      if (count > 0) left.insert(name);
    }
    return left;
  }

  const PeopleIndex& people_;
  std::map<std::string, std::vector<std::string>> parents_;
  std::unordered_set<std::string> names_;
};

// The sexes that the lines of a pedigree tell, and who is a father or a mother.
class Sexes {
 public:
  void Add(const PedigreeRow& row) {
    if (row.is_male) is_male_.emplace(FullName(row.family, row.person), *row.is_male);
    if (row.father == row.mother) return;  // a selfed plant, or nobody is known
    if (row.father != kUnknownParent) fathers_.insert(FullName(row.family, row.father));
    if (row.mother != kUnknownParent) mothers_.insert(FullName(row.family, row.mother));
  }

  // Returns the fathers that are female, or the mothers that are male, in alphabetical order.
  std::vector<std::string> Contradicting(bool are_fathers) const {
    std::vector<std::string> names;
    std::ranges::copy_if(are_fathers ? fathers_ : mothers_, std::back_inserter(names), [&](const std::string& name) {
      const auto found = is_male_.find(name);
      return found != is_male_.end() && found->second != are_fathers;
    });
    return names;
  }

 private:
  std::unordered_map<std::string, bool> is_male_;
  std::set<std::string> fathers_, mothers_;
};

// Without what spreadsheets and data frames change of a name: capitals, zeros before it, and ".0" after it.
std::string PlainName(std::string_view name) {
  if (name.ends_with(".0")) name.remove_suffix(2);
  name.remove_prefix(std::min(name.find_first_not_of('0'), name.size()));
  std::string plain(name);
  std::ranges::transform(plain, plain.begin(), [](char c) { return ToLower(c); });
  return plain;
}

// The parents who have neither a line nor genotypes: people of another generation, a word for an unknown parent that
// this program does not know, which makes half sibs of all the offspring, or samples whose names are written otherwise.
class ParentsWithoutLine {
 public:
  void AddPerson(const PedigreeRow& row) { lines_.insert(FullName(row.family, row.person)); }

  void AddParents(const PedigreeRow& row, bool has_father, bool has_mother) {
    if (row.father == row.mother) return;  // a selfed plant, or nobody is known
    if (row.father != kUnknownParent && !has_father) ++offspring_[FullName(row.family, row.father)][0];
    if (row.mother != kUnknownParent && !has_mother) ++offspring_[FullName(row.family, row.mother)][1];
    has_known_ = has_known_ || has_father || has_mother;
  }

  // `samples` are those of the study.
  void Warn(const std::string& path, std::span<const std::string> samples) {
    has_known_ |= std::erase_if(offspring_, [&](const auto& parent) { return lines_.contains(parent.first); }) > 0;
    WarnOfUnknownWords(path);
    WarnOfSpelling(path, samples);
  }

 private:
  static constexpr size_t kManyOffspring = 10;
  static constexpr std::ptrdiff_t kManyOfBothSexes = 3;  // plants

  void WarnOfUnknownWords(const std::string& path) const {
    const auto is_of_both_sexes = [](const auto& parent) { return parent.second[0] > 0 && parent.second[1] > 0; };
    const bool are_plants = std::ranges::count_if(offspring_, is_of_both_sexes) >= kManyOfBothSexes;
    for (const auto& parent : offspring_) {
      const size_t count = parent.second[0] + parent.second[1];
      const bool is_of_both = is_of_both_sexes(parent) && !are_plants;
      if (!is_of_both && (offspring_.size() > 1 || count < kManyOffspring)) continue;
      LogWarningOnce(
          fmt::format("{}: {} has neither a line nor genotypes, and is {} of {} offspring; if it stands for an unknown "
                      "parent, write 0, as these are taken as its children",
                      path, parent.first, is_of_both ? "father and mother" : "the only such parent", count));
    }
  }

  void WarnOfSpelling(const std::string& path, std::span<const std::string> samples) const {
    std::map<std::string, std::string> by_plain_name;
    for (const std::string& sample : samples) by_plain_name.emplace(PlainName(sample), sample);
    std::vector<std::string> alike, names;
    for (const auto& [name, counts] : offspring_) {
      names.push_back(name);
      const auto found = by_plain_name.find(PlainName(name));
      if (found != by_plain_name.end()) alike.push_back(fmt::format("{} for {}", name, found->second));
    }
    if (!alike.empty()) {
      LogWarningOnce(fmt::format("{}: {} not in the study, which has {} of nearly the same name ({}); write them alike",
                                 path, alike.size() == 1 ? "1 parent is" : fmt::format("{} parents are", alike.size()),
                                 alike.size() == 1 ? "one" : "others", JoinNames(alike, kSamplesShown)));
    } else if (!names.empty() && !has_known_) {
      LogWarningOnce(
          fmt::format("{}: none of its parents has genotypes or a line ({}); check how their names are written", path,
                      JoinNames(names, kSamplesShown)));
    }
  }

  std::unordered_set<std::string> lines_;
  std::map<std::string, std::array<size_t, 2>> offspring_;  // as a father, and as a mother
  bool has_known_ = false;                                  // a parent with genotypes or a line
};

// Finds out whether the first line has names of its own.
class FirstLine {
 public:
  void Add(const PedigreeRow& row) {
    const std::vector<std::string> names{std::string(row.person), std::string(row.father), std::string(row.mother)};
    if (names_.empty()) {
      names_ = names;
      has_parents_ = row.father != kUnknownParent && row.mother != kUnknownParent;
    } else {
      is_repeated_ = is_repeated_ || std::ranges::any_of(names, [&](const std::string& name) {
                       return std::ranges::find(names_, name) != names_.end();
                     });
      has_more_ = true;
    }
  }

  std::vector<std::string> NamesOfItsOwn() const {
    return has_parents_ && has_more_ && !is_repeated_ ? names_ : std::vector<std::string>();
  }

 private:
  std::vector<std::string> names_;
  bool has_parents_ = false, has_more_ = false, is_repeated_ = false;
};

void CheckLoops(const std::string& path, const Ancestry& ancestry) {
  const std::vector<std::string> loop = ancestry.FindLoop();
  if (loop.empty()) return;
  throw InputError(fmt::format("{}: {} is an ancestor of itself ({}); correct the parents", path, loop.front(),
                               fmt::join(loop, ", child of ")));
}

}  // namespace

FamFile LoadFamFile(const std::string& path) {
  RowReader rows(path);
  FamFile file;
  for (auto row = rows.NextRow(); !row.empty(); row = rows.NextRow()) {
    if (row.size() <= kSex) rows.Fail("expected the columns family, sample, father, mother, sex");
    file.families.emplace_back(row[kFamily]);
    file.samples.emplace_back(row[kSample]);
    file.is_male.push_back(row[kSex] == "1");
    file.is_female.push_back(row[kSex] == "2");
  }
  return file;
}

Pedigree LoadPedigree(const std::string& path, std::span<const std::string> samples,
                      std::span<const std::string> others) {
  PeopleIndex index(samples, others);
  Pedigree pedigree;
  Ancestry ancestry(index);
  std::unordered_set<size_t> found;
  Sexes sexes;
  FirstLine first_line;
  ParentsWithoutLine without_line;
  const auto is_known = [&](std::string_view family, std::string_view name) {
    return index.FindSample(family, name) || index.FindOther(family, name);
  };
  PedigreeReader rows(path, is_known);
  while (const auto next = rows.Next()) {
    const PedigreeRow& row = *next;
    if (!ancestry.Add(row)) {
      const std::string family = row.family.empty() ? "" : fmt::format(" of family {}", row.family);
      rows.Fail(fmt::format("{}{} occurs twice; keep one of the lines", row.person, family));
    }
    sexes.Add(row);
    first_line.Add(row);
    without_line.AddPerson(row);
    without_line.AddParents(row, is_known(row.family, row.father), is_known(row.family, row.mother));
    const auto find = [&](std::string_view name) { return index.FindSample(row.family, name); };
    const std::optional<size_t> child = find(row.person), father = find(row.father), mother = find(row.mother);
    if (child && !found.insert(*child).second) {
      rows.Fail(fmt::format("{} is in two families, but one sample of the study; name the samples FAMILY_{}; {}",
                            row.person, row.person, kThreeColumns));
    }
    if (!child && !index.FindOther(row.family, row.person)) pedigree.absent.emplace_back(row.person);
    const bool is_selfed = father && father == mother;  // either allele may be of either gamete
    if (child && (father || mother)) {
      (is_selfed ? pedigree.selfed : pedigree.trios).push_back({*child, father, mother});
    }
    const auto number = [&](std::string_view name) { return index.Number(row.family, name); };
    const std::optional<size_t> person = number(row.person);
    if (person) pedigree.lines.push_back(*person);
    if (person && (row.father != kUnknownParent || row.mother != kUnknownParent)) {
      pedigree.descent.push_back({*person, number(row.father), number(row.mother)});
    }
  }
  pedigree.num_people = index.num_people();
  pedigree.names_of_others = index.names_of_absent();
  pedigree.perhaps_header = first_line.NamesOfItsOwn();
  if (std::ranges::any_of(pedigree.perhaps_header, [&](const auto& name) { return is_known("", name); })) {
    pedigree.perhaps_header.clear();
  }
  pedigree.female_fathers = sexes.Contradicting(/*are_fathers=*/true);
  pedigree.male_mothers = sexes.Contradicting(/*are_fathers=*/false);
  pedigree.others = index.FindOthers(pedigree.descent);
  CheckLoops(path, ancestry);
  if (!found.empty()) {
    without_line.Warn(path, samples);
    return pedigree;
  }
  throw InputError(
      path +
      ": none of its people is a sample of the study; the column of individuals (the second of a .fam, the first "
      "of individual, sire and dam) must have the names of samples");
}

SampleSexes LoadPedigreeSexes(const std::string& path) {
  SampleSexes found;
  Sexes sexes;
  // Whether somebody of the study is called so is not known; as a parent, "0" alone is nobody.
  PedigreeReader rows(path, [](std::string_view, std::string_view name) { return IsUnknownName(name); });
  while (const auto row = rows.Next()) {
    sexes.Add(*row);
    if (!row->is_male) continue;
    std::unordered_set<std::string>& names = *row->is_male ? found.males : found.females;
    names.emplace(row->person);
    if (!row->family.empty()) names.insert(fmt::format("{}_{}", row->family, row->person));
  }
  const bool are_right = sexes.Contradicting(/*are_fathers=*/true).empty() && sexes.Contradicting(false).empty();
  return are_right ? found : SampleSexes();
}

std::string FamText(const Pedigree& pedigree, std::span<const std::string> samples, const SampleSexes& sexes) {
  std::vector<Trio> parents(pedigree.num_people);
  for (const Trio& trio : pedigree.descent) parents[trio.child] = trio;
  const auto name = [&](const std::optional<size_t>& person) {
    if (!person) return std::string(kUnknownParent);
    return *person < samples.size() ? samples[*person] : pedigree.names_of_others[*person - samples.size()];
  };
  std::string text;
  for (size_t s = 0; s < samples.size(); ++s) {
    const int sex = sexes.males.contains(samples[s]) ? 1 : sexes.females.contains(samples[s]) ? 2 : 0;
    text += fmt::format("0\t{}\t{}\t{}\t{}\t-9\n", samples[s], name(parents[s].father), name(parents[s].mother), sex);
  }
  return text;
}

}  // namespace haplospin
