#include "genotypes/assessment/phase_accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "genotypes/genomics/sites/contig_names.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/variant_io/reading/pieces.h"
#include "genotypes/variant_io/reading/study_file.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kAlleleCountEnds[] = {1, 2, 5, 10, 20, 50, 100, 1000, SIZE_MAX};
constexpr int64_t kPhasePiece = int64_t{1} << 20;  // bp that are in memory at a time

// The heterozygotes of a sample that are of one phase set in the truth and of one in the file, while a contig is read.
struct SampleBlock {
  bool is_open = false;
  bool last_agrees = false;  // haplotype 0 of the file is that of the truth at the last heterozygote
  bool last_switched = false;
  size_t agree = 0, differ = 0;
  int64_t begin = 0, correct_begin = 0, last = 0;  // bp
};

using SampleBlocks = std::unordered_map<uint64_t, SampleBlock>;  // by the sets of both files

// Returns whether the marker is the only one of its position. A record of several ALTs has a marker for each, of which
// a heterozygote of two ALTs would be heterozygous at two.
bool IsAlone(const std::vector<StudyMarker>& markers, size_t m) {
  const auto is_beside = [&](size_t other) { return markers[other].marker.position == markers[m].marker.position; };
  return (m == 0 || !is_beside(m - 1)) && (m + 1 == markers.size() || !is_beside(m + 1));
}

// Returns the index in `file` of each sample of `truth`.
std::vector<size_t> OrderIn(const StudyReader& file, const StudyReader& truth) {
  std::unordered_map<std::string, size_t> index;
  for (const std::string& name : file.sample_names()) index.emplace(name, index.size());
  std::vector<size_t> order;
  for (const std::string& name : truth.sample_names()) order.push_back(index.at(name));
  return order;
}

// What is counted, of all files.
struct PhaseTally {
  PhaseAccuracy counts;
  std::vector<int64_t> lengths;  // lengths of blocks, bp
  std::vector<int64_t> correct_lengths;

  explicit PhaseTally(const std::string& name) {
    counts.name = name;
    size_t from = 1;
    for (const size_t to : kAlleleCountEnds) {
      counts.by_allele_count.push_back({from, to, {}});
      from = to + 1;
    }
  }

  SwitchCounts& SwitchBin(size_t minor_count) {
    return std::ranges::find_if(counts.by_allele_count, [&](const auto& bin) { return minor_count <= bin.to; })
        ->switches;
  }
};

class PhaseComparer {
 public:
  PhaseComparer(const std::string& truth, const std::string& path, const std::vector<std::string>& samples,
                const PloidyRegions& regions, PhaseTally& tally)
      : truth_(truth, {.phase_sets = true, .samples = samples}),
        file_(path, {.phase_sets = true, .samples = samples}),
        path_(path),
        true_contigs_(StudyFile(truth, {}).Contigs()),
        regions_(regions),
        order_(OrderIn(file_, truth_)),
        blocks_(order_.size()),
        tally_(tally),
        counts_(tally.counts) {
    truth_.DivideContigs(regions);
    file_.DivideContigs(regions);
  }

  // Contigs that only one file has are skipped. Throws InputError where the others are not in the same order.
  void Run() {
    while (const auto contig = file_.NextContig()) {
      if (!FindInTruth(*contig)) {
        file_.SkipContig();
        continue;
      }
      const ContigPart part = NextPart(file_), true_part = NextPart(truth_);
      if (part.begin != true_part.begin) {
        SkipPart(part.begin < true_part.begin ? file_ : truth_);
      } else if (part.IsLacking()) {  // nobody has a phase
        SkipPart(file_);
        SkipPart(truth_);
      } else {
        ComparePart();
      }
    }
  }

 private:
  // Goes on in the truth to a contig, or to more of it. Returns whether the truth has that.
  bool FindInTruth(const std::string& contig) {
    const ContigMatch is_same(contig, NamesOfContigs(truth_.header().contigs));
    if (std::ranges::none_of(true_contigs_, [&](const auto& name) { return is_same(MergePar(name)); })) return false;
    const bool is_begun = !begun_.empty() && is_same(begun_);
    while (truth_.NextContig() && !is_same(*truth_.NextContig())) {
      if (is_begun) return false;
      truth_.SkipContig();
    }
    if (!truth_.NextContig() && !is_begun) {
      throw InputError(fmt::format("{}: contig {} is elsewhere among the others than in {}; sort both (bcftools sort)",
                                   path_, contig, truth_.header().path));
    }
    if (truth_.NextContig()) begun_ = *truth_.NextContig();
    return truth_.NextContig().has_value();
  }

  // The part that the next record is in.
  ContigPart NextPart(StudyReader& reader) const {
    return regions_.PartAt(*reader.NextContig(), *reader.NextPosition());
  }

  void ComparePart() {
    StudyGenotypes truth = truth_.StartContig(), file = file_.StartContig();
    for (bool has_more = true; has_more;) {
      const int64_t next = file_.NextPosition().value_or(0);
      const int64_t end = next > INT64_MAX - kPhasePiece ? INT64_MAX : next + kPhasePiece;
      has_more = file_.ReadUntil(end, file);
      truth_.ReadUntil(end, truth);
      CompareMarkers(truth, file);
      DropMarkers(truth);
      DropMarkers(file);
    }
    for (SampleBlocks& blocks : blocks_) CloseBlocks(blocks);
    ForEachMarker(truth_, truth, [](size_t) {});  // beyond the file's last
  }

  void CompareMarkers(const StudyGenotypes& truth, const StudyGenotypes& file) {
    size_t first = 0;  // index into the truth
    for (size_t m = 0; m < file.markers.size(); ++m) {
      const Marker& marker = file.markers[m].marker;
      const auto true_marker = [&](size_t t) -> const Marker& { return truth.markers[t].marker; };
      while (first < truth.markers.size() && true_marker(first).position < marker.position) ++first;
      for (size_t t = first; t < truth.markers.size() && true_marker(t).position == marker.position; ++t) {
        const bool is_compared = SameVariant(true_marker(t), marker) && IsAlone(truth.markers, t);
        if (is_compared && IsAlone(file.markers, m)) CompareMarker(truth, t, file, m);
      }
    }
  }

  void CompareMarker(const StudyGenotypes& truth, size_t t, const StudyGenotypes& file, size_t m) {
    const GenotypeRow &true_row = truth.markers[t].genotypes, &row = file.markers[m].genotypes;
    const std::vector<uint8_t>& true_alleles = true_row.alleles;
    const auto alts = static_cast<size_t>(std::ranges::count(true_alleles, 1));
    const auto refs = static_cast<size_t>(std::ranges::count(true_alleles, 0));
    SwitchCounts& count = tally_.SwitchBin(std::min(alts, refs));
    for (size_t s = 0; s < order_.size(); ++s) {
      if (truth.samples.ploidy(s) != 2 || file.samples.ploidy(order_[s]) != 2) continue;
      const uint8_t* expected = &true_alleles[truth.samples.first_haplotype[s]];
      const uint8_t* found = &row.alleles[file.samples.first_haplotype[order_[s]]];
      const bool is_het = expected[0] + expected[1] == 1 && found[0] + found[1] == 1;
      if (!is_het || true_row.IsUnphased(s) || row.IsUnphased(order_[s])) continue;
      const uint64_t sets = uint64_t{true_row.PhaseSet(s)} << 32 | row.PhaseSet(order_[s]);
      AddHeterozygote(blocks_[s][sets], expected[0] == found[0], file.markers[m].marker.position, count);
    }
  }

  void AddHeterozygote(SampleBlock& block, bool agrees, int64_t position, SwitchCounts& count) {
    ++counts_.heterozygotes;
    bool switched = false;
    if (block.is_open) {
      switched = agrees != block.last_agrees;
      for (SwitchCounts* counts : {&counts_.switches, &count}) {
        ++counts->neighbors;
        counts->errors += switched;
      }
      if (switched) {
        tally_.correct_lengths.push_back(block.last - block.correct_begin);
        block.correct_begin = position;
      }
      if (switched && block.last_switched) {
        ++counts_.flips;
        switched = false;  // the end of a flip is not the start of another one
      }
    } else {
      block = {.is_open = true, .begin = position, .correct_begin = position};
    }
    block.last_switched = switched;
    block.last_agrees = agrees;
    block.last = position;
    ++(agrees ? block.agree : block.differ);
  }

  void CloseBlocks(SampleBlocks& blocks) {
    for (const auto& [sets, block] : blocks) {
      tally_.lengths.push_back(block.last - block.begin);
      tally_.correct_lengths.push_back(block.last - block.correct_begin);
      counts_.hamming_errors += std::min(block.agree, block.differ);
    }
    blocks.clear();
  }

  StudyReader truth_;
  StudyReader file_;
  const std::string path_;
  const std::vector<std::string> true_contigs_;
  std::string begun_;  // the last contig that both have
  const PloidyRegions& regions_;
  const std::vector<size_t> order_;   // [samples of the truth] index in the file
  std::vector<SampleBlocks> blocks_;  // [samples]
  PhaseTally& tally_;
  PhaseAccuracy& counts_;  // of the tally
};

}  // namespace

int64_t N50(std::vector<int64_t> lengths) {
  std::ranges::sort(lengths, std::greater<>());
  const double half = std::accumulate(lengths.begin(), lengths.end(), 0.0) / 2;
  double sum = 0;
  for (const int64_t length : lengths) {
    sum += static_cast<double>(length);
    if (sum >= half) return length;
  }
  return 0;
}

PhaseAccuracy EvaluatePhase(const InputFiles& truth, const std::string& name, const InputFiles& imputed,
                            const std::vector<std::string>& samples, const PloidyRegions& regions) {
  PhaseTally tally(name);
  for (const auto& [contig, path] : imputed.files) {
    for (const auto& [true_contig, true_path] : truth.files) {
      const bool may_share = contig.empty() || true_contig.empty() || SameContig(contig, true_contig);
      if (may_share) PhaseComparer(true_path, path, samples, regions, tally).Run();
    }
  }
  PhaseAccuracy accuracy = std::move(tally.counts);
  accuracy.block_n50 = N50(std::move(tally.lengths));
  accuracy.correct_n50 = N50(std::move(tally.correct_lengths));
  if (accuracy.switches.neighbors == 0) {
    throw InputError(
        fmt::format("{}: no sample has two heterozygotes that are phased both here and in {}; phase both files, or "
                    "leave out --phase",
                    imputed.name, truth.name));
  }
  return accuracy;
}

}  // namespace haplospin
