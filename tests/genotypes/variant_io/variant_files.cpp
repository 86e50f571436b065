#include "genotypes/variant_io/variant_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <htslib/bgzf.h>
#include <htslib/hts_log.h>
#include <htslib/tbx.h>
#include <htslib/vcf.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "core/temporary_folder.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

void Require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("test file: " + what);
}

void WriteCompressed(const std::string& path, const std::string& text, const char* mode) {
  BGZF* file = bgzf_open(path.c_str(), mode);
  Require(file != nullptr, path);
  Require(bgzf_write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()), path);
  Require(bgzf_close(file) == 0, path);
}

void WriteBcf(const std::string& path, const std::string& text, const char* mode) {
  hts_set_log_level(HTS_LOG_OFF);
  WriteFile(path + ".vcf", text);
  htsFile* in = hts_open((path + ".vcf").c_str(), "r");
  Require(in != nullptr, path);
  bcf_hdr_t* header = bcf_hdr_read(in);
  Require(header != nullptr, "header");
  htsFile* out = hts_open(path.c_str(), mode);
  Require(out != nullptr && bcf_hdr_write(out, header) == 0, path);
  bcf1_t* record = bcf_init();
  while (bcf_read(in, header, record) == 0) Require(bcf_write(out, header, record) == 0, "record");
  bcf_destroy(record);
  bcf_hdr_destroy(header);
  hts_close(in);
  Require(hts_close(out) == 0, path);
  std::filesystem::remove(path + ".vcf");
}

}  // namespace

VcfText::VcfText(std::vector<std::string> samples, std::vector<std::string> contigs) {
  text_ = "##fileformat=VCFv4.2\n##FILTER=<ID=PASS,Description=\"All filters passed\">\n";
  for (const std::string& contig : contigs) text_ += fmt::format("##contig=<ID={},length=1000000>\n", contig);
  text_ +=
      "##INFO=<ID=AC,Number=A,Type=Integer,Description=\"Allele count\">\n"
      "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
      "##INFO=<ID=DR2,Number=A,Type=Float,Description=\"Estimated r2\">\n"
      "##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"Depth\">\n"
      "##FORMAT=<ID=GQ,Number=1,Type=Integer,Description=\"Quality\">\n"
      "##FORMAT=<ID=FT,Number=1,Type=String,Description=\"Filter\">\n"
      "##FORMAT=<ID=PL,Number=G,Type=Integer,Description=\"Phred-scaled likelihoods\">\n"
      "##FORMAT=<ID=GL,Number=G,Type=Float,Description=\"Logarithms of likelihoods\">\n"
      "##FORMAT=<ID=AD,Number=R,Type=Integer,Description=\"Reads with each allele\">\n"
      "##FORMAT=<ID=DS,Number=A,Type=Float,Description=\"Dosage\">\n"
      "##FORMAT=<ID=GP,Number=G,Type=Float,Description=\"Posteriors\">\n"
      "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
  for (const std::string& sample : samples) text_ += '\t' + sample;
  text_ += '\n';
}

VcfText& VcfText::Add(const std::string& contig, int64_t position, const std::string& ref, const std::string& alt,
                      const std::string& genotypes, const std::string& format) {
  text_ += fmt::format("{}\t{}\trs{}\t{}\t{}\t.\tPASS\tAC=1\t{}", contig, position, position, ref, alt, format);
  std::istringstream in(genotypes);
  for (std::string genotype; in >> genotype;) text_ += '\t' + genotype;
  text_ += '\n';
  return *this;
}

VcfText& VcfText::AddLine(const std::string& line) {
  text_ += line + '\n';
  return *this;
}

VcfText& VcfText::Declare(const std::string& line) {
  text_.insert(text_.find("#CHROM"), line + '\n');
  return *this;
}

std::string SampleName(size_t index) { return "S" + std::to_string(index); }

std::vector<std::string> SampleNames(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back(SampleName(i));
  return names;
}

void WriteVariants(const std::string& path, const VcfText& vcf, FileForm form) {
  if (form == FileForm::kBcf || form == FileForm::kBcfUncompressed) {
    WriteBcf(path, vcf.text(), form == FileForm::kBcf ? "wb" : "wbu");
  } else {
    WriteText(path, vcf.text(), form);
  }
}

void WriteText(const std::string& path, const std::string& text, FileForm form) {
  if (form == FileForm::kVcf) {
    WriteFile(path, text);
  } else {
    WriteCompressed(path, text, form == FileForm::kGzip ? "wg" : "w");
  }
}

void WriteFile(const std::string& path, std::string_view bytes) {
  std::filesystem::remove(path);  // some file systems wait for the disk where a file is overwritten
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  Require(out.good(), path);
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  Require(in.good(), path);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

void IndexFile(const std::string& path) {
  const bool is_bcf = path.ends_with(".bcf");
  Require((is_bcf ? bcf_index_build(path.c_str(), 14) : tbx_index_build(path.c_str(), 0, &tbx_conf_vcf)) == 0, path);
}

void EndIndexAfterTheFile(const std::string& path) {
  const std::string index = path + (path.ends_with(".bcf") ? ".csi" : ".tbi");
  constexpr uint64_t kClosingBlock = 28;
  const uint64_t size = std::filesystem::file_size(path), end = (size - kClosingBlock) << 16, after = size << 16;
  std::string bytes = Uncompressed(index);
  size_t replaced = 0;
  for (size_t at = 0; at + sizeof(end) <= bytes.size(); ++at) {
    if (std::memcmp(&bytes[at], &end, sizeof(end)) != 0) continue;
    std::memcpy(&bytes[at], &after, sizeof(after));
    ++replaced;
  }
  Require(replaced > 0, index);
  WriteText(index, bytes, FileForm::kBgzip);
}

std::string Uncompressed(const std::string& path) {
  BGZF* file = bgzf_open(path.c_str(), "r");
  Require(file != nullptr, path);
  std::string bytes(1 << 20, '\0');
  const ssize_t size = bgzf_read(file, bytes.data(), bytes.size());
  Require(bgzf_close(file) == 0 && size >= 0, path);
  bytes.resize(static_cast<size_t>(size));
  return bytes;
}

std::string ErrorOf(const std::function<void()>& function) {
  std::string message;
  testing::internal::CaptureStderr();
  try {
    function();
  } catch (const InputError& error) {
    message = error.what();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(message, testing::Not(testing::HasSubstr("\n")));
  return message;
}

bool HasBcftools() { return std::system("bcftools --version > /dev/null 2>&1") == 0; }

Printed Bcftools(const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string command = fmt::format("bcftools {} > '{}' 2> '{}'", arguments, folder / "out", folder / "err");
  const int status = std::system(command.c_str());
  EXPECT_EQ(status, 0) << command;
  return {ReadFile(folder / "out"), ReadFile(folder / "err")};
}

}  // namespace haplospin
