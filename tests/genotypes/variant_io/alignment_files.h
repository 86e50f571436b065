// Small SAM, BAM and CRAM files for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace haplospin {

// A read as a line of SAM has it.
struct SamRead {
  std::string name = "r";
  int flag = 0;
  int64_t position = 1;  // 1-based
  int mapq = 60;
  std::string cigar;
  std::string bases;
  std::string qualities = {};  // empty: 30 for each base
  int64_t mate = 0;            // position of the mate on the same contig; 0 for none
  std::string contig = "20";
};

// The text of a SAM file.
class SamText {
 public:
  explicit SamText(const std::string& sample = "A", const std::string& contig = "20", int64_t length = 100000,
                   const std::string& order = "coordinate");

  SamText& Add(const SamRead& read);
  SamText& AddLine(const std::string& line);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Writes it as the ending of `path` says: .bam, .cram or .sam. A CRAM has the reference in `fasta`.
void WriteAlignments(const std::string& path, const SamText& sam, const std::string& fasta = "");

// Writes the index beside a BAM or CRAM file.
void IndexAlignments(const std::string& path);

// Writes one contig as FASTA, and its .fai.
void WriteFasta(const std::string& path, const std::string& contig, const std::string& bases);

}  // namespace haplospin
