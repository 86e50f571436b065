// The index of a VCF.gz (.tbi) or BCF (.csi) file, as it is before compression; anything else is taken as it is.
#include "fuzz/fuzz_input.h"
#include "genotypes/variant_io/reading/panel_reader.h"

using namespace haplospin;

namespace {

std::string Text() {
  std::string text =
      "##fileformat=VCFv4.2\n##contig=<ID=20>\n##contig=<ID=X>\n"
      "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
      "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tA\tB\n";
  for (const char* contig : {"20", "X"}) {
    for (int i = 1; i <= 40; ++i) {
      text += std::string(contig) + "\t" + std::to_string(5000 * i) + "\t.\tA\tC\t.\t.\t.\tGT\t0|1\t1|1\n";
    }
  }
  return text;
}

void Read(const std::string& path) {
  AcceptInputErrors([&] { ReadAllPieces(*OpenPanel(path)); });
  AcceptInputErrors([&] {
    const auto panel = OpenPanel(path);
    for (const std::string& contig : panel->Contigs()) {
      AcceptInputErrors([&] {
        panel->Seek({contig, 60'000, 90'000});
        ReadAllPieces(*panel);
      });
    }
  });
}

}  // namespace

void FuzzOne(std::string_view bytes) {
  static const std::string vcf = WriteBgzip("data.vcf.gz", Text()), bcf = WriteBcf("data.bcf", Text());
  const bool is_index = bytes.starts_with("TBI\1") || bytes.starts_with("CSI\1");
  for (const std::string name : {"data.vcf.gz.tbi", "data.bcf.csi"}) {
    is_index ? WriteBgzip(name, bytes) : WriteFuzzFile(name, bytes);
  }
  Read(vcf);
  Read(bcf);
}
