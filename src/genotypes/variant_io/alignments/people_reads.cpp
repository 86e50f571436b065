#include "genotypes/variant_io/alignments/people_reads.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/threads.h"
#include "genotypes/variant_io/alignments/tail_realigner.h"

namespace haplospin {
namespace {

// The group of each person; people of one group share files.
std::vector<size_t> GroupsOfPeople(std::span<const AlignedPerson> people) {
  std::vector<size_t> groups(people.size());
  std::unordered_map<std::string_view, size_t> first_person;
  for (size_t person = 0; person < people.size(); ++person) {
    groups[person] = person;
    for (const PersonFile& file : people[person].files) {
      const auto [entry, is_new] = first_person.emplace(file.path, person);
      const size_t joined = groups[entry->second], group = groups[person];
      if (!is_new)
        std::replace(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(person) + 1, group, joined);
    }
  }
  return groups;
}

// The read group of a read; "" where it has none.
std::string ReadGroup(const bam1_t& read) {
  const uint8_t* tag = bam_aux_get(&read, "RG");
  const char* text = tag == nullptr ? nullptr : bam_aux2Z(tag);
  return text == nullptr ? "" : text;
}

}  // namespace

PeopleReads::PeopleReads(std::shared_ptr<const AlignmentStudy> study) : study_(std::move(study)), arena_(Threads()) {
  std::unordered_map<size_t, size_t> index;
  const std::vector<size_t> groups = GroupsOfPeople(study_->people);
  for (size_t person = 0; person < groups.size(); ++person) {
    const auto [entry, is_new] = index.emplace(groups[person], groups_.size());
    if (is_new) groups_.emplace_back();
    AddPerson(person, groups_[entry->second]);
  }
}

size_t PeopleReads::CountOfNobody() const {
  size_t reads = 0;
  for (const Group& group : groups_) {
    for (const File& file : group.files) reads += file.nobodys_reads;
  }
  return reads;
}

void PeopleReads::AddPerson(size_t person, Group& group) const {
  for (const PersonFile& part : study_->people[person].files) {
    auto file = std::ranges::find(group.files, part.path, &File::path);
    if (file == group.files.end()) file = group.files.insert(file, {part.path});
    file->parts.push_back({group.people.size(), part.sample});
  }
  group.people.push_back(person);
}

void PeopleReads::Read(const std::string& contig, std::span<const PileupSite> sites, std::span<const ErrorModel> errors,
                       const std::function<void(size_t, const SamplePileup&)>& take) {
  if (sites.empty()) return;
  const auto read = [&](size_t g) {
    Group& group = groups_[g];
    std::vector<SamplePileup> pileups;
    for (const size_t person : group.people) {
      pileups.emplace_back(sites, study_->filter, errors.empty() ? nullptr : &errors[person]);
    }
    for (File& file : group.files) ReadFile(contig, sites, file, pileups);
    for (size_t member = 0; member < group.people.size(); ++member) take(group.people[member], pileups[member]);
  };
  arena_.execute([&] { tbb::parallel_for(size_t{0}, groups_.size(), read); });
}

// Reads of a file of several people without a read group are of nobody.
void PeopleReads::ReadFile(const std::string& contig, std::span<const PileupSite> sites, File& file,
                           std::span<SamplePileup> pileups) const {
  const AlignmentPool::Lease lease = study_->open_files->Open(file.path, study_->fasta);
  const auto name = lease->FindContig(contig);
  if (!name) return;
  std::unordered_map<std::string, SamplePileup*> by_group;
  for (const auto& [id, sample] : lease->read_groups()) {
    const auto part = std::ranges::find(file.parts, sample, &File::Part::sample);
    if (part != file.parts.end()) by_group.emplace(id, &pileups[part->member]);
  }
  SamplePileup* const all = file.parts[0].sample.empty() ? &pileups[file.parts[0].member] : nullptr;
  TailRealigner realigner(study_->reference.get(), contig);
  const auto add = [&](const bam1_t& read) {
    if (all != nullptr) return all->Add(*realigner.Realign(&read));
    const auto found = by_group.find(ReadGroup(read));
    if (found != by_group.end()) return found->second->Add(*realigner.Realign(&read));
    file.nobodys_reads += lease->read_groups().contains(ReadGroup(read)) ? 0 : 1;
  };
  lease->ForEachRead(*name, sites.front().position, sites.back().position + 1, add, &file.place);
  for (const File::Part& part : file.parts) pileups[part.member].EndFile();
}

}  // namespace haplospin
