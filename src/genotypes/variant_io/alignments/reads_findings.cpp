#include "genotypes/variant_io/alignments/reads_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/counted.h"
#include "genotypes/genomics/sites/contig_names.h"

namespace haplospin {
namespace {

constexpr size_t kMinBases = 50;    // of a person, for a statement about their qualities
constexpr double kManyBases = 0.5;  // share of a person's bases

// Qualities from 33 on were written with 64 in place of 33 as the code of 0, by Illumina's programs before 2011.
constexpr uint8_t kOffsetOfIllumina = 31;

constexpr uint8_t kSmallQuality = 15;

bool AreMost(size_t bases, const ReadCounts& counts) {
  return counts.bases >= kMinBases && static_cast<double>(bases) >= kManyBases * static_cast<double>(counts.bases);
}

bool IsOfOldIllumina(const ReadCounts& counts) {
  return counts.bases >= kMinBases && counts.greatest_quality == kMaxQuality &&
         counts.least_quality >= kOffsetOfIllumina && counts.least_quality < kMaxQuality;
}

bool IsOneSmallQuality(const ReadCounts& counts) {
  return counts.bases - counts.unrated_bases >= kMinBases && counts.least_quality == counts.greatest_quality &&
         counts.least_quality <= kSmallQuality;
}

// Makes the list, one kind of problem after another.
class FindingList {
 public:
  FindingList(std::span<const std::string> names, std::span<const ReadCounts> counts, const ReadFilter& filter,
              std::span<const ErrorModel> models)
      : names_(names), counts_(counts), filter_(filter), models_(models) {}

  std::vector<ReadsFinding> Find() {
    FindLeftOut();
    FindPoorBases();
    FindUnratedBases();
    FindOtherScales();
    FindOtherBases();
    return std::move(findings_);
  }

 private:
  // The people of whom something holds, and what all of them have.
  struct Group {
    std::vector<std::string> names;
    ReadCounts counts;
  };

  Group Where(const std::function<bool(const ReadCounts&)>& holds, bool without_model = false) const {
    Group found;
    for (size_t p = 0; p < counts_.size(); ++p) {
      if (!holds(counts_[p]) || (without_model && HasModel(p))) continue;
      found.names.push_back(names_[p]);
      found.counts.Add(counts_[p]);
    }
    return found;
  }

  bool HasModel(size_t person) const {
    return !models_.empty() && (models_[person].HasDamage() || models_[person].ExtraError() > 0);
  }

  void Add(const Group& people, const std::string& what, const std::string& remedy) {
    if (people.names.empty()) return;
    findings_.push_back({fmt::format("{} ({}) {}", Counted(people.names.size(), "sample"),
                                     JoinNames(people.names, kSamplesShown), what),
                         remedy});
  }

  void FindLeftOut() {
    const Group out = Where([](const ReadCounts& c) { return c.LeftOutShare() >= kManyBases; });
    const size_t duplicates = out.counts.left_out[static_cast<size_t>(LeftOut::kDuplicate)];
    Add(out,
        fmt::format("with {:.0f} % of the reads at the sites left out ({})", 100 * out.counts.LeftOutShare(),
                    LeftOutText(out.counts, filter_)),
        duplicates > 0 ? "--keep-duplicates counts duplicates, as of GBS and amplicons, whose reads begin at one place"
                       : "--min-mapq 0 counts all that are mapped; check how the reads were aligned");
  }

  void FindPoorBases() {
    const Group poor = Where([](const ReadCounts& c) { return AreMost(c.poor_bases, c); });
    Add(poor,
        fmt::format("with {:.0f} % of the bases at the sites below --min-baseq {}, which do not count",
                    PercentageOf(poor.counts.poor_bases, poor.counts.bases), filter_.min_baseq),
        fmt::format("give a lower --min-baseq, such as {}", std::max<int>(poor.counts.least_quality, 1)));
    const Group alike = Where([](const ReadCounts& c) { return IsOneSmallQuality(c) && !AreMost(c.poor_bases, c); });
    Add(alike, fmt::format("all of whose bases have the quality {}", alike.counts.greatest_quality),
        "if it stands for an unknown one, write the true one, as the reads tell little with it");
  }

  void FindUnratedBases() {
    Add(Where([](const ReadCounts& c) { return AreMost(c.unrated_bases, c); }), "without qualities of bases",
        fmt::format(
            "taken as {} (one base in a hundred is wrong); keep the qualities of the sequencer if there are any",
            kUnknownQuality));
  }

  void FindOtherScales() {
    Add(Where(IsOfOldIllumina), fmt::format("with no quality of a base below {}, and some above 60", kOffsetOfIllumina),
        "Illumina's programs before 2011 wrote them so (Phred+64); convert the FASTQ (seqtk seq -Q64 -V), and align it "
        "again");
  }

  void FindOtherBases() {
    const Group other = Where([](const ReadCounts& c) { return c.HasExcessOfOtherBases(); }, /*without_model=*/true);
    const ReadCounts& counts = other.counts;
    Add(other,
        fmt::format("with far more bases that are neither REF nor ALT ({:.2f} %) than their qualities tell ({:.2f} %)",
                    PercentageOf(counts.neither, counts.snv_reads),
                    PercentageOf(counts.expected_neither, counts.snv_reads)),
        "damage of ancient DNA or qualities that are too high, with which impute and phase count unless "
        "--no-error-model is given; or bisulfite conversion, or DNA of another species, of which a higher --min-mapq "
        "leaves some out");
  }

  const std::span<const std::string> names_;
  const std::span<const ReadCounts> counts_;
  const ReadFilter& filter_;
  const std::span<const ErrorModel> models_;
  std::vector<ReadsFinding> findings_;
};

}  // namespace

std::string LeftOutText(const ReadCounts& counts, const ReadFilter& filter) {
  const std::string names[] = {fmt::format("below --min-mapq {}", filter.min_mapq), "duplicates", "failed"};
  std::string text;
  for (size_t reason = 0; reason < kReasonsLeftOut; ++reason) {
    if (counts.left_out[reason] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts.left_out[reason], names[reason]);
  }
  return text;
}

std::optional<ReadsFinding> FindNobodysReads(size_t reads) {
  if (reads == 0) return std::nullopt;
  return ReadsFinding{
      Counted(reads, "read") + " of files of several people with no read group (RG) of the header, which do not count",
      "write them (samtools addreplacerg), or name the file in a --target-list if all reads are of one person"};
}

std::vector<ReadsFinding> FindReadsProblems(std::span<const std::string> names, std::span<const ReadCounts> counts,
                                            const ReadFilter& filter, std::span<const ErrorModel> models) {
  return FindingList(names, counts, filter, models).Find();
}

}  // namespace haplospin
