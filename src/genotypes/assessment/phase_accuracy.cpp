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
#include "genotypes/variant_io/reading/study_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kAlleleCountEnds[] = {1, 2, 5, 10, 20, 50, 100, 1000, SIZE_MAX};
constexpr int64_t kPhasePiece = int64_t{1} << 20;  // bp that are in memory at a time

// The block of phased heterozygotes that a sample is in, while a contig is read.
struct SampleBlock {
  bool is_open = false;
  bool last_agrees = false;  // haplotype 0 of the file is that of the truth at the last heterozygote
  bool last_switched = false;
  size_t agree = 0, differ = 0;
  int64_t begin = 0, correct_begin = 0, last = 0;  // bp
};

// Returns the index in `file` of each sample of `truth`.
std::vector<size_t> OrderIn(const StudyReader& file, const StudyReader& truth) {
  std::unordered_map<std::string, size_t> index;
  for (const std::string& name : file.sample_names()) index.emplace(name, index.size());
  std::vector<size_t> order;
  for (const std::string& name : truth.sample_names()) order.push_back(index.at(name));
  return order;
}

class PhaseComparer {
 public:
  PhaseComparer(const std::string& truth, const std::string& name, const std::string& path,
                const std::vector<std::string>& samples, const PloidyRegions& regions)
      : truth_(truth, {.unphased = Unphased::kAccept, .samples = samples}),
        file_(path, {.unphased = Unphased::kAccept, .samples = samples}),
        regions_(regions),
        order_(OrderIn(file_, truth_)),
        blocks_(order_.size()) {
    truth_.DivideContigs(regions);
    file_.DivideContigs(regions);
    result_.name = name;
    size_t from = 1;
    for (const size_t to : kAlleleCountEnds) {
      result_.by_allele_count.push_back({from, to, {}});
      from = to + 1;
    }
  }

  // Contigs must be in the same order in both files; contigs that only one file has are skipped.
  PhaseAccuracy Run() {
    while (const auto contig = file_.NextContig()) {
      const ContigMatch is_same(*contig, NamesOfContigs(truth_.header_contigs()));
      while (truth_.NextContig() && !is_same(*truth_.NextContig())) truth_.SkipContig();
      if (!truth_.NextContig()) break;
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
    result_.block_n50 = N50(std::move(lengths_));
    result_.correct_n50 = N50(std::move(correct_lengths_));
    return std::move(result_);
  }

 private:
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
    for (size_t s = 0; s < blocks_.size(); ++s) CloseBlock(s);
    ForEachMarker(truth_, truth, [](size_t) {});  // beyond the file's last
  }

  void CompareMarkers(const StudyGenotypes& truth, const StudyGenotypes& file) {
    size_t first = 0;  // index into the truth
    for (size_t m = 0; m < file.markers.size(); ++m) {
      const Marker& marker = file.markers[m].marker;
      const auto true_marker = [&](size_t t) -> const Marker& { return truth.markers[t].marker; };
      while (first < truth.markers.size() && true_marker(first).position < marker.position) ++first;
      for (size_t t = first; t < truth.markers.size() && true_marker(t).position == marker.position; ++t) {
        if (!SameVariant(true_marker(t), marker)) continue;
        CompareMarker(truth, t, file, m);
        break;
      }
    }
  }

  void CompareMarker(const StudyGenotypes& truth, size_t t, const StudyGenotypes& file, size_t m) {
    const GenotypeRow &true_row = truth.markers[t].genotypes, &row = file.markers[m].genotypes;
    const std::vector<uint8_t>& true_alleles = true_row.alleles;
    const auto alts = static_cast<size_t>(std::ranges::count(true_alleles, 1));
    const auto refs = static_cast<size_t>(std::ranges::count(true_alleles, 0));
    SwitchCounts& count = SwitchBin(std::min(alts, refs));
    for (size_t s = 0; s < order_.size(); ++s) {
      if (truth.samples.ploidy(s) != 2 || file.samples.ploidy(order_[s]) != 2) continue;
      const uint8_t* expected = &true_alleles[truth.samples.first_haplotype[s]];
      const uint8_t* found = &row.alleles[file.samples.first_haplotype[order_[s]]];
      const bool is_het = expected[0] + expected[1] == 1 && found[0] + found[1] == 1;
      if (!is_het || true_row.IsUnphased(s)) continue;
      if (row.IsUnphased(order_[s])) {
        CloseBlock(s);
      } else {
        AddHeterozygote(s, expected[0] == found[0], file.markers[m].marker.position, count);
      }
    }
  }

  SwitchCounts& SwitchBin(size_t minor_count) {
    return std::ranges::find_if(result_.by_allele_count, [&](const auto& bin) { return minor_count <= bin.to; })
        ->switches;
  }

  void AddHeterozygote(size_t s, bool agrees, int64_t position, SwitchCounts& count) {
    SampleBlock& block = blocks_[s];
    ++result_.heterozygotes;
    bool switched = false;
    if (block.is_open) {
      switched = agrees != block.last_agrees;
      for (SwitchCounts* counts : {&result_.switches, &count}) {
        ++counts->neighbors;
        counts->errors += switched;
      }
      if (switched) {
        correct_lengths_.push_back(block.last - block.correct_begin);
        block.correct_begin = position;
      }
      if (switched && block.last_switched) {
        ++result_.flips;
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

  void CloseBlock(size_t s) {
    SampleBlock& block = blocks_[s];
    if (block.is_open) {
      lengths_.push_back(block.last - block.begin);
      correct_lengths_.push_back(block.last - block.correct_begin);
      result_.hamming_errors += std::min(block.agree, block.differ);
    }
    block = {};
  }

  StudyReader truth_;
  StudyReader file_;
  const PloidyRegions& regions_;
  const std::vector<size_t> order_;  // [samples of the truth] index in the file
  std::vector<SampleBlock> blocks_;  // [samples]
  std::vector<int64_t> lengths_;     // lengths of blocks, bp
  std::vector<int64_t> correct_lengths_;
  PhaseAccuracy result_;
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

PhaseAccuracy EvaluatePhase(const std::string& truth, const std::string& name, const std::string& path,
                            const std::vector<std::string>& samples, const PloidyRegions& regions) {
  PhaseAccuracy accuracy = PhaseComparer(truth, name, path, samples, regions).Run();
  if (accuracy.switches.neighbors == 0) {
    throw InputError(
        fmt::format("{}: no sample has two heterozygotes that are phased both here and in {}; phase both files, or "
                    "leave out --phase",
                    path, truth));
  }
  return accuracy;
}

}  // namespace haplospin
