// Small VCF and BCF files for tests.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace haplospin {

// The text of a VCF file, record by record.
class VcfText {
 public:
  explicit VcfText(std::vector<std::string> samples = {"A", "B", "C"},
                   std::vector<std::string> contigs = {"1", "2", "20", "X"});

  // `genotypes` are separated by blanks, one a sample.
  VcfText& Add(const std::string& contig, int64_t position, const std::string& ref, const std::string& alt,
               const std::string& genotypes, const std::string& format = "GT");

  VcfText& AddLine(const std::string& line);

  // Adds a line "##..." to the header.
  VcfText& Declare(const std::string& line);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string SampleName(size_t index);
std::vector<std::string> SampleNames(size_t count);

enum class FileForm { kVcf, kBgzip, kGzip, kBcf, kBcfUncompressed };
inline constexpr FileForm kAllForms[] = {FileForm::kVcf, FileForm::kBgzip, FileForm::kGzip, FileForm::kBcf,
                                         FileForm::kBcfUncompressed};

// Writes VCF text in any form; HTSlib does the conversion to BCF.
void WriteVariants(const std::string& path, const VcfText& vcf, FileForm form);

// The same for any text; the first three forms only.
void WriteText(const std::string& path, const std::string& text, FileForm form);

void WriteFile(const std::string& path, std::string_view bytes);
std::string ReadFile(const std::string& path);

// Writes the index beside the file: .tbi of VCF.gz, .csi of BCF.
void IndexFile(const std::string& path);

// Changes that index as old versions of HTSlib wrote it, which took the end of the file for the end of its records.
void EndIndexAfterTheFile(const std::string& path);

// The bytes of a file that BGZF compresses, up to 1 MiB.
std::string Uncompressed(const std::string& path);

// The message of the InputError that `function` throws, or "" if it throws none. Expects that nothing was printed to
// standard error and the message is one line.
std::string ErrorOf(const std::function<void()>& function);

// What `bcftools ARGUMENTS` prints on standard output and error; skips nothing: check HasBcftools() first.
bool HasBcftools();
struct Printed {
  std::string output, errors;
};
Printed Bcftools(const std::string& arguments);

}  // namespace haplospin
