#include "genotypes/variant_io/hla/hla_proteins_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "genotypes/variant_io/row_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using Row = std::vector<std::string_view>;

constexpr char kSameAsFirst = '-';     // in an alignment
constexpr char kUnknownInTable = 'x';  // beside "*"
constexpr int64_t kFarthestPosition = 5000;
constexpr size_t kMostColumns = 5000;

// The first word of a block of an alignment.
constexpr std::string_view kProteins = "Prot";

constexpr char kForms[] =
    "expected an allele and its protein, \"A*01:01 GSHSMRYFFT\", or an alignment of IPD-IMGT/HLA, such as A_prot.txt";

bool IsAminoAcid(char c) { return (c >= 'A' && c <= 'Z') || c == kNoAminoAcid || c == kUnknownAminoAcid; }

// There is no position 0.
int64_t After(int64_t position) { return position == -1 ? 1 : position + 1; }
int64_t Before(int64_t position) { return position == 1 ? -1 : position - 1; }

// Positions of columns are counted by the amino acids of one allele.
class PositionNames {
 public:
  explicit PositionNames(int64_t first) : last_(Before(first)) {}

  void Add(std::string_view sequence) {
    for (const char c : sequence) {
      inserted_ = c == kNoAminoAcid ? inserted_ + 1 : 0;
      if (inserted_ == 0) last_ = After(last_);
      names_.push_back(inserted_ == 0 ? fmt::format("{}", last_) : fmt::format("{}.{}", last_, inserted_));
    }
  }

  int64_t last() const { return last_; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  int64_t last_;
  size_t inserted_ = 0;  // columns since the last position
  std::vector<std::string> names_;
};

HlaAllele ParseAlleleOrFail(std::string_view text, const RowReader& reader) {
  auto allele = ParseHlaAllele(text);
  if (!allele) reader.Fail(fmt::format("\"{}\" is not an allele; {}", text, kForms));
  return *std::move(allele);
}

void CheckAminoAcids(std::string_view sequence, const RowReader& reader) {
  const auto wrong = std::ranges::find_if_not(sequence, IsAminoAcid);
  if (wrong == sequence.end()) return;
  reader.Fail(
      fmt::format("\"{}\" is no amino acid; expected capital letters, \".\" for none, and \"*\" for an unknown one",
                  sequence.substr(static_cast<size_t>(wrong - sequence.begin()), 1)));
}

class TableReader {
 public:
  explicit TableReader(const std::string& path) : reader_(path) {}

  HlaProteins Read() {
    for (Row row = reader_.NextRow(); !row.empty(); row = reader_.NextRow()) {
      if (row[0].starts_with('#')) continue;
      if (row.size() != 2) reader_.Fail(kForms);
      if (row[0] == "allele" || row[0] == "Allele") {
        ReadHeader(row[1]);
      } else {
        AddAllele(row);
      }
    }
    return std::move(proteins_);
  }

 private:
  // The second column may be a title.
  void ReadHeader(std::string_view text) {
    const auto position = ParseNumber<int64_t>(text);
    if (!position) return;
    if (*position == 0 || *position < -kFarthestPosition || *position > kFarthestPosition) {
      reader_.Fail(
          fmt::format("{} is not a position of a protein; give that of the first letters below, 1 or -24", *position));
    }
    first_position_ = *position;
  }

  void AddAllele(const Row& row) {
    HlaAllele allele = ParseAlleleOrFail(row[0], reader_);
    std::string sequence(row[1]);
    std::ranges::replace(sequence, kUnknownInTable, kUnknownAminoAcid);
    CheckAminoAcids(sequence, reader_);
    HlaAlignment& gene = proteins_[allele.gene];
    if (gene.alleles.empty()) {
      PositionNames positions(first_position_);
      positions.Add(sequence);
      gene.positions = positions.names();
    }
    if (sequence.size() != gene.positions.size()) {
      reader_.Fail(fmt::format("has {} letters, but {} has {}; align the proteins of a gene, with \".\" for none",
                               sequence.size(), gene.alleles[0].Name(), gene.positions.size()));
    }
    gene.alleles.push_back(std::move(allele));
    gene.sequences.push_back(std::move(sequence));
  }

  RowReader reader_;
  int64_t first_position_ = 1;
  HlaProteins proteins_;
};

class AlignmentReader {
 public:
  explicit AlignmentReader(const std::string& path) : reader_(path) {}

  HlaProteins Read() {
    while (const auto line = reader_.NextLine()) {
      const Row row = SplitAtBlanks(*line);
      if (!row.empty() && row[0] == kProteins) ReadBlock(row);
    }
    HlaProteins proteins;
    for (size_t a = 0; a < alleles_.size(); ++a) {
      HlaAlignment& gene = proteins[alleles_[a].gene];
      gene.positions = positions_.names();
      gene.alleles.push_back(std::move(alleles_[a]));
      gene.sequences.push_back(std::move(sequences_[a]));
    }
    return proteins;
  }

 private:
  // The line that is read, divided.
  struct Letters {
    std::string name;
    std::string sequence;  // without blanks
    size_t begin;          // where the sequence and the blanks before it begin in the line
  };

  struct Block {
    size_t begin, end;  // columns
    bool is_first;
    std::string reference;  // letters of the first allele, which "-" stands for; empty where it has none
  };

  // Ends at an empty line. The last block may lack the first allele, where others have a longer protein.
  void ReadBlock(const Row& header) {
    Block block{num_columns(), num_columns(), alleles_.empty(), {}};
    const std::string label(header.size() > 1 ? header[1] : "");
    const size_t marked = block.is_first ? FindFirstPosition(header) : (reader_.NextLine(), 0);
    for (auto line = reader_.NextLine(); line && !SplitAtBlanks(*line).empty(); line = reader_.NextLine()) {
      const Letters letters = Divide(*line);
      const size_t a = AlleleNumber(letters.name, block.is_first);
      if (block.end == block.begin) {
        if (block.is_first) {
          CountFrom(*line, letters.begin, marked);
        } else {
          CheckFollows(label, letters.sequence);
        }
        if (a == 0) block.reference = letters.sequence;
        AddColumns(letters.sequence, block);
      }
      Append(a, letters.sequence, block);
    }
    if (block.end == block.begin) {
      reader_.Fail("the block of the alignment before has no columns; download the file again");
    }
    for (std::string& sequence : sequences_) sequence.resize(block.end, kNoAminoAcid);
  }

  static Letters Divide(std::string_view line) {
    const size_t name = line.find_first_not_of(" \t");
    const size_t begin = std::min(line.find_first_of(" \t", name), line.size());
    Letters letters{std::string(line.substr(name, begin - name)), std::string(line.substr(begin)), begin};
    std::erase_if(letters.sequence, [](char c) { return c == ' ' || c == '\t'; });
    return letters;
  }

  // Returns where the line below the header of the first block has its mark for position 1.
  size_t FindFirstPosition(const Row& header) {
    const auto label = std::ranges::find(header, "1");
    if (label == header.end()) {
      reader_.Fail("does not tell the place of position 1, but is the first block; download the file again");
    }
    const auto number = label - header.begin();
    const auto marks = reader_.NextLine();
    size_t column = std::string_view::npos;
    for (ptrdiff_t k = 0; marks && k < number; ++k) {
      column = marks->find('|', column + 1);
      if (column == std::string_view::npos) break;
    }
    if (column == std::string_view::npos) {
      reader_.Fail("expected a mark, \"|\", below each position of the line before; download the file again");
    }
    return column;
  }

  size_t AlleleNumber(const std::string& name, bool is_first) {
    const auto known = numbers_.find(name);
    if (known != numbers_.end()) return known->second;
    if (!is_first) {
      reader_.Fail(fmt::format("{} is not among the alleles of the first block; download the file again", name));
    }
    alleles_.push_back(ParseAlleleOrFail(name, reader_));
    sequences_.emplace_back();
    return numbers_.emplace(name, alleles_.size() - 1).first->second;
  }

  // Counts the positions of the first allele from the marked one.
  void CountFrom(std::string_view line, size_t begin, size_t marked) {
    if (marked < begin || marked >= line.size() || line[marked] == ' ' || line[marked] == kNoAminoAcid) {
      reader_.Fail("has no amino acid below the mark of position 1; download the file again");
    }
    const auto count = std::ranges::count_if(line.substr(begin, marked - begin),
                                             [](char c) { return c != ' ' && c != '\t' && c != kNoAminoAcid; });
    positions_ = PositionNames(count == 0 ? 1 : -static_cast<int64_t>(count));
  }

  // Throws InputError for a block that does not begin where the one before ends.
  void CheckFollows(const std::string& label, std::string_view sequence) const {
    if (sequence.starts_with(kNoAminoAcid) || ParseNumber<int64_t>(label) == After(positions_.last())) return;
    reader_.Fail(fmt::format("this block begins at position {}, but the one before ends at {}; download the file again",
                             label, positions_.last()));
  }

  void AddColumns(std::string_view sequence, Block& block) {
    positions_.Add(sequence);
    block.end = num_columns();
    if (block.end > kMostColumns) {
      reader_.Fail(fmt::format("has more than {} columns; expected a protein's, such as A_prot.txt", kMostColumns));
    }
  }

  void Append(size_t a, const std::string& letters, Block& block) {
    std::string& sequence = sequences_[a];
    if (sequence.size() != block.begin) {
      reader_.Fail(fmt::format("{} is twice in this block; download the file again", alleles_[a].Name()));
    }
    const size_t width = block.end - block.begin;
    if (letters.size() > width && !block.reference.empty()) {
      reader_.Fail(fmt::format("has {} letters, but the first allele of the block {}; download the file again",
                               letters.size(), width));
    }
    if (letters.size() > width) AddColumns(std::string_view(letters).substr(width), block);
    sequence += letters;
    for (size_t k = 0; a > 0 && k < letters.size() && !block.reference.empty(); ++k) {
      if (letters[k] == kSameAsFirst) sequence[block.begin + k] = block.reference[k];
    }
    CheckAminoAcids(std::string_view(sequence).substr(block.begin), reader_);
    sequence.resize(block.end, kNoAminoAcid);
  }

  size_t num_columns() const { return positions_.names().size(); }

  RowReader reader_;
  PositionNames positions_{1};
  std::vector<HlaAllele> alleles_;
  std::vector<std::string> sequences_;               // [alleles]
  std::unordered_map<std::string, size_t> numbers_;  // of the alleles, by their names in the file
};

bool IsAlignment(const std::string& path) {
  RowReader reader(path);
  for (Row row = reader.NextRow(); !row.empty(); row = reader.NextRow()) {
    if (row[0] == kProteins) return true;
    if (row[0] == "cDNA" || row[0] == "gDNA") {
      reader.Fail("this is an alignment of nucleotides; give that of proteins, such as A_prot.txt");
    }
  }
  return false;
}

}  // namespace

HlaProteins LoadHlaProteins(std::span<const std::string> paths) {
  HlaProteins all;
  for (const std::string& path : paths) {
    HlaProteins proteins = IsAlignment(path) ? AlignmentReader(path).Read() : TableReader(path).Read();
    if (proteins.empty()) throw InputError(fmt::format("{}: has no alleles; {}", path, kForms));
    for (auto& [gene, alignment] : proteins) {
      HlaAlignment& known = all[gene];
      if (alignment.alleles.size() > known.alleles.size()) known = std::move(alignment);
    }
  }
  return all;
}

}  // namespace haplospin
