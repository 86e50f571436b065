#include "genotypes/variant_io/alignment_files.h"

#include <fmt/format.h>
#include <htslib/faidx.h>
#include <htslib/sam.h>

#include <stdexcept>

#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

void Require(bool is_done, const std::string& path) {
  if (!is_done) throw std::runtime_error("cannot write " + path);
}

}  // namespace

SamText::SamText(const std::string& sample, const std::string& contig, int64_t length, const std::string& order)
    : text_(fmt::format("@HD\tVN:1.6\tSO:{}\n@SQ\tSN:{}\tLN:{}\n", order, contig, length)) {
  if (!sample.empty()) text_ += fmt::format("@RG\tID:{0}\tSM:{0}\n", sample);
}

SamText& SamText::Add(const SamRead& read) {
  const std::string qualities = read.qualities.empty() ? std::string(read.bases.size(), '?') : read.qualities;
  return AddLine(fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t0\t{}\t{}", read.name, read.flag, read.contig,
                             read.position, read.mapq, read.cigar, read.mate > 0 ? "=" : "*", read.mate, read.bases,
                             qualities));
}

SamText& SamText::AddLine(const std::string& line) {
  text_ += line + "\n";
  return *this;
}

void WriteAlignments(const std::string& path, const SamText& sam, const std::string& fasta) {
  if (path.ends_with(".sam")) return WriteFile(path, sam.text());
  const std::string source = path + ".source";
  WriteFile(source, sam.text());
  htsFile* in = hts_open(source.c_str(), "r");
  htsFile* out = hts_open(path.c_str(), path.ends_with(".cram") ? "wc" : "wb");
  Require(in != nullptr && out != nullptr, path);
  if (!fasta.empty()) Require(hts_set_fai_filename(out, (fasta + ".fai").c_str()) == 0, fasta);
  sam_hdr_t* header = sam_hdr_read(in);
  bam1_t* read = bam_init1();
  Require(sam_hdr_write(out, header) == 0, path);
  while (sam_read1(in, header, read) >= 0) Require(sam_write1(out, header, read) >= 0, path);
  bam_destroy1(read);
  sam_hdr_destroy(header);
  hts_close(in);
  Require(hts_close(out) == 0, path);
}

void IndexAlignments(const std::string& path) { Require(sam_index_build(path.c_str(), 0) == 0, path); }

void WriteFasta(const std::string& path, const std::string& contig, const std::string& bases) {
  WriteFile(path, ">" + contig + "\n" + bases + "\n");
  Require(fai_build(path.c_str()) == 0, path);
}

}  // namespace haplospin
