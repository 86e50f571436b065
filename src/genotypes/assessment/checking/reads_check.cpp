#include "genotypes/assessment/checking/reads_check.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/counted.h"
#include "core/threads.h"
#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/variant_io/alignments/aligned_read.h"
#include "genotypes/variant_io/alignments/alignment_file.h"
#include "genotypes/variant_io/alignments/alignment_source.h"
#include "genotypes/variant_io/alignments/people_reads.h"
#include "genotypes/variant_io/reading/site_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kSitesOfPiece = 16384;

// The parts of a contig in which reads are counted. Whole contigs would take minutes at 30x.
constexpr int64_t kWindows = 64, kWindowLength = 100000;
constexpr double kMinReads = 200;  // of an autosome, for a ratio

// Depth of X, relative to an autosome, of males and females; of Y, much of which no read can be assigned to.
constexpr double kMaxXOfMale = 0.65, kMinXOfFemale = 0.8, kMinYOfMale = 0.03, kMaxYOfFemale = 0.05;

// The contigs whose depths tell the sex, with their lengths.
struct SexContigs {
  ContigTable x, y, autosomes;  // the longest autosome first

  SexContigs(const AlignmentStudy& study, const PloidyRegions& regions) {
    for (const auto& contig : study.contigs) {
      const ContigPart part = regions.PartAt(contig.first, contig.second / 2);
      (part.females_lack_it ? y : part.males_are_haploid ? x : autosomes).push_back(contig);
    }
    std::ranges::stable_sort(autosomes, std::ranges::greater(), [](const auto& contig) { return contig.second; });
  }

  bool CanTell() const { return !x.empty() && !autosomes.empty(); }
};

// Reads per bp in evenly spaced windows of a contig, outside the pseudo-autosomal regions, and their number.
struct ReadRate {
  double reads = 0, length = 0;

  double PerBase() const { return length > 0 ? reads / length : 0; }
};

void AddRate(AlignmentFile& file, const std::pair<std::string, int64_t>& contig, const ReadFilter& filter,
             const PloidyRegions& regions, ReadRate& rate) {
  const auto name = file.FindContig(contig.first);
  if (!name) return;
  const bool is_haploid = regions.PartAt(contig.first, contig.second / 2).males_are_haploid;
  const int64_t step = std::max(contig.second / kWindows, kWindowLength);
  for (int64_t begin = 0; begin < contig.second; begin += step) {
    if (regions.PartAt(contig.first, begin + 1).males_are_haploid != is_haploid) continue;
    const int64_t end = std::min(begin + kWindowLength, contig.second);
    rate.length += static_cast<double>(end - begin);
    file.ForEachRead(*name, begin, end, [&](const bam1_t& read) {
      rate.reads += read.core.pos >= begin && AlignedRead(read, filter).Passes() ? 1 : 0;
    });
  }
}

// Checks one study.
class ReadsChecker {
 public:
  explicit ReadsChecker(const ReadsCheckOptions& options)
      : options_(options),
        study_(*options.people),
        regions_(options.regions.value_or(PloidyRegions::ForBuild(DeclaredBuild(study_.contigs)))),
        contigs_(study_, regions_) {
    check_ = {
        .study_path = options.study, .panel_path = options.panel, .filter = study_.filter, .males = options.males};
    for (const AlignedPerson& person : study_.people) {
      check_.people.push_back({.name = person.name, .files = person.files.size()});
    }
  }

  ReadsCheck Run() {
    ReadSites();
    tbb::task_arena arena(Threads());
    arena.execute(
        [&] { tbb::parallel_for(size_t{0}, check_.people.size(), [&](size_t person) { CheckPerson(person); }); });
    return std::move(check_);
  }

 private:
  void ReadSites() {
    SiteReader sites(options_.panel);
    CheckContigLengths(options_.study, study_.contigs, options_.panel, sites.header_contigs());
    for (auto contig = sites.NextContig(); contig; contig = sites.NextContig()) {
      const auto name = FindContig(NamesOfContigs(study_.contigs), *contig);
      const bool is_wanted = options_.contig.empty() || SameContig(options_.contig, *contig);
      if (!name || !is_wanted || !HasReads(study_, *name)) {
        sites.SkipContig();
        continue;
      }
      check_.contigs.push_back(*name);
      ReadContig(*name, sites);
      if (options_.region) break;
    }
    if (check_.contigs.empty()) check_.no_contig = NoReadsReason(study_, options_.panel);
    if (check_.contigs.empty() && !options_.contig.empty()) {
      throw InputError(
          fmt::format("{}: no reads at sites of contig {} of {}", options_.study, options_.contig, options_.panel));
    }
  }

  // Leaves the contig where the region ends.
  void ReadContig(const std::string& contig, SiteReader& sites) {
    PeopleReads people(options_.people);
    for (bool has_more = true; has_more;) {
      std::vector<Marker> markers;
      has_more = sites.Read(kSitesOfPiece, markers);
      if (const auto& region = options_.region) {
        has_more = has_more && markers.back().position <= region->end;
        std::erase_if(markers, [&](const Marker& m) { return m.position < region->begin || m.position > region->end; });
      }
      const std::vector<PileupSite> piece = PileupSites(markers, study_.filter.ignores_transitions);
      check_.sites += piece.size();
      people.Read(contig, piece, {}, [&](size_t person, const SamplePileup& pileup) {
        check_.people[person].counts.Add(pileup.Count(0, piece.size()));
        check_.people[person].substitutions.Add(pileup.substitutions());
      });
    }
    check_.nobodys_reads += people.CountOfNobody();
  }

  // Counts the reads of a person's files that are mapped, and those on X, Y and an autosome.
  void CheckPerson(size_t index) {
    PersonReads& person = check_.people[index];
    person.errors = ErrorModel(person.substitutions);
    ReadRate x, y, autosome;
    size_t mapped = 0, all = 0;
    bool is_known = true;
    for (const std::string& path : study_.people[index].Paths()) {
      const AlignmentPool::Lease lease = study_.open_files->Open(path, study_.fasta);
      AlignmentFile& file = *lease;
      const auto counted = file.CountMapped();
      is_known = is_known && counted;
      if (counted) {
        mapped += counted->mapped;
        all += counted->mapped + counted->unmapped;
      }
      if (!contigs_.CanTell()) continue;
      for (const auto& contig : contigs_.x) AddRate(file, contig, study_.filter, regions_, x);
      for (const auto& contig : contigs_.y) AddRate(file, contig, study_.filter, regions_, y);
      AddAutosome(file, autosome);
    }
    if (is_known && all > 0) person.mapped = ShareOf(mapped, all);
    if (autosome.reads < kMinReads) return;
    if (x.length > 0) person.x = x.PerBase() / autosome.PerBase();
    if (y.length > 0) person.y = y.PerBase() / autosome.PerBase();
  }

  // Adds the longest autosome that has reads.
  void AddAutosome(AlignmentFile& file, ReadRate& rate) {
    for (const auto& contig : contigs_.autosomes) {
      const auto name = file.FindContig(contig.first);
      if (name && file.HasReads(*name)) return AddRate(file, contig, study_.filter, regions_, rate);
    }
  }

  const ReadsCheckOptions& options_;
  const AlignmentStudy& study_;
  const PloidyRegions regions_;
  const SexContigs contigs_;
  ReadsCheck check_;
};

}  // namespace

ReadsSex PersonReads::Sex() const {
  if (!x) return ReadsSex::kUnknown;
  if (*x <= kMaxXOfMale && y.value_or(1) >= kMinYOfMale) return ReadsSex::kMale;
  if (*x >= kMinXOfFemale && y.value_or(0) <= kMaxYOfFemale) return ReadsSex::kFemale;
  return ReadsSex::kUnclear;
}

double ReadsCheck::Depth(const PersonReads& person) const { return ShareOf(person.counts.reads, sites); }

double ReadsCheck::MeanDepth() const { return ShareOf(All().reads, people.size() * sites); }

ReadCounts ReadsCheck::All() const {
  ReadCounts all;
  for (const PersonReads& person : people) all.Add(person.counts);
  return all;
}

bool ReadsCheck::IsOfAnotherSex(const PersonReads& person) const {
  const bool is_male = std::ranges::find(males, person.name) != males.end();
  return !males.empty() && person.Sex() == (is_male ? ReadsSex::kFemale : ReadsSex::kMale);
}

ReadsCheck CheckReads(const ReadsCheckOptions& options) { return ReadsChecker(options).Run(); }

CheckConclusion ConcludeReadsCheck(const ReadsCheck& check) {
  const ReadCounts all = check.All();
  if (!check.no_contig.empty()) {
    return {CheckVerdict::kDoNotImpute, "do not impute this study: " + check.no_contig};
  }
  if (all.reads == 0) {
    return {CheckVerdict::kDoNotImpute, "do not impute this study: no site of the panel has reads"};
  }
  if (all.IsOfAnotherBuild()) {
    return {
        CheckVerdict::kDoNotImpute,
        fmt::format("do not impute this study: {:.0f} % of the reads at the panel's sites have neither REF nor ALT: "
                    "they were aligned to another genome build",
                    PercentageOf(all.neither, all.snv_reads))};
  }
  return {CheckVerdict::kReady, "ready to impute"};
}

}  // namespace haplospin
